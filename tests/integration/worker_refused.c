/* SPDX-License-Identifier: MIT */
/*
 * A Redis that is there and will not serve: what its operator reads (once) and what /readyz says,
 * and that the worker keeps what it has finished and goes on when it is over.
 */
#include "program.h"
#include "suite.h"
#include "worker_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* On a connection of its own. */
static void tell(const char *command) {
    char reply[64];
    redis_server_ask(&server, command, reply, sizeof reply);
    ck_assert_msg(reply[0] != '-', "%s: %s", command, reply);
}

static void begin_long_job(unsigned budget_ms) {
    char job[160];
    (void)snprintf(job, sizeof job, "{'v':1,'id':'a','reply_to':'me','budget_ms':%u," LONG_JOB "}",
                   budget_ms);
    client_add(&client, JOB_BATCH, job);
    client_until(&client, "1", "HLEN flock:{main}:running");
}

/* --- for a while ------------------------------------------------------------------------------ */

static void become_a_replica(void) {
    tell("REPLICAOF 127.0.0.1 1");
}

static void become_a_master(void) {
    tell("REPLICAOF NO ONE");
}

static void want_replicas(void) {
    tell("CONFIG SET min-replicas-to-write 1");
}

static void want_no_replicas(void) {
    tell("CONFIG SET min-replicas-to-write 0");
}

static char dump[128];

/* A directory stands where the dump is to go. */
static void fail_to_save(void) {
    (void)snprintf(dump, sizeof dump, "%s/dump.rdb", server.dir);
    ck_assert_int_eq(mkdir(dump, 0700), 0);
    tell("CONFIG SET save \"3600 1\"");
    tell("BGSAVE");
    redis_server_until(&server, "SET saved no", "-MISCONF");
}

static void save_nothing(void) {
    tell("CONFIG SET save \"\"");
    ck_assert_int_eq(rmdir(dump), 0);
}

static struct link_answers busy;

static void run_a_script(void) {
    tell("CONFIG SET busy-reply-threshold 50");
    ck_assert_int_eq(link_probe_send(&client.probe, &busy, 60000, "EVAL repeat\tuntil\tfalse 0"),
                     0);
    link_probe_run(&client.probe, 100);
}

static void kill_the_script(void) {
    tell("SCRIPT KILL");
    link_probe_until(&client.probe, &busy.count, 1);
}

static void admit_nobody(void) {
    client_ask(&client, "CONFIG SET maxclients 1");
    client_ask(&client, "CLIENT KILL TYPE normal SKIPME yes");
}

static void admit_many(void) {
    client_ask(&client, "CONFIG SET maxclients 1000");
}

static const struct {
    void (*begin)(void), (*end)(void);
    const char *says;
} refusals[] = {
    {become_a_replica, become_a_master, "READONLY You can't write against a read only replica"},
    {want_replicas, want_no_replicas, "NOREPLICAS Not enough good replicas to write"},
    {fail_to_save, save_nothing, "MISCONF Redis is configured to save RDB snapshots"},
    {run_a_script, kill_the_script, "BUSY Redis is busy running a script"},
    {admit_nobody, admit_many, "ERR max number of clients reached"},
};

START_TEST(refused_for_a_while) {
    enum { LINES = 4 }; /* at most, however often it tries */
    char answer[1024];
    begin_long_job(1000);
    unsigned before = worker_process_lines(&worker);
    refusals[_i].begin();
    worker_process_answers(&worker, "/readyz", 503, refusals[_i].says);
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/healthz", answer, sizeof answer), 200);
    worker_process_pause(700); /* the job ends in the meantime */
    worker_process_answers(&worker, "/readyz", 503, refusals[_i].says);
    ck_assert(worker_process_said(&worker, "level=warning", refusals[_i].says));
    ck_assert_uint_le(worker_process_lines(&worker) - before, LINES);
    ck_assert(!worker_process_said(&worker, "job done", ""));
    refusals[_i].end();
    client_expect(&client, "a", RESULT_REJECTED);
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'b'," SHORT_JOB "}");
    client_expect(&client, "b", RESULT_OK);
    worker_process_until_ready(&worker);
}
END_TEST

/* --- without memory --------------------------------------------------------------------------- */

/* What drains the queue goes on, what fills it is told why it may not. */
START_TEST(refused_only_what_fills_when_memory_is_short) {
    char line[256], id[16];
    struct program program;
    client_ask(&client, "HSET flock:{main}:config paused 1");
    for (int i = 0; i < 8; i++) {
        (void)snprintf(line, sizeof line, "{'v':1,'id':'j%d'," SHORT_JOB "}", i);
        client_add(&client, i % 2 ? JOB_BATCH : JOB_INTERACTIVE, line);
    }
    tell("CONFIG SET maxmemory 1");
    client_ask(&client, "HDEL flock:{main}:config paused");
    for (int i = 0; i < 8; i++) {
        (void)snprintf(id, sizeof id, "j%d", i);
        client_expect(&client, id, RESULT_OK);
    }
    (void)snprintf(line, sizeof line, "verify --wait 2 --redis %s", server.url);
    program_run_line(&program, "susurration", line);
    tell("CONFIG SET maxmemory 0");
    ck_assert_int_eq(program.code, 3);
    ck_assert_msg(strstr(program.err, "OOM "), "%s", program.err);
    program_release(&program);
    worker_process_until_ready(&worker);
}
END_TEST

/* --- things taken away ------------------------------------------------------------------------ */

static void expect_new_jobs(void) {
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'b'," SHORT_JOB "}");
    client_expect(&client, "b", RESULT_OK);
    client_add(&client, JOB_BATCH, "{'v':1,'id':'c'," SHORT_JOB "}");
    client_expect(&client, "c", RESULT_OK);
    worker_process_until_ready(&worker);
}

/* The new group begins at the first entry, so the job comes once more. */
START_TEST(refused_without_the_group) {
    begin_long_job(1000);
    tell("XGROUP DESTROY flock:{main}:jobs:batch workers");
    tell("XGROUP DESTROY flock:{main}:jobs:interactive workers");
    client_expect(&client, "a", RESULT_REJECTED);
    expect_new_jobs();
    client_until(&client, "0", "XLEN flock:{main}:jobs:batch");
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
}
END_TEST

START_TEST(refused_without_the_functions) {
    begin_long_job(1000);
    tell("FUNCTION FLUSH");
    client_expect(&client, "a", RESULT_REJECTED);
    expect_new_jobs();
    ck_assert(worker_process_said(&worker, "loaded the Redis functions", ""));
}
END_TEST

/* The job is gone, and with it the reason to run it. */
START_TEST(refused_without_any_key) {
    begin_long_job(10000);
    tell("FLUSHALL");
    worker_process_expect(&worker, "job lost", "job=a");
    expect_new_jobs();
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a"), "0");
    client_until(&client, "0", "HLEN flock:{main}:running");
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, "--slots 1 --lease 2");
    tcase_add_loop_test(tests, refused_for_a_while, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tests, refused_only_what_fills_when_memory_is_short);
    tcase_add_test(tests, refused_without_the_group);
    tcase_add_test(tests, refused_without_the_functions);
    tcase_add_test(tests, refused_without_any_key);
}

int main(void) {
    return suite_run("worker_refused", add, 60);
}
