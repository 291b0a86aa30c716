/* SPDX-License-Identifier: MIT */
#include "backoff.h"

#include "suite.h"

#include <check.h>

START_TEST(backoff_doubles_to_its_most) {
    static const uint32_t most[] = {50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000};
    struct backoff backoff = {0};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        ck_assert_uint_eq(backoff_take(&backoff, 0), most[i] / 2);
    backoff_reset(&backoff);
    ck_assert_uint_eq(backoff_take(&backoff, 0), 25);
    backoff_exhaust(&backoff);
    ck_assert_uint_eq(backoff_take(&backoff, 0), 2500);
}
END_TEST

START_TEST(backoff_half_is_random) {
    struct backoff backoff = {50};
    ck_assert_uint_eq(backoff_take(&backoff, 0), 50);
    backoff.past_ms = 50;
    ck_assert_uint_eq(backoff_take(&backoff, 50), 100);
    for (uint32_t dice = 0; dice < 1000; dice++) {
        backoff_reset(&backoff);
        uint32_t wait = backoff_take(&backoff, dice * 2654435761u);
        ck_assert(wait >= 25 && wait <= 50);
    }
    backoff.past_ms = 50;
    ck_assert_uint_le(backoff_take(&backoff, UINT32_MAX), 100);
}
END_TEST

/* Whatever the waits had grown to: a second is enough, and less is not. */
START_TEST(backoff_ends_with_what_has_held) {
    struct backoff backoff = {3200};
    backoff_held(&backoff, 999999999);
    ck_assert_uint_eq(backoff_take(&backoff, 0), 2500);
    backoff_held(&backoff, 1000000000);
    ck_assert_uint_eq(backoff_take(&backoff, 0), 25);
}
END_TEST

START_TEST(backoff_dice_differ) {
    uint32_t first = backoff_dice();
    int same = 0;
    for (int i = 0; i < 8; i++)
        same += backoff_dice() == first;
    ck_assert_int_lt(same, 8);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, backoff_doubles_to_its_most);
    tcase_add_test(tests, backoff_half_is_random);
    tcase_add_test(tests, backoff_ends_with_what_has_held);
    tcase_add_test(tests, backoff_dice_differ);
}

int main(void) {
    return suite_run("backoff", add, 10);
}
