/* SPDX-License-Identifier: MIT */
/*
 * The test vectors in proto/vectors, against what the codecs write and read today. When the
 * protocol or the samples changed on purpose, `test_unit_vectors --write` in the project's folder
 * writes them anew.
 */
#include "wire.h"

#include "bad_jobs.h"
#include "message.h"
#include "samples.h"
#include "suite.h"
#include "text.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER "proto/vectors"
#define ENTRY "1767225600000-0"
#define PATH_MAX_BYTES 200
#define BAD_MAX_BYTES 10000 /* of a malformed job that is kept as a file */
#define RING_TICKS 7000u

static void path_of(const char *folder, const char *name, const char *end, char *out) {
    ck_assert_int_lt(snprintf(out, PATH_MAX_BYTES, FOLDER "/%s%s%s", folder, name, end),
                     PATH_MAX_BYTES);
}

static void read_file(const char *path, struct mem_buffer *out) {
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "there is no %s", path);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        mem_buffer_add(out, block, got);
    (void)fclose(file);
}

static void write_file(const char *path, const struct mem_buffer *bytes) {
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file, "cannot write %s", path);
    ck_assert(bytes->size == 0 || fwrite(bytes->data, bytes->size, 1, file) == 1);
    ck_assert_int_eq(fclose(file), 0);
}

static void puts_to(struct mem_buffer *out, const char *text) {
    mem_buffer_add(out, text, strlen(text));
}

static void sample_bytes(const struct sample *sample, struct mem_buffer *out) {
    struct sample_value value;
    sample_make(sample, &value);
    ck_assert_int_eq(sample_encode(&value, out), 0);
    sample_release(&value);
}

static void bad_json(const struct bad_job *bad, struct mem_buffer *out) {
    puts_to(out, "{\"error\": {\"code\": \"");
    puts_to(out, bad->code);
    if (bad->field[0] != '\0') {
        puts_to(out, "\", \"field\": \"");
        puts_to(out, bad->field);
    }
    puts_to(out, "\"}}\n");
}

static void put_hex(struct mem_buffer *out, const struct mem_buffer *bytes) {
    puts_to(out, "\"");
    for (size_t i = 0; i < bytes->size; i++) {
        char digits[3];
        (void)snprintf(digits, sizeof digits, "%02x", bytes->data[i]);
        puts_to(out, digits);
    }
    puts_to(out, "\"");
}

/* A ring that has gone round once, so that it is written in two pieces; of each, the first slots.
 */
static void ring_json(struct mem_buffer *out) {
    static struct ring ring;
    struct wire_ring_piece piece[2];
    int pieces;
    char text[120];
    ring.empty = true;
    for (uint32_t tick = 0; tick < RING_TICKS; tick++)
        ring_add(&ring, tick,
                 &(struct sim_metrics){1.0 / (tick + 1), tick % 5000 == 1 ? NAN : tick / 8.0,
                                       1 + tick % 400});
    ck_assert_int_eq(wire_encode_ring(&ring, piece, &pieces), 0);
    puts_to(out, "[");
    for (int p = 0; p < pieces; p++) {
        (void)snprintf(text, sizeof text, "%s\n  {\"offset\": %zu, \"size\": %zu, \"slots\": [",
                       p ? "," : "", piece[p].offset, piece[p].bytes.size);
        puts_to(out, text);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t tick = (p == 0 ? RING_TICKS - RING_SLOTS : RING_SLOTS) + i;
            struct sim_metrics metrics;
            struct mem_buffer slot = {0};
            mem_buffer_add(&slot, piece[p].bytes.data + i * WIRE_SLOT_SIZE, WIRE_SLOT_SIZE);
            ck_assert(wire_decode_slot(slot.data, tick, &metrics));
            (void)snprintf(text, sizeof text,
                           "%s\n    {\"tick\": %u, \"polarization\": ", i ? "," : "", tick);
            puts_to(out, text);
            text_from_double(metrics.polarization, text);
            puts_to(out, text);
            puts_to(out, ", \"mean_neighbor_distance\": ");
            text_from_double(metrics.mean_neighbor_distance, text);
            puts_to(out, isnan(metrics.mean_neighbor_distance) ? "null" : text);
            (void)snprintf(text, sizeof text,
                           ", \"cluster_count\": %u,\n     \"bytes\": ", metrics.cluster_count);
            puts_to(out, text);
            put_hex(out, &slot);
            puts_to(out, "}");
            mem_buffer_release(&slot);
        }
        puts_to(out, "]}");
        mem_buffer_release(&piece[p].bytes);
    }
    puts_to(out, "\n]\n");
}

static void check_file(const char *path, const struct mem_buffer *expected) {
    struct mem_buffer found = {0};
    read_file(path, &found);
    ck_assert_msg(found.size == expected->size &&
                      memcmp(found.data ? found.data : (unsigned char *)"",
                             expected->data ? expected->data : (unsigned char *)"",
                             found.size) == 0,
                  "%s differs from what is written today", path);
    mem_buffer_release(&found);
}

START_TEST(vector_is_what_we_write) {
    const struct sample *sample = &samples[_i];
    struct mem_buffer bytes = {0}, json = {0};
    char path[PATH_MAX_BYTES];
    sample_bytes(sample, &bytes);
    path_of("", sample->name, ".msgpack", path);
    check_file(path, &bytes);
    message_to_json(bytes.data, bytes.size, &json);
    path_of("", sample->name, ".json", path);
    check_file(path, &json);
    mem_buffer_release(&bytes);
    mem_buffer_release(&json);
}
END_TEST

START_TEST(vector_is_read_and_written_again) {
    const struct sample *sample = &samples[_i];
    struct mem_buffer bytes = {0}, again = {0};
    struct sample_value value;
    char path[PATH_MAX_BYTES];
    path_of("", sample->name, ".msgpack", path);
    read_file(path, &bytes);
    ck_assert_int_eq(sample_decode(sample->type, bytes.data, bytes.size, &value), 0);
    if (strstr(sample->name, "_ring"))
        value.result.ring = mem_zero(1, sizeof *value.result.ring); /* a flag is all that is sent */
    ck_assert_int_eq(sample_encode(&value, &again), 0);
    ck_assert_uint_eq(again.size, bytes.size);
    ck_assert_mem_eq(again.data, bytes.data, bytes.size);
    sample_release(&value);
    mem_buffer_release(&bytes);
    mem_buffer_release(&again);
}
END_TEST

START_TEST(bad_vector_is_rejected) {
    const struct bad_job *bad = &bad_jobs[_i];
    struct mem_buffer made = {0}, json = {0}, bytes = {0};
    struct job job;
    struct fault fault;
    char path[PATH_MAX_BYTES];
    message_from_json(bad->json, &made);
    if (made.size <= BAD_MAX_BYTES) {
        path_of("bad/", bad->name, ".msgpack", path);
        check_file(path, &made);
        read_file(path, &bytes);
        ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault), -1);
        ck_assert_str_eq(fault_code_name(fault.code), bad->code);
        ck_assert_str_eq(fault.field, bad->field);
        job_release(&job);
        bad_json(bad, &json);
        path_of("bad/", bad->name, ".json", path);
        check_file(path, &json);
    }
    mem_buffer_release(&made);
    mem_buffer_release(&json);
    mem_buffer_release(&bytes);
}
END_TEST

START_TEST(ring_vector_is_what_we_write) {
    struct mem_buffer json = {0};
    ring_json(&json);
    check_file(FOLDER "/ring/slots.json", &json);
    mem_buffer_release(&json);
}
END_TEST

static size_t count_files(const char *folder) {
    size_t count = 0;
    DIR *files = opendir(folder);
    ck_assert_ptr_nonnull(files);
    for (struct dirent *file; (file = readdir(files));)
        count += strchr(file->d_name, '.') != NULL && file->d_name[0] != '.';
    (void)closedir(files);
    return count;
}

/* A vector that no test reads proves nothing. */
START_TEST(no_vector_is_left_over) {
    size_t bad = 0;
    for (size_t i = 0; i < bad_job_count; i++) {
        struct mem_buffer bytes = {0};
        message_from_json(bad_jobs[i].json, &bytes);
        bad += bytes.size <= BAD_MAX_BYTES;
        mem_buffer_release(&bytes);
    }
    ck_assert_uint_eq(count_files(FOLDER), 2 * sample_count);
    ck_assert_uint_eq(count_files(FOLDER "/bad"), 2 * bad);
    ck_assert_uint_eq(count_files(FOLDER "/ring"), 1);
}
END_TEST

static void write_vector(const char *folder, const char *name, struct mem_buffer *bytes,
                         struct mem_buffer *json) {
    char path[PATH_MAX_BYTES];
    path_of(folder, name, ".msgpack", path);
    write_file(path, bytes);
    path_of(folder, name, ".json", path);
    write_file(path, json);
    mem_buffer_release(bytes);
    mem_buffer_release(json);
}

/* A test, since what fails in it is told by check. */
START_TEST(vectors_written) {
    struct mem_buffer bytes = {0}, json = {0};
    (void)mkdir(FOLDER, 0777);
    (void)mkdir(FOLDER "/bad", 0777);
    (void)mkdir(FOLDER "/ring", 0777);
    for (size_t i = 0; i < sample_count; i++) {
        sample_bytes(&samples[i], &bytes);
        message_to_json(bytes.data, bytes.size, &json);
        write_vector("", samples[i].name, &bytes, &json);
    }
    for (size_t i = 0; i < bad_job_count; i++) {
        message_from_json(bad_jobs[i].json, &bytes);
        bad_json(&bad_jobs[i], &json);
        if (bytes.size <= BAD_MAX_BYTES)
            write_vector("bad/", bad_jobs[i].name, &bytes, &json);
        mem_buffer_release(&bytes);
        mem_buffer_release(&json);
    }
    ring_json(&json);
    write_file(FOLDER "/ring/slots.json", &json);
    mem_buffer_release(&json);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, vector_is_what_we_write, 0, (int)sample_count);
    tcase_add_loop_test(tests, vector_is_read_and_written_again, 0, (int)sample_count);
    tcase_add_loop_test(tests, bad_vector_is_rejected, 0, (int)bad_job_count);
    tcase_add_test(tests, ring_vector_is_what_we_write);
    tcase_add_test(tests, no_vector_is_left_over);
}

static void add_writer(TCase *tests) {
    tcase_add_test(tests, vectors_written);
}

int main(int argc, char **argv) {
    bool write = argc == 2 && strcmp(argv[1], "--write") == 0;
    return suite_run("vectors", write ? add_writer : add, 30);
}
