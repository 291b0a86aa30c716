/* SPDX-License-Identifier: MIT */
/* Workers that die and Redis servers that go away: every job has one result in the end. */
#include "client.h"
#include "clock.h"
#include "proxy.h"
#include "suite.h"
#include "worker_process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *const append_only[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};

static struct redis_server server;
static struct worker_process first, second;
static struct client client;

static void setup(void) {
    redis_server_start(&server, false, append_only);
    client_open(&client, &server);
    worker_process_start(&first, &server, "--slots 1 --lease 2");
}

static void teardown(void) {
    client_close(&client);
    redis_server_remove(&server);
}

static void expect_status(const char *id, enum result_status status, const char *worker) {
    struct result result;
    client_result(&client, id, &result);
    ck_assert_msg(result.status == status && strstr(result.worker, worker), "%s: %s by %s: %s", id,
                  result_status_name(result.status), result.worker, result.fault.message);
    result_release(&result);
}

static void expect_nothing_left(void) {
    client_until(&client, "0", "XLEN flock:{main}:jobs:batch");
    client_until(&client, "0", "XLEN flock:{main}:jobs:interactive");
    client_until(&client, "0", "HLEN flock:{main}:running");
    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:dead"), "0");
}

/* The second worker is there all the time, and busy with nothing. */
START_TEST(worker_killed_in_the_middle_of_a_job) {
    client_add(&client, JOB_BATCH,
               "{'v':1,'id':'a','reply_to':'me','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    worker_process_start(&second, &server, "--slots 1 --lease 2 --name second");
    worker_process_kill(&first);
    expect_status("a", RESULT_REJECTED, "second");
    expect_nothing_left();
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats reclaimed"), "1");
    worker_process_stop(&second);
}
END_TEST

/* A job that was lost before runs when nothing else does, and is lost max_lost times at most. */
START_TEST(worker_killed_again_and_again) {
    client_ask(&client, "HSET flock:{main}:config max_lost 2");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'poison','budget_ms':10000," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    worker_process_kill(&first);
    worker_process_start(&second, &server, "--slots 2 --lease 2");
    client_ask(&client, "DEL flock:{main}:running");
    client_until(&client, "1", "HLEN flock:{main}:running"); /* the second has told its start */
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'innocent'," SHORT_JOB "}");
    worker_process_pause(300);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:innocent"), "0");
    worker_process_kill(&second);
    worker_process_start(&first, &server, "--slots 2 --lease 2");
    expect_status("innocent", RESULT_OK, "");
    expect_status("poison", RESULT_FAILED, "");
    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:dead"), "1");
    worker_process_stop(&first);
}
END_TEST

/* Who holds the one batch job, and which attempt that is. */
static void expect_holder(const char *name, const char *attempt) {
    static const char ask[] = "EVAL "
                              "return(redis.call('XPENDING',KEYS[1],'workers','-','+',1)[1][%d]) "
                              "1 flock:{main}:jobs:batch";
    ck_assert_ptr_nonnull(strstr(client_ask(&client, ask, 2), name));
    ck_assert_str_eq(client_ask(&client, ask, 4), attempt);
}

/* Stopped for longer than its lease: by the time it wakes up, the job is another's. It neither
 * takes the lease back nor writes a result over the newer one. */
static void stop_past_the_lease(unsigned budget_ms) {
    char job[160];
    (void)snprintf(job, sizeof job, "{'v':1,'id':'a','reply_to':'me','budget_ms':%u," LONG_JOB "}",
                   budget_ms);
    client_add(&client, JOB_BATCH, job);
    client_until(&client, "1", "HLEN flock:{main}:running");
    worker_process_start(&second, &server, "--slots 1 --lease 2 --name second");
    worker_process_signal(&first, SIGSTOP);
    worker_process_pause(100);
    client_ask(&client, "DEL flock:{main}:running");
    client_until(&client, "1", "HLEN flock:{main}:running"); /* the second's beat */
}

static void wake_up(void) {
    worker_process_signal(&first, SIGCONT);
    worker_process_expect(&first, "job lost", "job=a");
}

static void expect_one_result_of_the_second(void) {
    expect_status("a", RESULT_REJECTED, "second");
    expect_nothing_left();
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats sweep:rejected"), "1");
    worker_process_stop(&first);
    worker_process_stop(&second);
}

START_TEST(worker_stopped_past_its_lease) {
    stop_past_the_lease(3000);
    expect_holder("second", "2");
    wake_up();
    expect_holder("second", "2");
    expect_one_result_of_the_second();
}
END_TEST

/* With a result of its own in hand. */
START_TEST(worker_stopped_until_the_other_is_done) {
    stop_past_the_lease(1500);
    expect_status("a", RESULT_REJECTED, "second");
    wake_up();
    expect_one_result_of_the_second();
}
END_TEST

START_TEST(worker_outlives_a_restart_of_redis) {
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_close(&client);
    redis_server_kill(&server);
    worker_process_expect(&first, "no connection to Redis", "");
    worker_process_pause(1800); /* it ends in the meantime */
    redis_server_again(&server);
    client_join(&client, &server);
    expect_status("a", RESULT_REJECTED, "");
    worker_process_expect(&first, "job done", "job=a"); /* which it logs after the answer */
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'b'," SHORT_JOB "}");
    expect_status("b", RESULT_OK, "");
    expect_nothing_left();
    worker_process_stop(&first);
}
END_TEST

START_TEST(worker_outlives_a_frozen_redis) {
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    redis_server_freeze(&server);
    worker_process_expect(&first, "no connection to Redis", "");
    redis_server_thaw(&server);
    expect_status("a", RESULT_REJECTED, "");
    expect_nothing_left();
    worker_process_stop(&first);
}
END_TEST

/* The first, told to end while Redis is away; how many seconds it takes. */
static double end_without_redis(void) {
    int64_t start_ns = clock_now_ns();
    worker_process_stop(&first);
    return (double)(clock_now_ns() - start_ns) / 1e9;
}

/* With a job in hand it waits for as long as its drain may take, and a little for Redis. */
START_TEST(worker_ends_in_time_without_redis) {
    worker_process_stop(&first);
    worker_process_start(&first, &server, "--slots 1 --drain-timeout 1");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':10000," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_close(&client);
    redis_server_kill(&server);
    worker_process_expect(&first, "no connection to Redis", "");
    double took_s = end_without_redis();
    ck_assert_msg(took_s > 1 && took_s < 5, "%.2f s", took_s);
    ck_assert(worker_process_said(&first, "ending with jobs that another worker will take over",
                                  "jobs=1"));
    redis_server_again(&server);
    client_join(&client, &server);
}
END_TEST

START_TEST(worker_ends_at_once_while_it_connects) {
    worker_process_stop(&first);
    redis_server_freeze(&server);
    worker_process_launch(&first, &server, "");
    worker_process_answers(&first, "/readyz", 503, "");
    double took_s = end_without_redis();
    ck_assert_msg(took_s < 1, "%.2f s", took_s);
    redis_server_thaw(&server);
}
END_TEST

static double metric(const char *name) {
    static char answer[16384];
    char line[64];
    ck_assert_int_eq(worker_process_http(&first, "GET", "/metrics", answer, sizeof answer), 200);
    (void)snprintf(line, sizeof line, "\n%s ", name);
    const char *at = strstr(answer, line);
    ck_assert_ptr_nonnull(at);
    return atof(at + strlen(line));
}

/* In the middle of a flood: what it holds is finished and kept, and nothing piles up. */
START_TEST(worker_keeps_little_while_redis_is_away) {
    enum { JOBS = 4000 };
    client_flood(&client, JOB_BATCH, "{'v':1,'reply_to':'me'," SHORT_JOB "}", JOBS);
    while (atoi(client_ask(&client, "LLEN flock:{main}:reply:me")) < JOBS / 8)
        worker_process_pause(1);
    client_close(&client);
    redis_server_kill(&server);
    worker_process_expect(&first, "no connection to Redis", "");
    worker_process_pause(300);
    long before_kib = worker_process_rss(&first);
    double kept = metric("susurration_results_undelivered");
    ck_assert_msg(kept < 600, "%.0f", kept);
    worker_process_pause(300);
    ck_assert(metric("susurration_jobs_running") == 0 && metric("susurration_jobs_waiting") == 0);
    ck_assert(metric("susurration_results_undelivered") == kept);
    ck_assert_int_lt(worker_process_rss(&first), before_kib + 1024);
    redis_server_again(&server);
    client_join(&client, &server);
    expect_nothing_left();
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "4000");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats verify:ok"), "4000");
    ck_assert_str_eq(client_ask(&client, "HEXISTS flock:{main}:stats reclaimed"), "0");
    worker_process_stop(&first);
}
END_TEST

/* The other side is gone without a word, while Redis and everybody else go on. */
START_TEST(worker_outlives_a_half_open_connection) {
    struct proxy proxy;
    struct redis_server behind = server;
    struct worker_process cut_off;
    worker_process_stop(&first);
    proxy_start(&proxy, server.path);
    (void)snprintf(behind.url, sizeof behind.url, "%s", proxy.url);
    worker_process_start(&cut_off, &behind, "--slots 1 --lease 2 --name first");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    proxy_freeze(&proxy);
    worker_process_start(&second, &server, "--slots 1 --lease 2 --name second");
    expect_status("a", RESULT_REJECTED, "second");
    worker_process_expect(&cut_off, "left a command without an answer", "");
    proxy_thaw(&proxy);
    worker_process_until_ready(&cut_off);
    worker_process_expect(&cut_off, "job lost", "job=a");
    worker_process_stop(&second);
    client_add(&client, JOB_BATCH, "{'v':1,'id':'b'," SHORT_JOB "}");
    expect_status("b", RESULT_OK, "first");
    expect_nothing_left();
    worker_process_stop(&cut_off);
    proxy_stop(&proxy);
}
END_TEST

/* At the same address, with other arguments. */
static void replace_redis(const char *const *extra) {
    client_close(&client);
    redis_server_kill(&server);
    server.extra = extra;
    redis_server_again(&server);
    client_join(&client, &server);
}

/* Redis is back before its data are. */
START_TEST(worker_waits_while_redis_is_loading) {
    static const char *const slow[] = {
        "--appendonly", "yes", "--key-load-delay", "300", "--loading-process-events-interval-bytes",
        "1024",         NULL};
    client_flood(&client, JOB_BATCH, "{'v':1," SHORT_JOB "}", 500);
    client_add(&client, JOB_BATCH, "{'v':1,'id':'last'," SHORT_JOB "}");
    client_until(&client, "0", "XLEN flock:{main}:jobs:batch");
    replace_redis(slow);
    worker_process_expect(&first, "no connection to Redis", "LOADING");
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    expect_status("a", RESULT_OK, "");
    worker_process_stop(&first);
}
END_TEST

/* At the same address, and it knows of nothing. */
START_TEST(worker_goes_on_with_an_empty_redis) {
    static const char *const nothing[] = {"--appendonly", "no", NULL};
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a'," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    replace_redis(nothing);
    worker_process_expect(&first, "job lost", "job=a");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'b'," SHORT_JOB "}");
    expect_status("b", RESULT_OK, "");
    expect_nothing_left();
    worker_process_stop(&first);
}
END_TEST

START_TEST(worker_loads_lost_functions_again) {
    client_ask(&client, "FUNCTION FLUSH");
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    expect_status("a", RESULT_OK, "");
    worker_process_stop(&first);
}
END_TEST

START_TEST(worker_creates_lost_streams_again) {
    client_ask(&client, "FLUSHALL");
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    expect_status("a", RESULT_OK, "");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'b'," SHORT_JOB "}");
    expect_status("b", RESULT_OK, "");
    worker_process_stop(&first);
}
END_TEST

/* All connections are cut in the middle of the work, many times. */
START_TEST(worker_outlives_cut_connections) {
    enum { JOBS = 200 };
    char job[200], id[16];
    struct result result;
    for (int i = 0; i < JOBS; i++) {
        snprintf(job, sizeof job,
                 "{'v':1,'id':'j%d','kind':'verify','seed':%d,'params':{'birds':10},'at_tick':200,"
                 "'reply_to':'me','store':false}",
                 i, i);
        client_add(&client, JOB_INTERACTIVE, job);
        if (i % 20 == 19)
            client_ask(&client, "CLIENT KILL TYPE normal SKIPME yes");
    }
    for (int i = 0; i < JOBS; i++) {
        snprintf(id, sizeof id, "j%d", i);
        client_result(&client, id, &result);
        ck_assert_int_eq(result.status, RESULT_OK);
        result_release(&result);
    }
    client_until(&client, "0", "XLEN flock:{main}:jobs:interactive");
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "200");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats verify:ok"), "200");
    worker_process_stop(&first);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, worker_killed_in_the_middle_of_a_job);
    tcase_add_test(tests, worker_killed_again_and_again);
    tcase_add_test(tests, worker_stopped_past_its_lease);
    tcase_add_test(tests, worker_stopped_until_the_other_is_done);
    tcase_add_test(tests, worker_outlives_a_restart_of_redis);
    tcase_add_test(tests, worker_outlives_a_frozen_redis);
    tcase_add_test(tests, worker_ends_in_time_without_redis);
    tcase_add_test(tests, worker_ends_at_once_while_it_connects);
    tcase_add_test(tests, worker_keeps_little_while_redis_is_away);
    tcase_add_test(tests, worker_outlives_a_half_open_connection);
    tcase_add_test(tests, worker_waits_while_redis_is_loading);
    tcase_add_test(tests, worker_goes_on_with_an_empty_redis);
    tcase_add_test(tests, worker_loads_lost_functions_again);
    tcase_add_test(tests, worker_creates_lost_streams_again);
    tcase_add_test(tests, worker_outlives_cut_connections);
}

int main(void) {
    return suite_run("worker_lost", add, 90);
}
