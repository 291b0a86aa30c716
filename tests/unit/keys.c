/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include "suite.h"

#include <check.h>
#include <signal.h>
#include <string.h>

static const char keys_longest[] =
    "0123456789012345678901234567890123456789012345678901234567890123"; /* 64 */

START_TEST(keys_are_as_documented) {
    char out[KEYS_MAX];
    ck_assert_uint_eq(keys_fixed("main", KEYS_INTERACTIVE, out), strlen(out));
    ck_assert_str_eq(out, "flock:{main}:jobs:interactive");
    keys_fixed("main", KEYS_TRACES, out);
    ck_assert_str_eq(out, "flock:{main}:traces");
    ck_assert_uint_eq(keys_named("other", KEYS_RESULT, "a-1.b_2", out), strlen(out));
    ck_assert_str_eq(out, "flock:{other}:result:a-1.b_2");
    ck_assert_int_eq(KEYS_FIXED, 10);
}
END_TEST

START_TEST(keys_longest_fits) {
    char out[KEYS_MAX];
    for (int key = 0; key < KEYS_FIXED; key++)
        ck_assert_uint_lt(keys_fixed(keys_longest, (enum keys_fixed)key, out), KEYS_MAX);
    for (int key = 0; key < KEYS_NAMED; key++)
        ck_assert_uint_lt(keys_named(keys_longest, (enum keys_named)key, keys_longest, out),
                          KEYS_MAX);
}
END_TEST

/* Each of these would name a key of another kind, slot or length. */
static const char *const keys_illegal[] = {
    "",
    "a}b",
    "{",
    "a:b",
    "a\nb",
    "a b",
    "01234567890123456789012345678901234567890123456789012345678901234"};

START_TEST(keys_illegal_id_aborts) {
    char out[KEYS_MAX];
    keys_named("main", KEYS_RESULT, keys_illegal[_i], out);
}
END_TEST

START_TEST(keys_illegal_queue_aborts) {
    char out[KEYS_MAX];
    keys_fixed(keys_illegal[_i], KEYS_IDS, out);
}
END_TEST

#define KEYS_ILLEGAL ((int)(sizeof keys_illegal / sizeof keys_illegal[0]))

static void keys_tests(TCase *tests) {
    tcase_add_test(tests, keys_are_as_documented);
    tcase_add_test(tests, keys_longest_fits);
    tcase_add_loop_test_raise_signal(tests, keys_illegal_id_aborts, SIGABRT, 0, KEYS_ILLEGAL);
    tcase_add_loop_test_raise_signal(tests, keys_illegal_queue_aborts, SIGABRT, 0, KEYS_ILLEGAL);
}

int main(void) {
    return suite_run("keys", keys_tests, 60);
}
