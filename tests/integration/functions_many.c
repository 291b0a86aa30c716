/* SPDX-License-Identifier: MIT */
/* Many jobs completed in one call: entries that have nothing alive before them are cut off
 * together, others one by one, and nothing goes that is still to be done. */
#include "calls.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 20 };

/* Entries 1-0 to 20-0, all of them claimed by w1. */
static void many_begin(void) {
    for (int i = 1; i <= MANY; i++)
        calls_command(calls_line("XADD #jobs:interactive %d-0 job x", i));
    calls_function("claim", "", calls_line("w1 %d 0 0 0 0 0 15000", MANY));
    calls_want("XPENDING #jobs:interactive workers", "20 1-0 20-0 [[w1 20]]");
}

/* w1 completes what `which` names, each a character: 1 to 9, a to k for 10 to 20. */
static void many_complete(const char *which) {
    char keys[1024] = "", args[2048] = "w1", want[256] = "";
    for (const char *at = which; *at; at++) {
        int i = *at <= '9' ? *at - '0' : *at - 'a' + 10;
        sprintf(keys + strlen(keys), "result:r%d ", i);
        sprintf(args + strlen(args), " i%d-0 1,0,verify:ok,1 R ~", i);
        sprintf(want + strlen(want), "%sok", at > which ? " " : "");
    }
    keys[strlen(keys) - 1] = '\0';
    calls_expect("complete", keys, args, want);
}

/* What is left in the lane. */
static void many_left(const char *want) {
    char left[512] = "";
    for (int i = 1; i <= 2 * MANY; i++) {
        const char *entry = calls_command(calls_line("XRANGE #jobs:interactive %d-0 %d-0", i, i));
        if (entry[0])
            sprintf(left + strlen(left), "%s%d", left[0] ? " " : "", i);
    }
    ck_assert_str_eq(left, want);
}

START_TEST(many_in_order) {
    many_begin();
    many_complete("123456789a");
    many_left("11 12 13 14 15 16 17 18 19 20");
    calls_want("XPENDING #jobs:interactive workers", "10 11-0 20-0 [[w1 10]]");
    many_complete("bcdefghijk");
    many_left("");
    calls_want("XLEN #jobs:interactive", "0");
}
END_TEST

START_TEST(many_around_one_that_is_held) {
    many_begin();
    many_complete("1245678abcdef");
    many_left("3 9 16 17 18 19 20");
    many_complete("39ghijk");
    many_left("");
}
END_TEST

/* In whatever order they are named. */
START_TEST(many_in_no_order) {
    many_begin();
    many_complete("k1j2i3h4g5f6e7d8c9ba");
    many_left("");
}
END_TEST

START_TEST(many_of_two_workers) {
    many_begin();
    calls_command("XCLAIM #jobs:interactive workers w2 0 2-0 12-0 RETRYCOUNT 1 JUSTID");
    many_complete("13456789ab");
    many_left("2 12 13 14 15 16 17 18 19 20");
}
END_TEST

/* What waits comes behind what is done. */
START_TEST(many_keep_what_waits) {
    many_begin();
    calls_command("XADD #jobs:interactive 21-0 job x");
    calls_command("XADD #jobs:interactive 22-0 job x");
    many_complete("123456789abcdefghijk");
    many_left("21 22");
    calls_expect("claim", "", "w2 1 0 0 0 0 0 15000", "* 0 [] i21-0 1 0 x");
}
END_TEST

/* An operator has set the group back: what it will deliver again is not done. */
START_TEST(many_after_the_group_was_set_back) {
    many_begin();
    calls_command("XACK #jobs:interactive workers 1-0 2-0 3-0 4-0 5-0");
    calls_command("XGROUP SETID #jobs:interactive workers 2-0");
    many_complete("6789abcdef");
    many_left("2 3 4 5 16 17 18 19 20");
    calls_expect("claim", "", "w2 1 0 0 0 0 0 15000", "* 0 [] i3-0 1 0 x");
}
END_TEST

/* Somebody else's group, which has seen more than the workers, says nothing of what is done. */
START_TEST(many_beside_another_group) {
    many_begin();
    calls_command("XADD #jobs:interactive 21-0 job x");
    calls_command("XADD #jobs:interactive 22-0 job x");
    calls_want("XGROUP CREATE #jobs:interactive audit 22-0", "OK");
    many_complete("123456789abcdefghijk");
    many_left("21 22");
    const char *oldest =
        strstr(calls_function("status", "", ""), "oldest_ms "); /* of interactive */
    ck_assert_ptr_nonnull(oldest);
    ck_assert_msg(strncmp(oldest, "oldest_ms 0", 11) != 0, "%s", oldest);
}
END_TEST

/* Halves of an id that numbers in Lua do not hold. */
START_TEST(many_with_large_ids) {
    for (int i = 100; i < 120; i++)
        calls_command(
            calls_line("XADD #jobs:interactive 9007199254740993-18446744073709550%d job x", i));
    calls_function("claim", "", "w1 20 0 0 0 0 0 15000");
    char keys[1024] = "", args[2048] = "w1";
    for (int i = 100; i < 112; i++) {
        sprintf(keys + strlen(keys), "%sresult:r%d", i > 100 ? " " : "", i);
        sprintf(args + strlen(args), " i9007199254740993-18446744073709550%d 1,0,verify:ok,1 R ~",
                i);
    }
    calls_expect("complete", keys, args, "ok ok ok ok ok ok ok ok ok ok ok ok");
    calls_want("XLEN #jobs:interactive", "8");
}
END_TEST

static void many_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, many_in_order);
    tcase_add_test(tests, many_around_one_that_is_held);
    tcase_add_test(tests, many_in_no_order);
    tcase_add_test(tests, many_of_two_workers);
    tcase_add_test(tests, many_keep_what_waits);
    tcase_add_test(tests, many_after_the_group_was_set_back);
    tcase_add_test(tests, many_beside_another_group);
    tcase_add_test(tests, many_with_large_ids);
}

int main(void) {
    return suite_run("functions_many", many_tests, 60);
}
