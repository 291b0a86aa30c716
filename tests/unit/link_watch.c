/* SPDX-License-Identifier: MIT */
#include "link_watch.h"

#include "suite.h"

#include <check.h>

#define MS INT64_C(1000000)

static struct link_watch watch;

static void link_watch_setup(void) {
    link_watch_reset(&watch);
}

START_TEST(link_watch_lone_command_is_late_after_a_last_chance) {
    ck_assert_int_eq(link_watch_begin(&watch, 0, 100), 100);
    ck_assert_int_eq(link_watch_look(&watch, 99 * MS + 1, 100), 1);
    ck_assert_int_eq(link_watch_look(&watch, 100 * MS, 100), 1);
    ck_assert_int_eq(link_watch_look(&watch, 101 * MS, 100), LINK_WATCH_LATE);
}
END_TEST

START_TEST(link_watch_progress_is_not_late) {
    ck_assert_int_eq(link_watch_begin(&watch, 0, 100), 100);
    ck_assert_int_eq(link_watch_begin(&watch, 60 * MS, 100), LINK_WATCH_LEAVE);
    /* The timer rings for the first; the second has 60 ms left. */
    ck_assert_int_eq(link_watch_look(&watch, 100 * MS, 100), 61);
    ck_assert_int_eq(link_watch_begin(&watch, 110 * MS, 100), LINK_WATCH_LEAVE);
    ck_assert_int_eq(link_watch_look(&watch, 161 * MS, 100), 50);
}
END_TEST

START_TEST(link_watch_reply_takes_the_last_chance) {
    ck_assert_int_eq(link_watch_begin(&watch, 0, 100), 100);
    ck_assert_int_eq(link_watch_look(&watch, 300 * MS, 100), 1);
    ck_assert_int_eq(link_watch_begin(&watch, 300 * MS, 100), LINK_WATCH_LEAVE);
    ck_assert_int_eq(link_watch_look(&watch, 301 * MS, 100), 100);
}
END_TEST

START_TEST(link_watch_short_one_behind_a_blocking_one) {
    ck_assert_int_eq(link_watch_begin(&watch, 0, 60000), 60000);
    /* The blocking one was answered; the timer would ring far too late for the next. */
    ck_assert_int_eq(link_watch_begin(&watch, 10000 * MS, 100), 100);
    ck_assert_int_eq(link_watch_look(&watch, 10100 * MS, 100), 1);
    ck_assert_int_eq(link_watch_look(&watch, 10101 * MS, 100), LINK_WATCH_LATE);
}
END_TEST

START_TEST(link_watch_longest_timeout_does_not_overflow) {
    ck_assert_int_eq(link_watch_begin(&watch, INT64_MAX / 2, UINT32_MAX), UINT32_MAX);
    ck_assert_int_gt(link_watch_look(&watch, INT64_MAX / 2 + MS, UINT32_MAX), 4000000000);
}
END_TEST

static void link_watch_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, link_watch_setup, NULL);
    tcase_add_test(tests, link_watch_lone_command_is_late_after_a_last_chance);
    tcase_add_test(tests, link_watch_progress_is_not_late);
    tcase_add_test(tests, link_watch_reply_takes_the_last_chance);
    tcase_add_test(tests, link_watch_short_one_behind_a_blocking_one);
    tcase_add_test(tests, link_watch_longest_timeout_does_not_overflow);
}

int main(void) {
    return suite_run("link_watch", link_watch_tests, 10);
}
