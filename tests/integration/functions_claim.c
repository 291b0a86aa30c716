/* SPDX-License-Identifier: MIT */
/* Who gets which entry, in which order, and how. Entries are added by plain XADD under ids of our
 * choice; slots are `claim worker slots busy_i busy_b prefetch turn reclaim lease`. */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void claim_add(const char *ref, const char *job) {
    char line[256];
    snprintf(line, sizeof line, "XADD #jobs:%s %s job %s", ref[0] == 'i' ? "interactive" : "batch",
             ref + 1, job);
    calls_want(line, ref + 1);
}

START_TEST(claim_gives_interactive_first) {
    claim_add("b1-0", "B1");
    claim_add("b2-0", "B2");
    claim_add("i1-0", "I1");
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 I1 b1-0 1 0 B1");
    calls_expect("claim", "", "w1 2 1 1 0 0 0 15000", "* 0 []");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
    ck_assert_str_eq(calls_pending("b1-0"), "w1 1");
    ck_assert_str_eq(calls_pending("b2-0"), "");
}
END_TEST

static void claim_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, claim_gives_interactive_first);
}

int main(void) {
    return suite_run("functions_claim", claim_tests, 60);
}
