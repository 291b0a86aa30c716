/* SPDX-License-Identifier: MIT */
/* Leases, fences and attempts: who may still renew, complete and release what. */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define LEASE_CLAIM "1 0 0 0 0 1 15000" /* one place, reclaim */

/* w1 runs i1-0, attempt 1. */
static void lease_begin(void) {
    calls_want("XADD #jobs:interactive 1-0 job J", "1-0");
    calls_expect("claim", "", "w1 " LEASE_CLAIM, "* 0 [] i1-0 1 0 J");
}

static const char *lease_take(const char *worker, const char *from) {
    char line[128];
    calls_age("i1-0", from);
    snprintf(line, sizeof line, "%s " LEASE_CLAIM, worker);
    return calls_function("claim", "", line);
}

#define lease_taken(worker, from, want)                                                            \
    calls_compare(lease_take(worker, from), want, __FILE__, __LINE__)

START_TEST(lease_whole_life) {
    calls_set_job(1, "a", "verify", NULL, NULL);
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    calls_expect("claim", "", "w1 4 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    char ref[64], line[256], args[256];
    ck_assert_int_eq(sscanf(calls_command("HGET #ids a"), "%63s", ref), 1);
    snprintf(line, sizeof line, "w1 5000 about %s 1 1 half", ref);
    calls_expect("beat", "worker:w1", line, "*");
    calls_want("GET #worker:w1", "about");
    snprintf(args, sizeof args, "HGET #running %s", ref);
    calls_want(args, "half");
    snprintf(line, sizeof line, "w1 %s 1 12 verify:ok 21 RESULT ~", ref);
    calls_expect("complete", "result:a reply:r", line, "ok");
    calls_want("GET #result:a", "RESULT");
    calls_want("LRANGE #reply:r 0 -1", "RESULT");
    calls_want("HGETALL #running", "");
    calls_want("HGETALL #ids", "");
    calls_want("XLEN #jobs:interactive", "0");
    ck_assert_str_eq(calls_pending(ref), "");
    calls_want("HGET #stats verify:ok", "1");
    calls_want("HGET #stats bytes_waiting", "0");
    calls_want("TTL #result:a", "3600");
    calls_want("TTL #reply:r", "3600");
}
END_TEST

START_TEST(lease_renewed_by_beat) {
    lease_begin();
    calls_age("i1-0", "w1");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P", "*");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
    calls_expect("claim", "", "w2 " LEASE_CLAIM, "* 0 []");
}
END_TEST

START_TEST(lease_lost_by_a_stale_worker) {
    lease_begin();
    lease_taken("w2", "w1", "* 0 [] i1-0 2 2 J");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P", "* i1-0 lost");
    calls_expect("complete", "result:1-0", "w1 i1-0 1 0 verify:ok 1 STALE ~", "lost");
    calls_expect("release", "", "w1 i1-0 1", "lost");
    ck_assert_str_eq(calls_pending("i1-0"), "w2:next 2");
    calls_want("EXISTS #result:1-0 #running", "0");
    calls_expect("complete", "result:1-0", "w2 i1-0 2 0 verify:ok 1 FRESH ~", "ok");
    calls_expect("complete", "result:1-0", "w1 i1-0 1 0 verify:ok 1 STALE ~", "lost");
    calls_want("GET #result:1-0", "FRESH");
}
END_TEST

/* The same consumer, so that only the attempt tells the old run from the new one. */
START_TEST(lease_taken_again_by_the_same_worker) {
    lease_begin();
    lease_taken("w1", "w1", "* 0 [] i1-0 2 2 J");
    calls_expect("complete", "result:1-0", "w1 i1-0 1 0 verify:ok 1 STALE ~", "lost");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P i1-0 2 1 P", "* i1-0 lost");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 2");
    calls_expect("complete", "result:1-0", "w1 i1-0 2 0 verify:ok 1 FRESH ~", "ok");
}
END_TEST

START_TEST(lease_released_does_not_count) {
    lease_begin();
    for (int i = 0; i < 5; i++) {
        calls_expect("release", "", "w1 i1-0 1", "ok");
        ck_assert_str_eq(calls_pending("i1-0"), "released 0");
        calls_expect("complete", "result:1-0", "w1 i1-0 1 0 verify:ok 1 STALE ~", "lost");
        calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    }
    lease_taken("w2", "w1", "* 0 [] i1-0 2 2 J");
    calls_expect("release", "", "w2 i1-0 2", "ok");
    calls_expect("claim", "", "w3 1 0 0 0 0 0 15000", "* 0 [] i1-0 2 2 J"); /* still a suspect */
}
END_TEST

static void lease_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, lease_whole_life);
    tcase_add_test(tests, lease_renewed_by_beat);
    tcase_add_test(tests, lease_lost_by_a_stale_worker);
    tcase_add_test(tests, lease_taken_again_by_the_same_worker);
    tcase_add_test(tests, lease_released_does_not_count);
}

int main(void) {
    return suite_run("functions_lease", lease_tests, 60);
}
