/* SPDX-License-Identifier: MIT */
/* Adding jobs: idempotence, limits, and what must match. */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* $1 to $4 are jobs with the ids a to d, $5 is one without, 9 bytes each with id. */
static void enqueue_begin(void) {
    static const char *const id[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        calls_set_job(1 + i, id[i], NULL, NULL, NULL);
    calls_set_job(5, NULL, "verify", NULL, NULL);
}

#define ENQUEUE_JOB_SIZE "9"

static const char *enqueue_ref(const char *id) {
    char line[64];
    snprintf(line, sizeof line, "HGET #ids %s", id);
    return calls_command(line);
}

START_TEST(enqueue_adds_to_its_lane) {
    enqueue_begin();
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    calls_expect("enqueue", "result:b result:c", "batch b $2 c $3", "queued b* queued b*");
    calls_want("XLEN #jobs:interactive", "1");
    calls_want("XLEN #jobs:batch", "2");
    calls_want("HGET #stats bytes_waiting", "27");
    char line[128];
    snprintf(line, sizeof line, "XRANGE #jobs:interactive %s +", enqueue_ref("a") + 1);
    calls_want(line, "[* [job *]]");
}
END_TEST

START_TEST(enqueue_twice_is_one_job) {
    char args[128];
    enqueue_begin();
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    const char *ref = enqueue_ref("a");
    snprintf(args, sizeof args, "waiting %s", ref);
    calls_expect("enqueue", "result:a", "batch a $1", args);
    calls_expect("claim", "", "w1 1 1 0 1 0 0 15000", "* 0 [] i* 1 1 *");
    calls_expect("enqueue", "result:a", "interactive a $1", args); /* held, not started */
    snprintf(args, sizeof args, "w1 5000 W %s 1 1 P", ref);
    calls_expect("beat", "worker:w1", args, "*");
    snprintf(args, sizeof args, "running %s", ref);
    calls_expect("enqueue", "result:a", "interactive a $1", args);
    snprintf(args, sizeof args, "w1 %s 1", ref);
    calls_expect("release", "", args, "ok");
    snprintf(args, sizeof args, "waiting %s", ref);
    calls_expect("enqueue", "result:a", "interactive a $1", args);
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    snprintf(args, sizeof args, "w1 %s 1,0,verify:ok," ENQUEUE_JOB_SIZE " R ~", ref);
    calls_expect("complete", "result:a", args, "ok");
    calls_expect("enqueue", "result:a", "interactive a $1", "done ");
    calls_want("XLEN #jobs:interactive", "0");
    calls_want("HGET #stats bytes_waiting", "0");
    calls_want("DEL #result:a", "1");
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
}
END_TEST

START_TEST(enqueue_twice_in_one_call) {
    char want[256];
    enqueue_begin();
    calls_expect("enqueue", "result:a", "batch a $1", "queued b*");
    const char *a = enqueue_ref("a");
    const char *reply =
        calls_function("enqueue", "result:b result:a result:b", "interactive b $2 a $1 b $2");
    snprintf(want, sizeof want, "queued %s waiting %s waiting %s", enqueue_ref("b"), a,
             enqueue_ref("b"));
    ck_assert_str_eq(reply, want);
    calls_want("HGET #stats bytes_waiting", "18");
}
END_TEST

START_TEST(enqueue_nameless_has_its_entrys_id) {
    char line[128];
    enqueue_begin();
    calls_expect("enqueue", "", "interactive ~ $5 ~ $5", "queued i* queued i*");
    calls_want("HLEN #ids", "2");
    /* The other lane's next id is one that is taken: it must step over it. */
    calls_want("FLUSHALL", "OK");
    long long now = atoll(calls_command("TIME")) * 1000 + 3600000;
    for (int seq = 1; seq <= 2; seq++) {
        snprintf(line, sizeof line, "HSET #ids %lld-%d b%lld-%d", now, seq, now, seq);
        calls_want(line, "1");
    }
    snprintf(line, sizeof line, "XADD #jobs:interactive %lld-0 job J", now);
    calls_want(line, "*");
    snprintf(line, sizeof line, "queued i%lld-3", now);
    calls_expect("enqueue", "", "interactive ~ $5", line);
    calls_want("XLEN #jobs:interactive", "2");
}
END_TEST

START_TEST(enqueue_mixes_named_and_nameless) {
    enqueue_begin();
    calls_want("SET #result:b R", "OK");
    calls_expect("enqueue", "result:a result:b", "interactive ~ $5 a $1 ~ $5 b $2",
                 "queued i* queued i* queued i* done ");
}
END_TEST

START_TEST(enqueue_full_by_count) {
    enqueue_begin();
    calls_want("HSET #config max_jobs 3", "1");
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    calls_want("XADD #jobs:batch 1-0 job J", "1-0");
    calls_expect("enqueue", "result:b result:c", "batch b $2 c $3",
                 "!QUEUEFULL 2 jobs are queued and 2 more were given; max_jobs is 3");
    calls_want("HLEN #ids", "1"); /* all or none */
    calls_expect("enqueue", "result:b result:a", "batch b $2 a $1", "queued b* waiting i*");
    calls_expect("enqueue", "result:c", "batch c $3",
                 "!QUEUEFULL 3 jobs are queued and 1 more were given; max_jobs is 3");
    calls_expect("enqueue", "result:a", "batch a $1", "waiting i*"); /* known ones are answered */
    calls_want("HSET #config max_jobs 0", "0");
    calls_expect("enqueue", "", "batch ~ $5",
                 "!QUEUEFULL 3 jobs are queued and 1 more were given; max_jobs is 0");
}
END_TEST

START_TEST(enqueue_full_by_bytes) {
    enqueue_begin();
    calls_want("HSET #config max_bytes 20", "1");
    calls_expect("enqueue", "result:a result:b", "interactive a $1 b $2", "queued i* queued i*");
    calls_expect("enqueue", "result:c", "batch c $3",
                 "!QUEUEFULL 18 bytes of jobs are queued and 9 more were given; max_bytes is 20");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
    char args[128];
    snprintf(args, sizeof args, "w1 %s 1,0,verify:ok," ENQUEUE_JOB_SIZE " R ~", enqueue_ref("a"));
    calls_expect("complete", "result:a", args, "ok");
    calls_expect("enqueue", "result:c", "batch c $3", "queued b*");
}
END_TEST

START_TEST(enqueue_job_too_big) {
    enqueue_begin();
    calls_want("HSET #config max_job_bytes 8", "1");
    calls_expect("enqueue", "result:a", "interactive a $1",
                 "!JOBTOOBIG job \"a\" has 9 bytes; max_job_bytes is 8");
    calls_want("EXISTS #ids #stats #jobs:interactive", "0");
}
END_TEST

START_TEST(enqueue_default_limit_of_a_job) {
    static char big[1048577];
    calls_set(6, big, sizeof big - 1);
    calls_set(7, big, sizeof big);
    calls_expect("enqueue", "", "interactive ~ $6", "queued i*");
    calls_expect("enqueue", "", "interactive ~ $7",
                 "!JOBTOOBIG job \"\" has 1048577 bytes; max_job_bytes is 1048576");
}
END_TEST

/* Fields of config that are no whole numbers are as good as absent. */
START_TEST(enqueue_ignores_nonsense_in_config) {
    static const char *const value[] = {"", "x", "-1", "1.5", "nan", "inf", "1e99", "0x", "~"};
    char line[64];
    enqueue_begin();
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        snprintf(line, sizeof line, "HSET #config max_jobs %s max_bytes %s max_job_bytes %s",
                 value[i], value[i], value[i]);
        ck_assert_ptr_nonnull(calls_command(line));
        calls_want("HSET #config what ever", i == 0 ? "1" : "0");
        calls_want("DEL #jobs:interactive", i == 0 ? "0" : "1");
        calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    }
}
END_TEST

/* Where somebody removes entries by hand, ids and bytes must not stay for ever. */
START_TEST(enqueue_heals_what_was_removed_by_hand) {
    enqueue_begin();
    calls_expect("enqueue", "result:a result:b", "interactive a $1 b $2", "queued i* queued i*");
    char line[128];
    snprintf(line, sizeof line, "XDEL #jobs:interactive %s", enqueue_ref("a") + 1);
    calls_want(line, "1");
    calls_expect("enqueue", "result:a", "interactive a $1", "queued i*");
    calls_want("XTRIM #jobs:interactive MAXLEN 0", "2");
    calls_expect("enqueue", "result:c", "interactive c $3", "queued i*");
    calls_want("HLEN #ids", "1");
    calls_want("HGET #stats bytes_waiting", ENQUEUE_JOB_SIZE);
}
END_TEST

/* A thousand jobs in one call, and no more. */
START_TEST(enqueue_many) {
    static char keys[32 * 1001], args[64 * 1001];
    size_t key_at = 0, arg_at = (size_t)snprintf(args, sizeof args, "batch");
    calls_set_job(5, NULL, NULL, NULL, NULL);
    for (int i = 0; i < 1000; i++) {
        char job[32] = "\x81\xa2id\xa5"
                       "j";
        snprintf(job + 6, sizeof job - 6, "%04d", i);
        key_at += (size_t)snprintf(keys + key_at, sizeof keys - key_at, "%sresult:j%04d",
                                   i > 0 ? " " : "", i);
        arg_at += (size_t)snprintf(args + arg_at, sizeof args - arg_at, " j%04d %s", i, job);
    }
    const char *reply = calls_function("enqueue", keys, args);
    ck_assert_int_eq(strncmp(reply, "queued b", 8), 0);
    calls_want("XLEN #jobs:batch", "1000");
    calls_want("HLEN #ids", "1000");
    reply = calls_function("enqueue", keys, args);
    ck_assert_int_eq(strncmp(reply, "waiting b", 9), 0);
    snprintf(args + arg_at, sizeof args - arg_at, " ~ $5");
    calls_expect("enqueue", keys, args,
                 "!ERR expected 1 arguments and then 1 to 1000 times 2, got 2003 script: "
                 "susurration_v1_enqueue, on @user_function:*");
}
END_TEST

static void enqueue_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, enqueue_adds_to_its_lane);
    tcase_add_test(tests, enqueue_twice_is_one_job);
    tcase_add_test(tests, enqueue_twice_in_one_call);
    tcase_add_test(tests, enqueue_nameless_has_its_entrys_id);
    tcase_add_test(tests, enqueue_mixes_named_and_nameless);
    tcase_add_test(tests, enqueue_full_by_count);
    tcase_add_test(tests, enqueue_full_by_bytes);
    tcase_add_test(tests, enqueue_job_too_big);
    tcase_add_test(tests, enqueue_default_limit_of_a_job);
    tcase_add_test(tests, enqueue_ignores_nonsense_in_config);
    tcase_add_test(tests, enqueue_heals_what_was_removed_by_hand);
    tcase_add_test(tests, enqueue_many);
}

int main(void) {
    return suite_run("functions_enqueue", enqueue_tests, 60);
}
