/* SPDX-License-Identifier: MIT */
/*
 * PROTOCOL.md against the tables in the code. What stands between "<!-- table: NAME -->" and
 * "<!-- end -->" is written from them, byte for byte; `test_unit_protocol --write` in the project's
 * folder writes it anew. "<!-- bytes: NAME -->" is a dump of a sample, with remarks after two
 * spaces.
 */
#include "wire.h"

#include "field.h"
#include "samples.h"
#include "suite.h"
#include "text.h"
#include "wire_scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "proto/PROTOCOL.md"
#define TABLES_MAX 16
#define NAME_MAX_BYTES 48
#define ALL_KINDS ((1u << JOB_KINDS) - 1)

static struct mem_buffer file; /* terminated */

__attribute__((format(printf, 2, 3))) static void print(struct mem_buffer *out, const char *format,
                                                        ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ck_assert_int_lt(size, (int)sizeof text);
    mem_buffer_add(out, text, (size_t)size);
}

static void print_field(struct mem_buffer *out, const struct field *row, bool needed) {
    static const char *const types[FIELD_TYPES] = {
        [FIELD_ID] = "string",    [FIELD_TEXT] = "string",  [FIELD_ASCII] = "string",
        [FIELD_UINT] = "integer", [FIELD_BOOL] = "boolean", [FIELD_PARAMS] = "map",
        [FIELD_CHANGES] = "list", [FIELD_CLAIMED] = "map",  [FIELD_SEEDS] = "map or list",
    };
    print(out, "| `%s` | %s | ", row->key, types[row->type]);
    switch (row->type) {
    case FIELD_ID:
        print(out, "1 to %u of `A-Z a-z 0-9 . _ -`", JOB_ID_MAX);
        break;
    case FIELD_TEXT:
        print(out, "at most %u characters", row->max);
        break;
    case FIELD_ASCII:
        print(out, "%u to %u printable ASCII characters, no space", row->min, row->max);
        break;
    case FIELD_UINT:
        print(out, "%u to %u", row->min, row->max);
        break;
    case FIELD_CHANGES:
        print(out, "at most %u", row->max);
        break;
    case FIELD_SEEDS:
        print(out, "%u to %u seeds", row->min, row->max);
        break;
    case FIELD_BOOL:
    case FIELD_PARAMS:
    case FIELD_CLAIMED:
    case FIELD_TYPES:
        break;
    }
    print(out, " | %s | %s |\n", needed ? "**required**" : row->preset, row->meaning);
}

/* The fields that this kind alone has; for JOB_KINDS those that every kind has. */
static void print_fields(struct mem_buffer *out, enum job_kind kind) {
    print(out, "| field | type | range | default | |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < field_count; i++) {
        const struct field *row = &field_table[i];
        bool common = row->takes == ALL_KINDS;
        if (kind == JOB_KINDS ? common : !common && (row->takes >> kind & 1u))
            print_field(out, row, kind != JOB_KINDS && (row->needs >> kind & 1u));
    }
}

static void print_kinds(struct mem_buffer *out) {
    static const char *const lanes[JOB_LANES] = {
        [JOB_INTERACTIVE] = "interactive", [JOB_BATCH] = "batch"};
    print(out, "| kind | usual lane |\n|---|---|\n");
    for (int k = 0; k < JOB_KINDS; k++)
        print(out, "| `%s` | %s |\n", job_kind_name((enum job_kind)k),
              lanes[job_kind_lane((enum job_kind)k)]);
}

static void print_params(struct mem_buffer *out, const struct model *model) {
    print(out, "| parameter | type | range | default | unit | after tick 0 |\n"
               "|---|---|---|---|---|---|\n");
    for (size_t p = 0; p < model->param_count; p++) {
        const struct model_param *row = &model->param[p];
        char min[32], max[32], preset[32];
        text_from_double(row->min, min);
        text_from_double(row->max, max);
        text_from_double(row->preset, preset);
        print(out, "| `%s%s%s` | %s | %s to %s | %s | %s | %s |\n", row->group ? row->group : "",
              row->group ? "." : "", row->name, row->integral ? "integer" : "number", min, max,
              preset, row->unit, row->fixed ? "fixed" : "may change");
    }
}

static void print_errors(struct mem_buffer *out) {
    print(out, "| code | status | meaning |\n|---|---|---|\n");
#define FAULT_CODE(code, text, status, meaning)                                                    \
    if (FAULT_##code != FAULT_NONE)                                                                \
        print(out, "| `%s` | `%s` | %s |\n", text, result_status_name(RESULT_##status), meaning);
    FAULT_CODES(FAULT_CODE)
#undef FAULT_CODE
}

struct table {
    char name[NAME_MAX_BYTES];
    struct mem_buffer text;
};

static struct table tables[TABLES_MAX];
static size_t table_count;

static struct mem_buffer *new_table(const char *what, const char *name) {
    ck_assert_uint_lt(table_count, TABLES_MAX);
    struct table *table = &tables[table_count++];
    (void)snprintf(table->name, sizeof table->name, "%s%s", what, name);
    return &table->text;
}

static void setup(void) {
    char block[4096];
    size_t got;
    FILE *source = fopen(FILE_NAME, "rb");
    ck_assert_msg(source, "there is no " FILE_NAME);
    while ((got = fread(block, 1, sizeof block, source)) > 0)
        mem_buffer_add(&file, block, got);
    (void)fclose(source);
    mem_buffer_add(&file, "", 1);
    print_kinds(new_table("kinds", ""));
    print_fields(new_table("fields of every kind", ""), JOB_KINDS);
    for (int k = 0; k < JOB_KINDS; k++)
        print_fields(new_table("fields of ", job_kind_name((enum job_kind)k)), (enum job_kind)k);
    for (size_t m = 0; m < MODEL_COUNT; m++)
        print_params(new_table("parameters of ", model_at(m)->name), model_at(m));
    print_errors(new_table("errors", ""));
}

static void teardown(void) {
    for (size_t i = 0; i < table_count; i++)
        mem_buffer_release(&tables[i].text);
    table_count = 0;
    mem_buffer_release(&file);
}

/* What stands under the mark, and how long it is. */
static const char *find_block(const char *what, const char *name, size_t *size) {
    char mark[NAME_MAX_BYTES + 32];
    (void)snprintf(mark, sizeof mark, "<!-- %s: %s -->\n", what, name);
    const char *start = strstr((const char *)file.data, mark);
    ck_assert_msg(start, "%s has no line %s", FILE_NAME, mark);
    start += strlen(mark);
    const char *end = strstr(start, "<!-- end -->");
    ck_assert_msg(end, "the block %s has no end", name);
    *size = (size_t)(end - start);
    return start;
}

START_TEST(tables_are_those_of_the_code) {
    for (size_t i = 0; i < table_count; i++) {
        size_t size;
        const char *found = find_block("table", tables[i].name, &size);
        ck_assert_msg(size == tables[i].text.size && memcmp(found, tables[i].text.data, size) == 0,
                      "table %s should be\n%.*s", tables[i].name, (int)tables[i].text.size,
                      (const char *)tables[i].text.data);
    }
}
END_TEST

static unsigned count_of(const char *needle) {
    unsigned count = 0;
    for (const char *at = (const char *)file.data; (at = strstr(at, needle)); at += strlen(needle))
        count++;
    return count;
}

START_TEST(no_table_is_unknown) {
    ck_assert_uint_eq(count_of("<!-- table: "), table_count);
}
END_TEST

static bool is_pair(const char *at) {
    return isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]);
}

/* The hexadecimal pairs at the start of each line, one or two spaces apart, behind an indent of 4.
 */
static void read_dump(const char *start, size_t size, struct mem_buffer *out) {
    const char *end = start + size;
    while (start < end) {
        const char *at = start + strspn(start, " ");
        while (is_pair(at)) {
            unsigned value;
            ck_assert_int_eq(sscanf(at, "%2x", &value), 1);
            mem_buffer_add(out, &(unsigned char){(unsigned char)value}, 1);
            size_t gap = strspn(at + 2, " ");
            at += 2 + (gap <= 2 ? gap : 0);
        }
        const char *line = memchr(start, '\n', (size_t)(end - start));
        start = line ? line + 1 : end;
    }
}

START_TEST(dumps_are_the_bytes_of_samples) {
    unsigned dumps = 0;
    for (size_t i = 0; i < sample_count; i++) {
        char mark[NAME_MAX_BYTES + 32];
        (void)snprintf(mark, sizeof mark, "<!-- bytes: %s -->", samples[i].name);
        if (!strstr((const char *)file.data, mark))
            continue;
        size_t size;
        const char *block = find_block("bytes", samples[i].name, &size);
        struct mem_buffer shown = {0}, written = {0};
        struct sample_value value;
        read_dump(block, size, &shown);
        sample_make(&samples[i], &value);
        ck_assert_int_eq(sample_encode(&value, &written), 0);
        ck_assert_uint_eq(shown.size, written.size);
        ck_assert_mem_eq(shown.data, written.data, shown.size);
        sample_release(&value);
        mem_buffer_release(&shown);
        mem_buffer_release(&written);
        dumps++;
    }
    ck_assert_uint_ge(dumps, 1);
    ck_assert_uint_eq(dumps, count_of("<!-- bytes: "));
}
END_TEST

/* Every name that a result can carry is explained. */
START_TEST(every_status_and_verdict_is_named) {
    for (int s = 0; s < RESULT_STATUSES; s++) {
        char name[NAME_MAX_BYTES];
        (void)snprintf(name, sizeof name, "| `%s` |", result_status_name((enum result_status)s));
        ck_assert_msg(strstr((const char *)file.data, name), "status %s", name);
    }
    for (int v = VERDICT_NONE + 1; v < RESULT_VERDICTS; v++) {
        char name[NAME_MAX_BYTES];
        (void)snprintf(name, sizeof name, "| `%s` |", result_verdict_name((enum result_verdict)v));
        ck_assert_msg(strstr((const char *)file.data, name), "verdict %s", name);
    }
}
END_TEST

START_TEST(limits_are_those_of_the_code) {
    char text[100];
    (void)snprintf(text, sizeof text, "more than %d deep", WIRE_DEPTH_MAX);
    ck_assert_msg(strstr((const char *)file.data, text), "%s", text);
    (void)snprintf(text, sizeof text, "%d keys and values", WIRE_VALUES_MAX);
    ck_assert_msg(strstr((const char *)file.data, text), "%s", text);
}
END_TEST

START_TEST(tables_written) {
    for (size_t i = 0; i < table_count; i++) {
        size_t size;
        const char *found = find_block("table", tables[i].name, &size);
        size_t before = (size_t)(found - (const char *)file.data);
        struct mem_buffer next = {0};
        mem_buffer_add(&next, file.data, before);
        mem_buffer_add(&next, tables[i].text.data, tables[i].text.size);
        mem_buffer_add(&next, file.data + before + size, file.size - before - size);
        mem_buffer_release(&file);
        file = next;
    }
    FILE *target = fopen(FILE_NAME, "wb");
    ck_assert_ptr_nonnull(target);
    ck_assert_uint_eq(fwrite(file.data, file.size - 1, 1, target), 1);
    ck_assert_int_eq(fclose(target), 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, tables_are_those_of_the_code);
    tcase_add_test(tests, no_table_is_unknown);
    tcase_add_test(tests, dumps_are_the_bytes_of_samples);
    tcase_add_test(tests, every_status_and_verdict_is_named);
    tcase_add_test(tests, limits_are_those_of_the_code);
}

static void add_writer(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, tables_written);
}

int main(int argc, char **argv) {
    bool write = argc == 2 && strcmp(argv[1], "--write") == 0;
    return suite_run("protocol", write ? add_writer : add, 10);
}
