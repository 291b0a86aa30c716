/* SPDX-License-Identifier: MIT */
/* Writing JSON: what jansson reads of it, and the rounding against printf's. */
#include "jot.h"

#include "mulberry32.h"
#include "suite.h"
#include "text.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *written(struct mem_buffer *out) {
    mem_buffer_add(out, "", 1);
    ck_assert(!out->failed);
    return (const char *)out->data;
}

START_TEST(jot_nests_and_parts_values) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_open_list(&jot, "a");
    jot_close_list(&jot);
    jot_open_map(&jot, "b");
    jot_whole(&jot, "c", UINT64_C(18446744073709551615));
    jot_bool(&jot, "d", true);
    jot_null(&jot, "e");
    jot_close_map(&jot);
    jot_open_list(&jot, "f");
    jot_hash(&jot, NULL, 10);
    jot_text_or_null(&jot, NULL, "");
    jot_raw(&jot, NULL, "[1]", 3);
    jot_close_list(&jot);
    jot_close_map(&jot);
    ck_assert_str_eq(written(&out),
                     "{\"a\":[],\"b\":{\"c\":18446744073709551615,\"d\":true,\"e\":null},"
                     "\"f\":[\"000000000000000a\",null,[1]]}");
    mem_buffer_release(&out);
}
END_TEST

/* Every character below the first printable one, the two that need a backslash, and some of more
 * than one byte. */
START_TEST(jot_text_reads_back) {
    char text[64] = "\"\\/\xc3\xa9\xf0\x9f\x90\xa6<script>";
    struct mem_buffer out = {0};
    struct jot jot;
    size_t size = strlen(text);
    for (char c = 1; c < 0x21; c++)
        text[size++] = c;
    jot_begin(&jot, &out);
    jot_bytes(&jot, NULL, text, size);
    json_t *value = json_loads(written(&out), JSON_DECODE_ANY, NULL);
    ck_assert_ptr_nonnull(value);
    ck_assert_uint_eq(json_string_length(value), size);
    ck_assert_int_eq(memcmp(json_string_value(value), text, size), 0);
    json_decref(value);
    mem_buffer_release(&out);
}
END_TEST

START_TEST(jot_text_that_is_none_is_null) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    jot_bytes(&jot, NULL, "\xff", 1);
    ck_assert_str_eq(written(&out), "null");
    mem_buffer_release(&out);
}
END_TEST

static void expect_real(double value, int decimals, const char *text) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    jot_real(&jot, NULL, value, decimals);
    ck_assert_str_eq(written(&out), text);
    mem_buffer_release(&out);
}

START_TEST(jot_real_as_expected) {
    expect_real(0.1, JOT_EXACT, "0.1");
    expect_real(3, JOT_EXACT, "3.0");
    expect_real(-0.0, JOT_EXACT, "-0.0");
    expect_real(1e300, JOT_EXACT, "1e+300");
    expect_real(NAN, JOT_EXACT, "null");
    expect_real(INFINITY, 2, "null");
    expect_real(0, 2, "0");
    expect_real(-0.001, 2, "0");
    expect_real(-0.5, 0, "0"); /* a tie goes to the even one, as printf has it */
    expect_real(601.1037, 2, "601.1");
    expect_real(99.995, 2, "100"); /* 99.9949999999999903366 */
    expect_real(0.125, 2, "0.12"); /* an exact tie */
    expect_real(0.375, 2, "0.38");
    expect_real(-3.99996, 4, "-4");
    expect_real(1e12 + 0.25, 1, "1000000000000.2");
}
END_TEST

/* As printf rounds, which is exact: random numbers, and those next to ties. */
START_TEST(jot_real_rounds_as_printf) {
    struct mulberry32 random = {42};
    for (int i = 0; i < 200000; i++) {
        int decimals = i % 5;
        double value = (mulberry32_next(&random) - 0.5) * 2000;
        if (i % 2 == 0) { /* k + 1/2 units of the last place, or a neighbour of it */
            double unit = pow(10, decimals);
            value = (floor(value * unit) + 0.5) / unit;
            value = nextafter(value, i % 4 == 0 ? 1e9 : -1e9);
        }
        char expected[400];
        struct mem_buffer out = {0};
        struct jot jot;
        (void)snprintf(expected, sizeof expected, "%.*f", decimals, value);
        jot_begin(&jot, &out);
        jot_real(&jot, NULL, value, decimals);
        ck_assert_msg(strtod(written(&out), NULL) == strtod(expected, NULL), "%.17g: %s, not %s",
                      value, (const char *)out.data, expected);
        mem_buffer_release(&out);
    }
}
END_TEST

START_TEST(jot_failure_sticks) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    mem_fail(1, 0);
    jot_open_map(&jot, NULL);
    mem_fail(0, 0);
    jot_close_map(&jot);
    ck_assert(out.failed);
    mem_buffer_release(&out);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, jot_nests_and_parts_values);
    tcase_add_test(tests, jot_text_reads_back);
    tcase_add_test(tests, jot_text_that_is_none_is_null);
    tcase_add_test(tests, jot_real_as_expected);
    tcase_add_test(tests, jot_real_rounds_as_printf);
    tcase_add_test(tests, jot_failure_sticks);
}

int main(void) {
    return suite_run("jot", add, 30);
}
