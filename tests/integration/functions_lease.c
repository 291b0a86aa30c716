/* SPDX-License-Identifier: MIT */
/* Leases, fences and attempts: who may still renew, complete and release what. */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define LEASE_CLAIM "1 0 0 0 0 2 15000" /* one place, reclaim */

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
    snprintf(line, sizeof line, "w1 %s 1,12,verify:ok,21 RESULT ~", ref);
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
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 STALE ~", "lost");
    calls_expect("release", "", "w1 i1-0 1", "lost");
    ck_assert_str_eq(calls_pending("i1-0"), "w2:next 2");
    calls_want("EXISTS #result:1-0 #running", "0");
    calls_expect("complete", "result:1-0", "w2 i1-0 2,0,verify:ok,1 FRESH ~", "ok");
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 STALE ~", "lost");
    calls_want("GET #result:1-0", "FRESH");
}
END_TEST

/* The same consumer, so that only the attempt tells the old run from the new one. */
START_TEST(lease_taken_again_by_the_same_worker) {
    lease_begin();
    lease_taken("w1", "w1", "* 0 [] i1-0 2 2 J");
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 STALE ~", "lost");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P i1-0 2 1 P", "* i1-0 lost");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 2");
    calls_expect("complete", "result:1-0", "w1 i1-0 2,0,verify:ok,1 FRESH ~", "ok");
}
END_TEST

START_TEST(lease_released_does_not_count) {
    lease_begin();
    for (int i = 0; i < 5; i++) {
        calls_expect("release", "", "w1 i1-0 1", "ok");
        ck_assert_str_eq(calls_pending("i1-0"), "released 0");
        calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 STALE ~", "lost");
        calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    }
    lease_taken("w2", "w1", "* 0 [] i1-0 2 2 J");
    calls_expect("release", "", "w2 i1-0 2", "ok");
    calls_expect("claim", "", "w3 1 0 0 0 0 0 15000", "* 0 [] i1-0 2 2 J"); /* still a suspect */
}
END_TEST

START_TEST(lease_next_moves_when_it_starts) {
    calls_want("XADD #jobs:batch 1-0 job J", "1-0");
    calls_expect("claim", "", "w1 1 1 0 1 0 0 15000", "* 0 [] b1-0 1 1 J");
    calls_age("b1-0", "w1:next");
    calls_expect("beat", "worker:w1", "w1 5000 W b1-0 1 0 P", "*");
    ck_assert_str_eq(calls_pending("b1-0"), "w1:next 1");
    calls_want("EXISTS #running", "0");
    calls_expect("claim", "", "w2 " LEASE_CLAIM, "* 0 []"); /* it was renewed */
    calls_expect("beat", "worker:w1", "w1 5000 W b1-0 1 1 P", "*");
    ck_assert_str_eq(calls_pending("b1-0"), "w1 1");
    calls_want("HGETALL #running", "b1-0 P");
    calls_expect("beat", "worker:w1", "w1 5000 W b1-0 1 0 P", "*"); /* it does not go back */
    ck_assert_str_eq(calls_pending("b1-0"), "w1 1");
    calls_expect("release", "", "w1 b1-0 1", "ok");
    calls_want("EXISTS #running", "0");
}
END_TEST

/* A short job is done before any beat told of its start. */
START_TEST(lease_next_completes_without_a_beat) {
    calls_want("XADD #jobs:batch 1-0 job J", "1-0");
    calls_want("XADD #jobs:batch 2-0 job J", "2-0");
    calls_expect("claim", "", "w1 1 0 0 1 0 0 15000", "* 0 [] b1-0 1 0 J b2-0 1 1 J");
    calls_expect("complete", "result:2-0 result:1-0",
                 "w1 b2-0 1,0,verify:ok,1 R2 ~ b1-0 1,0,verify:ok,1 R1 ~", "ok ok");
    calls_want("GET #result:2-0", "R2");
    calls_want("XPENDING #jobs:batch workers", "0 nil nil nil");
}
END_TEST

/* Both lanes, both consumers, any order, some lost, one twice, one of another worker. */
START_TEST(lease_fence_of_a_mixed_call) {
    for (int i = 1; i <= 9; i++) {
        char line[64];
        snprintf(line, sizeof line, "XADD #jobs:%s %d-0 job J", i % 2 ? "interactive" : "batch", i);
        ck_assert_str_ne(calls_command(line), "");
    }
    calls_expect("claim", "", "w1 3 0 0 3 0 0 15000",
                 "* 0 [] i1-0 1 0 J i3-0 1 0 J i5-0 1 0 J i7-0 1 1 J i9-0 1 1 J b2-0 1 1 J");
    calls_expect("claim", "", "w2 1 0 0 0 0 0 15000", "* 0 [] b4-0 1 0 J");
    calls_expect("complete",
                 "result:9 result:1 result:2 result:4 result:6 result:1b result:5 result:3",
                 "w1 i9-0 1,0,verify:ok,1 R ~ i1-0 1,0,verify:ok,1 R ~ b2-0 1,0,verify:ok,1 R ~ "
                 "b4-0 1,0,verify:ok,1 R ~ b6-0 1,0,verify:ok,1 R ~ i1-0 1,0,verify:ok,1 R ~ "
                 "i5-0 2,0,verify:ok,1 R ~ i3-0 1,0,verify:ok,1 R ~",
                 "ok ok ok lost lost lost lost ok");
    calls_want("KEYS *result:*", "* * * *");
    calls_want("HGET #stats verify:ok", "4");
    calls_want("XPENDING #jobs:interactive workers", "2 5-0 7-0 [[w1 1] [w1:next 1]]");
    calls_expect("release", "", "w1 i7-0 1 b4-0 1 i5-0 2", "ok lost lost");
    calls_expect("release", "", "w1 i5-0 1 i5-0 1", "ok lost");
    calls_want("HGET #stats released", "2");
}
END_TEST

START_TEST(lease_first_result_wins) {
    calls_set_job(1, "a", NULL, NULL, NULL);
    calls_want("XADD #jobs:interactive 1-0 job $1", "1-0");
    calls_want("XADD #jobs:interactive 2-0 job $1", "2-0");
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 * i2-0 1 0 *");
    calls_expect("complete", "result:a result:a reply:r",
                 "w1 i1-0 1,13,verify:ok,9 FIRST ~ i2-0 1,13,verify:ok,9 SECOND ~", "ok duplicate");
    calls_want("GET #result:a", "FIRST");
    calls_want("LRANGE #reply:r 0 -1", "FIRST");
    calls_want("XLEN #jobs:interactive", "0");
    calls_want("HMGET #stats verify:ok duplicate", "1 1");
}
END_TEST

/* Only what came through enqueue was counted: a's 9 bytes, and not those of the other two. */
START_TEST(lease_bytes_of_what_was_counted) {
    char args[256];
    calls_set_job(1, "a", NULL, NULL, NULL);
    calls_set_job(2, "b", NULL, NULL, NULL);
    calls_want("XADD #jobs:interactive 1-0 job $2", "1-0");
    calls_want("XADD #jobs:interactive 2-0 job $2", "2-0");
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    calls_expect("claim", "", "w1 3 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 * i2-0 1 0 * i* 1 0 *");
    calls_expect("complete", "result:c", "w1 i1-0 1,0,verify:ok,9 R ~", "ok");
    calls_want("HGET #stats bytes_waiting", "9");
    snprintf(args, sizeof args, "w1 %s 1,0,verify:ok,9 R ~ i2-0 1,0,verify:ok,9 R ~",
             calls_command("HGET #ids a"));
    calls_expect("complete", "result:a result:b", args, "ok ok");
    calls_want("HGET #stats bytes_waiting", "0");
}
END_TEST

START_TEST(lease_reply_list_is_bounded) {
    static const char fill[] = "for i=1,100000 do redis.call('RPUSH',KEYS[1],i) end";
    lease_begin();
    calls_set(1, fill, strlen(fill));
    calls_want("EVAL $1 1 #reply:r", "nil");
    calls_expect("complete", "result:1-0 reply:r", "w1 i1-0 1,12,verify:ok,1 R ~", "ok");
    calls_want("LLEN #reply:r", "100000");
    calls_want("LINDEX #reply:r 0", "2"); /* the oldest went */
    calls_want("LINDEX #reply:r -1", "R");
    calls_want("HGET #stats replies_dropped", "1");
}
END_TEST

/* A client's mistake with its own list keeps no job in the queue. */
START_TEST(lease_reply_list_of_another_type) {
    lease_begin();
    calls_want("SET #reply:r text", "OK");
    calls_expect("complete", "result:1-0 reply:r", "w1 i1-0 1,12,verify:ok,1 R ~", "ok");
    calls_want("GET #result:1-0", "R");
    calls_want("GET #reply:r", "text");
    calls_want("HGET #stats replies_failed", "1");
    calls_want("XLEN #jobs:interactive", "0");
}
END_TEST

START_TEST(lease_ttl_of_results_from_config) {
    lease_begin();
    calls_want("HSET #config result_ttl 77", "1");
    calls_expect("complete", "result:1-0 reply:r", "w1 i1-0 1,12,verify:ok,1 R ~", "ok");
    calls_want("TTL #result:1-0", "77");
    calls_want("TTL #reply:r", "77");
}
END_TEST

/* w1 holds nothing, w2 does: only w1 goes, with its consumers, once both have been silent. */
START_TEST(lease_registry_forgets_the_silent) {
    lease_begin();
    calls_expect("beat", "worker:w1", "w1 5000 W", "*");
    calls_want("XADD #jobs:interactive 2-0 job J", "2-0");
    calls_expect("claim", "", "w2 1 0 0 0 0 0 15000", "* 0 [] i2-0 1 0 J");
    calls_expect("beat", "worker:w2", "w2 5000 W i2-0 1 1 P", "*");
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 R ~", "ok");
    calls_expect("beat", "worker:w3", "w3 5000 W", "*");
    calls_want("ZCARD #workers", "3");
    calls_want("ZADD #workers XX CH 1 w1 2 w2", "2");
    calls_expect("beat", "worker:w3", "w3 5000 W", "*");
    calls_want("ZRANGE #workers 0 -1", "w2 w3");
    calls_want("XGROUP DELCONSUMER #jobs:interactive workers w1", "0");
    ck_assert_str_eq(calls_pending("i2-0"), "w2 1");
}
END_TEST

/* What readers of a session call, so that it lives on; config says for how long. */
START_TEST(lease_touch_renews_what_is_read) {
    calls_want("HSET #session:s rev 1", "1");
    calls_want("SET #ring:s x EX 5", "OK");
    calls_expect("touch", "session:s ring:s session:none", "", "2");
    calls_want("TTL #session:s", "86400");
    calls_want("TTL #ring:s", "86400");
    calls_want("HSET #config session_ttl 9", "1");
    calls_expect("touch", "ring:s", "", "1");
    calls_want("TTL #ring:s", "9");
    calls_want("TTL #session:s", "86400");
}
END_TEST

/* A job of no bytes, through enqueue: 0 is subtracted, and Redis takes no -0. */
START_TEST(lease_job_of_no_bytes) {
    calls_expect("enqueue", "", "interactive ~ ~", "queued i*");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 ");
    const char *id = calls_command("HKEYS #ids");
    calls_expect("complete", calls_line("result:%s", id),
                 calls_line("w1 i%s 1,0,verify:rejected,0 R ~", id), "ok");
    calls_want("XLEN #jobs:interactive", "0");
}
END_TEST

START_TEST(lease_leave) {
    lease_begin();
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P", "*");
    calls_expect("leave", "worker:w1", "w1", "0");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
    calls_expect("release", "", "w1 i1-0 1", "ok");
    calls_expect("leave", "worker:w1", "w1", "1");
    calls_want("EXISTS #workers #worker:w1 #running", "0");
    /* One is left; Redis 7.2 and later tell more of it. */
    const char *left = calls_command("XINFO CONSUMERS #jobs:interactive workers");
    ck_assert_msg(strncmp(left, "[name released pending 1 ", 25) == 0 && !strstr(left, "] ["), "%s",
                  left);
}
END_TEST

/* After all that a queue does: streams, counters, and results that go by themselves. */
START_TEST(lease_leaves_nothing_behind) {
    calls_set_job(1, "a", NULL, "r", NULL);
    calls_set_job(2, "b", NULL, "r", NULL);
    calls_set_job(3, "c", NULL, "r", NULL);
    calls_expect("enqueue", "result:a result:b result:c", "interactive a $1 b $2 c $3",
                 "queued i* queued i* queued i*");
    calls_expect("cancel", "result:c", "c", "cancelled");
    char ref[2][64], args[512];
    snprintf(ref[0], sizeof ref[0], "%s", calls_command("HGET #ids a"));
    snprintf(ref[1], sizeof ref[1], "%s", calls_command("HGET #ids b"));
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 [] i* 1 0 * i* 1 0 *");
    calls_expect("cancel", "result:a", "a", "cancelling");
    snprintf(args, sizeof args, "w1 5000 W %s 1 1 P %s 1 1 P", ref[0], ref[1]);
    calls_expect("beat", "worker:w1", args, "* i* cancelled");
    snprintf(args, sizeof args, "w1 %s 1,13,verify:cancelled,20 R ~ %s 1,13,verify:ok,20 R ~",
             ref[0], ref[1]);
    calls_expect("complete", "result:a result:b reply:r", args, "ok ok");
    calls_expect("leave", "worker:w1", "w1", "1");
    calls_want("DEL #result:a #result:b #result:c #reply:r", "4");
    calls_want("HGET #stats bytes_waiting", "0");
    calls_want("DEL #jobs:interactive #jobs:batch #stats", "3");
    calls_want("KEYS *", "");
}
END_TEST

static void lease_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, lease_whole_life);
    tcase_add_test(tests, lease_renewed_by_beat);
    tcase_add_test(tests, lease_lost_by_a_stale_worker);
    tcase_add_test(tests, lease_taken_again_by_the_same_worker);
    tcase_add_test(tests, lease_released_does_not_count);
    tcase_add_test(tests, lease_next_moves_when_it_starts);
    tcase_add_test(tests, lease_next_completes_without_a_beat);
    tcase_add_test(tests, lease_fence_of_a_mixed_call);
    tcase_add_test(tests, lease_first_result_wins);
    tcase_add_test(tests, lease_bytes_of_what_was_counted);
    tcase_add_test(tests, lease_reply_list_is_bounded);
    tcase_add_test(tests, lease_reply_list_of_another_type);
    tcase_add_test(tests, lease_ttl_of_results_from_config);
    tcase_add_test(tests, lease_registry_forgets_the_silent);
    tcase_add_test(tests, lease_leave);
    tcase_add_test(tests, lease_touch_renews_what_is_read);
    tcase_add_test(tests, lease_job_of_no_bytes);
    tcase_add_test(tests, lease_leaves_nothing_behind);
}

int main(void) {
    return suite_run("functions_lease", lease_tests, 60);
}
