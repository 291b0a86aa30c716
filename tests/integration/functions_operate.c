/* SPDX-License-Identifier: MIT */
/* What clients and operators ask: cancel, find, bury, requeue, purge, status, version. Results that
 * Redis itself writes are read with the codec that everybody uses. */
#include "calls.h"
#include "result.h"
#include "suite.h"
#include "wire.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define OPERATE_TRACE "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

/* Job a (reply_to r) in $1, b in $2, one without id in $3. */
static void operate_begin(void) {
    calls_set_job(1, "a", "verify", "r", OPERATE_TRACE);
    calls_set_job(2, "b", "sweep", NULL, NULL);
    calls_set_job(3, NULL, "verify", NULL, NULL);
}

/* The result of that id as Redis holds it; fails the test where it is not a legal one. */
static void operate_result(const char *id, struct result *result) {
    redisReply *reply = redisCommand(calls_redis(), "GET flock:{main}:result:%s", id);
    ck_assert(reply && reply->type == REDIS_REPLY_STRING);
    ck_assert_int_eq(wire_decode_result(reply->str, (size_t)reply->len, result), 0);
    ck_assert_str_eq(result->id, id);
    freeReplyObject(reply);
}

START_TEST(cancel_waiting) {
    struct result result;
    operate_begin();
    calls_expect("enqueue", "result:a", "batch a $1", "queued b*");
    calls_expect("find", "result:a", "a", "waiting b* nil");
    calls_expect("cancel", "result:a", "a", "cancelled");
    calls_expect("find", "result:a", "a", "done  nil");
    operate_result("a", &result);
    ck_assert_int_eq(result.status, RESULT_CANCELLED);
    ck_assert_int_eq(result.fault.code, FAULT_CANCELLED);
    ck_assert_int_eq(result.kind, JOB_VERIFY);
    ck_assert_str_eq(result.traceparent, OPERATE_TRACE);
    ck_assert_str_eq(calls_command("LRANGE #reply:r 0 -1"), calls_command("GET #result:a"));
    calls_want("XLEN #jobs:batch", "0");
    calls_want("EXISTS #ids #cancelled #running", "0");
    calls_want("HMGET #stats cancelled bytes_waiting", "1 0");
    calls_expect("cancel", "result:a", "a", "done");
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 []");
}
END_TEST

START_TEST(cancel_running) {
    operate_begin();
    calls_expect("enqueue", "result:a result:b", "interactive a $1 b $2", "queued i* queued i*");
    const char *a = calls_command("HGET #ids a"), *b = calls_command("HGET #ids b");
    calls_expect("claim", "", "w1 1 0 0 1 0 0 15000", "* 0 [] i* 1 0 * i* 1 1 *");
    calls_expect("cancel", "result:a", "a", "cancelling");
    calls_expect("cancel", "result:b", "b", "cancelling"); /* held as next: it may have started */
    calls_expect("cancel", "result:a", "a", "cancelling");
    calls_want("EXISTS #result:a #result:b", "0");
    calls_expect("beat", "worker:w1", calls_line("w1 5000 W %s 1 1 P %s 1 0 P", a, b),
                 calls_line("* %s cancelled %s cancelled", a, b));
    /* The run may have ended before it was told: what it did counts. */
    calls_expect("complete", "result:a result:b",
                 calls_line("w1 %s 1,0,verify:ok,92 R ~ %s 1,0,sweep:cancelled,19 R ~", a, b),
                 "ok ok");
    calls_want("EXISTS #cancelled #running #ids", "0");
}
END_TEST

/* Its worker died with the news: whoever claims it gives the answer, and runs it no more. */
START_TEST(cancel_running_and_lost) {
    struct result result;
    operate_begin();
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    const char *a = calls_command("HGET #ids a");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    calls_expect("cancel", "result:a", "a", "cancelling");
    calls_age(a, "w1");
    calls_expect("claim", "", "w2 1 0 0 0 0 1 15000", "* 0 []");
    operate_result("a", &result);
    ck_assert_int_eq(result.status, RESULT_CANCELLED);
    calls_want("EXISTS #cancelled #running #ids", "0");
    calls_want("LLEN #reply:r", "1");
}
END_TEST

START_TEST(cancel_released) {
    operate_begin();
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    const char *a = calls_command("HGET #ids a");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    calls_expect("cancel", "result:a", "a", "cancelling");
    calls_expect("release", "", calls_line("w1 %s 1", a), "ok");
    calls_expect("find", "result:a", "a", "waiting i* nil");
    calls_expect("cancel", "result:a", "a", "cancelled");
    calls_want("EXISTS #result:a #cancelled", "1");
}
END_TEST

START_TEST(cancel_by_every_name) {
    operate_begin();
    calls_want("XADD #jobs:interactive 1-0 job $1", "1-0"); /* a, by plain XADD */
    calls_want("XADD #jobs:interactive 2-0 job $3", "2-0"); /* nameless */
    calls_want("XADD #jobs:batch 3-0 job $2", "3-0");       /* b */
    calls_want("XADD #jobs:batch 4-0 bird 1", "4-0");       /* no job at all */
    calls_expect("cancel", "result:a", "a", "unknown");     /* not seen yet by anybody */
    calls_expect("cancel", "result:b3-0", "b3-0", "cancelled");
    calls_want("EXISTS #result:b", "1");
    calls_expect("cancel", "result:2-0", "2-0", "cancelled");
    calls_expect("cancel", "result:4-0", "4-0", "cancelled");
    calls_want("EXISTS #result:2-0 #result:4-0", "2");
    /* Running: its worker says which id it has. */
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 *");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 $1", "*");
    calls_expect("find", "result:a", "a", "running i1-0 *");
    calls_expect("cancel", "result:a", "a", "cancelling");
    calls_want("SMEMBERS #cancelled", "i1-0");
}
END_TEST

START_TEST(cancel_never_hits_another_job) {
    operate_begin();
    calls_want("XADD #jobs:interactive 1-0 job $1", "1-0");
    calls_want("XADD #jobs:batch 1-0 job $2", "1-0");
    calls_want("XADD #jobs:batch 2-0 job $3", "2-0");
    calls_expect("cancel", "result:1-0", "1-0", "unknown"); /* both have ids of their own */
    calls_expect("cancel", "result:i2-0", "i2-0", "unknown");
    calls_expect("cancel", "result:2-1", "2-1", "unknown");
    calls_want("HSET #ids gone b9-0", "1");
    calls_expect("cancel", "result:gone", "gone", "unknown");
    calls_want("SET #result:b R", "OK");
    calls_expect("cancel", "result:b", "b", "done");
    calls_expect("cancel", "result:b1-0", "b1-0", "cancelled");
    calls_want("GET #result:b", "R"); /* the first result stands */
    calls_want("SET #result:a R", "OK");
    calls_expect("cancel", "result:i1-0", "i1-0", "cancelled");
    calls_want("EXISTS #reply:r", "0"); /* nor is there a second reply */
    calls_want("XLEN #jobs:interactive", "0");
    calls_want("XLEN #jobs:batch", "1");
}
END_TEST

/* --- dead letters -------------------------------------------------------------------------------
 */

static void operate_lose(const char *ref, int times) {
    char from[32] = "w0", line[64];
    ck_assert_str_ne(calls_function("claim", "", "w0 1 0 0 0 0 0 15000"), "");
    for (int i = 1; i <= times; i++) {
        calls_age(ref, from);
        snprintf(line, sizeof line, "w%d 1 0 0 0 0 1 15000", i);
        ck_assert_str_ne(calls_function("claim", "", line), "");
        snprintf(line, sizeof line, "w%d 5000 W %s %d 1 P", i, ref, i + 1);
        snprintf(from, sizeof from, "worker:w%d", i);
        ck_assert_str_ne(calls_function("beat", from, line), "");
        snprintf(from, sizeof from, "w%d", i);
    }
}

START_TEST(bury_after_three_losses) {
    struct result result;
    operate_begin();
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    operate_lose(calls_command("HGET #ids a"), 3);
    operate_result("a", &result);
    ck_assert_int_eq(result.status, RESULT_FAILED);
    ck_assert_int_eq(result.fault.code, FAULT_WORKER_LOST);
    ck_assert_str_eq(result.fault.message, "3 workers were lost while they ran this job");
    ck_assert_str_ne(result.fault.advice, "");
    ck_assert_str_eq(result.worker, "w2");
    calls_want("LLEN #reply:r", "1");
    calls_want("XRANGE #dead - +", "[* [ref i* id a job * reason worker_lost losses 3 worker w2]]");
    calls_want("XPENDING #jobs:interactive workers", "0 nil nil nil");
    calls_want("EXISTS #ids #running #cancelled", "0");
    calls_want("XLEN #jobs:interactive", "0");
    calls_want("HGET #stats bytes_waiting", "0");
    calls_expect("complete", "result:a", "w2 i1-0 3,0,verify:ok,1 R ~", "lost");
}
END_TEST

START_TEST(bury_max_lost_from_config) {
    operate_begin();
    calls_want("HSET #config max_lost 1", "1");
    calls_want("XADD #jobs:batch 1-0 job $3", "1-0");
    operate_lose("b1-0", 1);
    calls_want("XRANGE #dead - +",
               "[* [ref b1-0 id 1-0 job * reason worker_lost losses 1 worker w0]]");
    calls_want("EXISTS #result:1-0", "1");
}
END_TEST

START_TEST(bury_by_hand) {
    struct result result;
    operate_begin();
    calls_want("XADD #jobs:batch 1-0 job $2", "1-0");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] b1-0 1 0 *");
    calls_expect("bury", "", "b1-0 why w1 2", "lost");
    calls_expect("bury", "", "b1-0 why w2 1", "lost");
    calls_expect("bury", "", "i1-0 why ~ 0", "unknown");
    calls_expect("bury", "", "b1-0 why w1 1", "buried");
    operate_result("b", &result);
    ck_assert_int_eq(result.status, RESULT_FAILED);
    ck_assert_int_eq(result.fault.code, FAULT_BURIED);
    ck_assert_str_eq(result.fault.message, "why");
    calls_want("XRANGE #dead - +", "[* [ref b1-0 id b job * reason why losses 0 worker w1]]");
    calls_want("XADD #jobs:batch 2-0 job $3", "2-0"); /* waiting, by an operator */
    calls_expect("bury", "", "b2-0 ~ ~ 0", "buried");
    calls_want("EXISTS #result:2-0", "1");
    calls_want("XLEN #dead", "2");
    calls_expect("complete", "result:b", "w1 b1-0 1,0,sweep:ok,1 R ~", "lost");
}
END_TEST

START_TEST(bury_keeps_the_latest_dead) {
    char line[64];
    operate_begin();
    calls_want("HSET #config dead_max 2", "1");
    for (int i = 1; i <= 3; i++) {
        snprintf(line, sizeof line, "XADD #jobs:batch %d-0 job $3", i);
        ck_assert_str_ne(calls_command(line), "");
        snprintf(line, sizeof line, "b%d-0 why ~ 0", i);
        calls_expect("bury", "", line, "buried");
    }
    calls_want("XLEN #dead", "2");
}
END_TEST

static const char *operate_dead_id(int index) {
    static char id[2][64];
    char *out = id[index];
    ck_assert_int_eq(
        sscanf(calls_command(index ? "XREVRANGE #dead + - COUNT 1" : "XRANGE #dead - + COUNT 1"),
               "[%63s", out),
        1);
    return out;
}

START_TEST(requeue_runs_it_again) {
    operate_begin();
    calls_expect("enqueue", "result:a", "batch a $1", "queued b*");
    calls_want("XADD #jobs:interactive 1-0 job $3", "1-0");
    calls_expect("bury", "", calls_line("%s why ~ 0", calls_command("HGET #ids a")), "buried");
    calls_expect("bury", "", "i1-0 why ~ 0", "buried");
    calls_want("HGET #stats bytes_waiting", "0");
    calls_expect("requeue", "", calls_line("%s 5-5 %s", operate_dead_id(0), operate_dead_id(1)),
                 "queued b* unknown  queued i*");
    calls_want("EXISTS #result:a", "0");
    calls_want("XLEN #dead", "0");
    calls_want("HLEN #ids", "2");
    calls_want("HGET #stats requeued", "2");
    calls_expect("find", "result:a", "a", "waiting b* nil");
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 [] i* 1 0 * b* 1 0 *");
    calls_expect("complete", "result:a",
                 calls_line("w1 %s 1,0,verify:ok,92 R ~", calls_command("HGET #ids a")), "ok");
}
END_TEST

/* Somebody has asked for the job again since: no second run beside it, no good result is lost. */
START_TEST(requeue_beside_the_same_job) {
    operate_begin();
    calls_want("XADD #jobs:batch 1-0 job $1", "1-0");
    calls_expect("bury", "", "b1-0 why ~ 0", "buried");
    calls_want("DEL #result:a", "1");
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    const char *dead = operate_dead_id(0), *a = calls_command("HGET #ids a");
    calls_expect("requeue", "", dead, calls_line("waiting %s", a));
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    calls_set(4, "\x82\xa1v\x01\xa6status\xa2ok", 15);
    calls_expect("complete", "result:a", calls_line("w1 %s 1,0,verify:ok,92 $4 ~", a), "ok");
    calls_expect("requeue", "", dead, "done ");
    calls_want("EXISTS #result:a", "1");
    calls_want("XLEN #dead", "1");
    calls_want("XLEN #jobs:batch", "0");
}
END_TEST

START_TEST(purge_drops_dead_letters) {
    char line[64];
    operate_begin();
    for (int i = 1; i <= 3; i++) {
        snprintf(line, sizeof line, "XADD #jobs:batch %d-0 job $3", i);
        ck_assert_str_ne(calls_command(line), "");
        snprintf(line, sizeof line, "b%d-0 why ~ 0", i);
        calls_expect("bury", "", line, "buried");
    }
    calls_expect("purge", "", calls_line("%s 5-5", operate_dead_id(0)), "1");
    calls_want("XLEN #dead", "2");
    calls_expect("purge", "", "all", "2");
    calls_expect("purge", "", "all", "0");
    calls_want("EXISTS #dead", "0");
}
END_TEST

/* --- reading ------------------------------------------------------------------------------------
 */

START_TEST(status_of_nothing) {
    calls_expect("status", "", "",
                 "version 1 server_ms * paused 0 "
                 "interactive [length 0 waiting 0 running 0 next 0 released 0 oldest_ms 0] "
                 "batch [length 0 waiting 0 running 0 next 0 released 0 oldest_ms 0] "
                 "dead 0 traces 0 stats [] config [] workers [] running []");
}
END_TEST

START_TEST(status_of_a_busy_queue) {
    for (int i = 1; i <= 5; i++)
        ck_assert_str_ne(calls_command("XADD #jobs:interactive * job J"), "");
    calls_want("XADD #jobs:batch 1-0 job J", "1-0");
    calls_want("XADD #jobs:batch 2-0 job J", "2-0");
    calls_expect("claim", "", "w1 2 0 1 2 7 0 15000",
                 "* 0 [] b1-0 1 0 J i* 1 0 J b2-0 1 1 J i* 1 1 J");
    calls_expect("release", "", "w1 b2-0 1", "ok");
    calls_expect("beat", "worker:w1", "w1 5000 about b1-0 1 1 half", "*");
    calls_want("HSET #config paused 1", "1");
    calls_want("XADD #dead * a b", "*");
    calls_expect("status", "", "",
                 "version 1 server_ms * paused 1 "
                 "interactive [length 5 waiting 3 running 1 next 1 released 0 oldest_ms *] "
                 "batch [length 2 waiting 1 running 1 next 0 released 1 oldest_ms 0] "
                 "dead 1 traces 0 stats [released 1] config [paused 1] "
                 "workers [w1 * about] running [b1-0 half]");
}
END_TEST

START_TEST(reading_functions_are_read_only) {
    calls_want("FCALL_RO susurration_v1_version 0", "1");
    calls_want("FCALL_RO susurration_v1_find 11 #jobs:interactive #jobs:batch #ids #running "
               "#cancelled #workers #dead #stats #config #traces #result:a a",
               "unknown  nil");
    calls_want("FCALL_RO susurration_v1_purge 10 #jobs:interactive #jobs:batch #ids #running "
               "#cancelled #workers #dead #stats #config #traces all",
               "!ERR Can not execute a script with write flag using * command.");
}
END_TEST

/* Out of memory, nothing more is taken in, and what drains the queue goes on. */
START_TEST(oom_refuses_only_what_fills) {
    operate_begin();
    calls_expect("enqueue", "result:a result:b", "interactive a $1 b $2", "queued i* queued i*");
    const char *a = calls_command("HGET #ids a");
    calls_want("CONFIG SET maxmemory 1", "OK");
    ck_assert_int_eq(strncmp(calls_function("enqueue", "", "interactive ~ $3"), "!OOM ", 5), 0);
    ck_assert_int_eq(strncmp(calls_function("requeue", "", "1-0"), "!OOM ", 5), 0);
    calls_expect("claim", "", "w1 1 0 0 0 0 1 15000", "* 0 [] i* 1 0 *");
    calls_expect("beat", "worker:w1", calls_line("w1 5000 W %s 1 1 P", a), "*");
    calls_expect("complete", "result:a reply:r", calls_line("w1 %s 1,12,verify:ok,92 R ~", a),
                 "ok");
    calls_expect("cancel", "result:b", "b", "cancelled");
    ck_assert_int_eq(strncmp(calls_function("status", "", ""), "version 1 ", 10), 0);
    calls_want("CONFIG SET maxmemory 0", "OK");
}
END_TEST

static void operate_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, cancel_waiting);
    tcase_add_test(tests, cancel_running);
    tcase_add_test(tests, cancel_running_and_lost);
    tcase_add_test(tests, cancel_released);
    tcase_add_test(tests, cancel_by_every_name);
    tcase_add_test(tests, cancel_never_hits_another_job);
    tcase_add_test(tests, bury_after_three_losses);
    tcase_add_test(tests, bury_max_lost_from_config);
    tcase_add_test(tests, bury_by_hand);
    tcase_add_test(tests, bury_keeps_the_latest_dead);
    tcase_add_test(tests, requeue_runs_it_again);
    tcase_add_test(tests, requeue_beside_the_same_job);
    tcase_add_test(tests, purge_drops_dead_letters);
    tcase_add_test(tests, status_of_nothing);
    tcase_add_test(tests, status_of_a_busy_queue);
    tcase_add_test(tests, reading_functions_are_read_only);
    tcase_add_test(tests, oom_refuses_only_what_fills);
}

int main(void) {
    return suite_run("functions_operate", operate_tests, 60);
}
