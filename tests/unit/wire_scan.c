/* SPDX-License-Identifier: MIT */
/* The look ahead against hand-made bytes, sizes at their borders and garbage of every sort. */
#include "wire_scan.h"

#include "message.h"
#include "suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *scan(const char *json, size_t *offset) {
    struct mem_buffer bytes = {0};
    message_from_json(json, &bytes);
    const char *flaw = wire_scan(bytes.data, bytes.size, offset);
    mem_buffer_release(&bytes);
    return flaw;
}

START_TEST(sound_is_sound) {
    static const char *const sound[] = {
        "{}",
        "{'$raw':'de0000'}",
        "{'$raw':'df00000000'}",
        "{'a':null,'b':true,'c':false,'d':1,'e':-1,'f':1.5,'g':'','h':[],'i':{}}",
        "{'a':{'$raw':'cc80'},'b':{'$raw':'cd8000'},'c':{'$raw':'ce80000000'},"
        "'d':{'$raw':'cf8000000000000000'}}",
        "{'a':{'$raw':'d080'},'b':{'$raw':'d18000'},'c':{'$raw':'d280000000'},"
        "'d':{'$raw':'d38000000000000000'}}",
        "{'a':{'$raw':'ca00000000'},'b':{'$raw':'cb0000000000000000'}}",
        "{'a':{'$raw':'c40100'},'b':{'$raw':'c5000100'},'c':{'$raw':'c60000000100'}}",
        "{'a':{'$raw':'d90161'},'b':{'$raw':'da000161'},'c':{'$raw':'db0000000161'}}",
        "{'a':{'$raw':'dc000101'},'b':{'$raw':'dd0000000101'}}",
        "{'a':{'$nest':'7'},'b':{'$nest':'7'}}",
        "{'$raw':'810102'}", /* a key may be anything */
    };
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
        size_t offset;
        const char *flaw = scan(sound[i], &offset);
        ck_assert_msg(!flaw, "%s: %s at %zu", sound[i], flaw, offset);
    }
}
END_TEST

START_TEST(nothing_at_all) {
    size_t offset = 1;
    ck_assert_str_eq(wire_scan(NULL, 0, &offset), "there: it has no bytes");
    ck_assert_uint_eq(offset, 0);
}
END_TEST

START_TEST(every_first_byte_alone) {
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned char one = (unsigned char)byte;
        size_t offset;
        const char *flaw = wire_scan(&one, 1, &offset);
        ck_assert_msg((flaw == NULL) == (byte == 0x80), "byte %02x: %s", byte, flaw);
    }
}
END_TEST

START_TEST(every_byte_as_a_value) {
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned char bytes[] = {0x81, 0x00, (unsigned char)byte};
        size_t offset;
        const char *flaw = wire_scan(bytes, sizeof bytes, &offset);
        bool whole = byte <= 0x80 || byte == 0x90 || byte == 0xa0 || byte == 0xc0 || byte == 0xc2 ||
                     byte == 0xc3 || byte >= 0xe0;
        ck_assert_msg((flaw == NULL) == whole, "byte %02x: %s", byte, flaw);
        if (flaw)
            ck_assert_uint_eq(offset, 2);
    }
}
END_TEST

START_TEST(depth_border) {
    size_t offset;
    ck_assert_ptr_null(scan("{'a':{'$nest':'7'}}", &offset));
    ck_assert_str_eq(scan("{'a':{'$nest':'8'}}", &offset), "nested at most 8 deep");
    ck_assert_uint_eq(offset, 10); /* map, key of two bytes, seven lists */
}
END_TEST

/* A map of one list of n numbers has n + 3 values. */
static const char *scan_values(uint32_t n) {
    struct mem_buffer bytes = {0};
    unsigned char head[] = {0x81,
                            0xa0,
                            0xdd,
                            (unsigned char)(n >> 24),
                            (unsigned char)(n >> 16),
                            (unsigned char)(n >> 8),
                            (unsigned char)n};
    size_t offset;
    mem_buffer_add(&bytes, head, sizeof head);
    for (uint32_t i = 0; i < n; i++)
        mem_buffer_add(&bytes, "", 1);
    const char *flaw = wire_scan(bytes.data, bytes.size, &offset);
    mem_buffer_release(&bytes);
    return flaw;
}

START_TEST(values_border) {
    ck_assert_ptr_null(scan_values(WIRE_VALUES_MAX - 3));
    ck_assert_str_eq(scan_values(WIRE_VALUES_MAX - 2), "of at most 100000 keys and values");
}
END_TEST

START_TEST(count_border) {
    size_t offset;
    ck_assert_ptr_null(scan("{'a':{'$raw':'dc00020102'}}", &offset));
    ck_assert_ptr_nonnull(strstr(scan("{'a':{'$raw':'dc00030102'}}", &offset), "announces"));
    ck_assert_ptr_nonnull(strstr(scan("{'a':{'$raw':'de00020102'}}", &offset), "announces"));
    ck_assert_str_eq(scan("{'a':{'$raw':'9290'}}", &offset),
                     "complete: a list or map announces more than the bytes that follow it");
}
END_TEST

/* Random bytes, so that they begin like a map: never read past the end (the sanitizer sees). */
START_TEST(garbage_is_survived) {
    uint32_t state = (uint32_t)_i * 2654435761u + 1;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned char bytes[24];
        size_t size = 1 + round % sizeof bytes, offset;
        unsigned char *end = bytes + sizeof bytes - size;
        for (size_t i = 0; i < size; i++) {
            state = state * 1664525u + 1013904223u;
            end[i] = (unsigned char)(state >> 24);
        }
        end[0] = (unsigned char)(0x80 | (end[0] & 0x0f));
        const char *flaw = wire_scan(end, size, &offset);
        ck_assert_uint_le(offset, size);
        if (!flaw)
            ck_assert_uint_eq(offset, size);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, sound_is_sound);
    tcase_add_test(tests, nothing_at_all);
    tcase_add_test(tests, every_first_byte_alone);
    tcase_add_test(tests, every_byte_as_a_value);
    tcase_add_test(tests, depth_border);
    tcase_add_test(tests, values_border);
    tcase_add_test(tests, count_border);
    tcase_add_loop_test(tests, garbage_is_survived, 0, 8);
}

int main(void) {
    return suite_run("wire_scan", add, 30);
}
