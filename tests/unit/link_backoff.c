/* SPDX-License-Identifier: MIT */
#include "link_backoff.h"

#include "suite.h"

#include <check.h>

START_TEST(link_backoff_doubles_to_its_most) {
    static const uint32_t most[] = {50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000};
    struct link_backoff backoff;
    link_backoff_reset(&backoff);
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        ck_assert_uint_eq(backoff.next_ms, most[i]);
        (void)link_backoff_take(&backoff, 0);
    }
    link_backoff_reset(&backoff);
    ck_assert_uint_eq(backoff.next_ms, 50);
    link_backoff_exhaust(&backoff);
    ck_assert_uint_eq(backoff.next_ms, 5000);
}
END_TEST

START_TEST(link_backoff_half_is_random) {
    struct link_backoff backoff = {100};
    ck_assert_uint_eq(link_backoff_take(&backoff, 0), 50);
    backoff.next_ms = 100;
    ck_assert_uint_eq(link_backoff_take(&backoff, 50), 100);
    for (uint32_t dice = 0; dice < 1000; dice++) {
        backoff.next_ms = 25; /* an odd one too */
        uint32_t wait = link_backoff_take(&backoff, dice * 2654435761u);
        ck_assert(wait >= 12 && wait <= 25);
    }
    backoff.next_ms = 100;
    ck_assert_uint_le(link_backoff_take(&backoff, UINT32_MAX), 100);
}
END_TEST

static void link_backoff_tests(TCase *tests) {
    tcase_add_test(tests, link_backoff_doubles_to_its_most);
    tcase_add_test(tests, link_backoff_half_is_random);
}

int main(void) {
    return suite_run("link_backoff", link_backoff_tests, 10);
}
