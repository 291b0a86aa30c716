/* SPDX-License-Identifier: MIT */
/*
 * A worker whose nth allocation fails, from its start to its end, over a script of jobs; for n as
 * far as there are allocations, the first ones all, then every few. This program is also the
 * worker, so that the product needs no switch for it. One failure: the worker says that it cannot
 * start, or does every job of the script. All later ones too: it lives, and ends when it is told
 * to. Whatever happened to the workers, each job has one result in the end.
 */
#include "client.h"
#include "cpus.h"
#include "log.h"
#include "mem.h"
#include "suite.h"
#include "worker.h"
#include "worker_process.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
    MOST = 5000,     /* allocations of a worker that does the script */
    STEPS_ALL = 60,  /* so many are tried one by one */
    STEPS_PART = 10, /* then each step is this part of what was */
    HOPELESS = 12,   /* workers all of whose allocations fail from some point on */
    WAIT_MS = 20000,
    LOOK_MS = 2,
};

#define VARIABLE "TORTURE"
#define OPTIONS "--slots 2 --lease 2 --name t"
#define SESSION "{'v':1,'id':'first','kind':'session.create','params':{'birds':10}}"

/* --- the worker ---------------------------------------------------------------------------------
 */

static void tell_failures(void) {
    (void)fprintf(stderr, "torture: %u failed\n", mem_failures());
}

static int run_worker(int argc, char **argv) {
    struct settings settings;
    char why[256];
    unsigned nth = 0;
    int after = 0;
    const char *torture = getenv(VARIABLE);
    if (torture)
        (void)sscanf(torture, "%u %d", &nth, &after);
    if (settings_read(&settings, argc, argv, cpus_usable(), why, sizeof why) != SETTINGS_GO)
        return 2;
    (void)atexit(tell_failures);
    log_setup(settings.log_level, settings.log_format);
    mem_fail(nth, after);
    return worker_run(&settings);
}

/* --- the script ---------------------------------------------------------------------------------
 */

static struct redis_server server;
static struct client client;
static char session[JOB_ID_MAX + 1];
static unsigned jobs; /* added so far: r0, r1, ... */

static void add(enum job_lane lane, const char *fields) {
    char json[512];
    (void)snprintf(json, sizeof json, "{'v':1,'id':'r%u','reply_to':'me',%s}", jobs++, fields);
    client_add(&client, lane, json);
}

static void add_script(void) {
    char step[160], params[200];
    (void)snprintf(step, sizeof step, "'kind':'session.step','session':'%s','ticks':2", session);
    (void)snprintf(params, sizeof params,
                   "'kind':'session.params','session':'%s','params':{'weights':{'cohesion':0.1}}",
                   session);
    add(JOB_INTERACTIVE, "'kind':'verify','seed':1,'at_tick':3,'ring':true,'params':{'birds':10},"
                         "'changes':[{'tick':1,'params':{'weights':{'cohesion':1}}}]");
    add(JOB_INTERACTIVE, "'kind':'session.create','params':{'birds':10}");
    add(JOB_INTERACTIVE, step);
    add(JOB_INTERACTIVE, params);
    add(JOB_BATCH, "'kind':'sweep','seeds':[1,2],'ticks':3,'params':{'birds':10}");
    add(JOB_BATCH, "'kind':'verify','seed':1,'at_tick':0");
}

static unsigned answered(void) {
    return (unsigned)atoi(client_ask(&client, "LLEN flock:{main}:reply:me"));
}

static void launch(struct worker_process *worker, unsigned nth, int after) {
    char torture[32];
    (void)snprintf(torture, sizeof torture, "%u %d", nth, after);
    ck_assert_int_eq(setenv(VARIABLE, torture, 1), 0);
    worker_process_launch(worker, &server, OPTIONS);
}

/* How it ended: 0, or 3 with a word about why. */
static int end(struct worker_process *worker, unsigned nth) {
    int code = worker_process_wait(worker);
    ck_assert_msg(code == 0 || code == 3, "allocation %u: exit status %d, see %s", nth, code,
                  worker->log);
    if (code == 3)
        ck_assert_msg(worker_process_said(worker, "susurration-worker: ", "memory"),
                      "allocation %u: not a word in %s", nth, worker->log);
    return code;
}

static bool has_ended(const struct worker_process *worker) {
    siginfo_t info = {.si_pid = 0};
    ck_assert_int_eq(waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    return info.si_pid != 0;
}

/* --- one failure --------------------------------------------------------------------------------
 */

/* Whether there were so many allocations. */
static bool torture(unsigned nth) {
    struct worker_process worker;
    add_script();
    ck_assert_str_eq(client_ask(&client, "FUNCTION FLUSH"), "OK");
    launch(&worker, nth, 0);
    unsigned waited = 0;
    while (answered() < jobs && !has_ended(&worker) && waited < WAIT_MS) {
        worker_process_pause(LOOK_MS);
        waited += LOOK_MS;
    }
    ck_assert_msg(waited < WAIT_MS, "allocation %u: %u of %u jobs are done, see %s", nth,
                  answered(), jobs, worker.log);
    if (!has_ended(&worker))
        worker_process_signal(&worker, SIGTERM);
    else
        ck_assert_msg(answered() < jobs, "allocation %u: it ended by itself", nth);
    (void)end(&worker, nth);
    return !worker_process_said(&worker, "torture: 0 failed", "");
}

START_TEST(worker_with_one_failure) {
    unsigned nth = 1;
    while (nth < MOST && torture(nth))
        nth += nth < STEPS_ALL ? 1 : nth / STEPS_PART;
    ck_assert_uint_gt(nth, STEPS_ALL);
    ck_assert_uint_lt(nth, MOST);
}
END_TEST

/* --- no memory any more -------------------------------------------------------------------------
 */

START_TEST(workers_without_memory) {
    struct worker_process worker[HOPELESS];
    for (unsigned i = 0; i < HOPELESS; i++) {
        add_script();
        launch(&worker[i], 1 + i * i * 2, 1);
    }
    for (unsigned i = 0; i < HOPELESS; i++) /* before that no signal is waited for */
        while (!has_ended(&worker[i]) && !worker_process_said(&worker[i], "starting", ""))
            worker_process_pause(LOOK_MS);
    worker_process_pause(300);
    for (int times = 0; times < 2; times++) { /* the second time: at once */
        for (unsigned i = 0; i < HOPELESS; i++)
            if (!has_ended(&worker[i]))
                worker_process_signal(&worker[i], SIGTERM);
        worker_process_pause(100);
    }
    for (unsigned i = 0; i < HOPELESS; i++)
        (void)end(&worker[i], 1 + i * i * 2);
}
END_TEST

/* --- before and after ---------------------------------------------------------------------------
 */

static void setup(void) {
    struct worker_process worker;
    struct result result;
    redis_server_start(&server, false, NULL);
    client_open(&client, &server);
    worker_process_program("/proc/self/exe");
    ck_assert_str_eq(client_ask(&client, "HSET flock:{main}:config max_lost 100"), "1");
    launch(&worker, 0, 0);
    client_run(&client, JOB_INTERACTIVE, SESSION, "first", &result);
    ck_assert_int_eq(result.status, RESULT_OK);
    memcpy(session, result.session->id, sizeof session);
    result_release(&result);
    worker_process_stop(&worker);
}

/* A healthy worker does the rest, and nothing is left over. */
static void teardown(void) {
    struct worker_process worker;
    char id[16], all[16];
    launch(&worker, 0, 0);
    worker_process_until_ready(&worker);
    (void)snprintf(all, sizeof all, "%u", jobs);
    client_until(&client, "0", "XLEN flock:{main}:jobs:interactive");
    client_until(&client, "0", "XLEN flock:{main}:jobs:batch");
    for (unsigned i = 0; i < jobs; i++) {
        struct result result;
        (void)snprintf(id, sizeof id, "r%u", i);
        client_result(&client, id, &result);
        ck_assert_msg(result.status == RESULT_OK || result.fault.code == FAULT_NO_MEMORY ||
                          result.fault.code == FAULT_OUT_OF_RANGE,
                      "%s: %s", id, result.fault.message);
        result_release(&result);
    }
    client_until(&client, all, "LLEN flock:{main}:reply:me");
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:dead"), "0");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats duplicate"), "(nil)");
    worker_process_stop(&worker);
    client_close(&client);
    redis_server_remove(&server);
}

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, worker_with_one_failure);
    tcase_add_test(tests, workers_without_memory);
}

int main(int argc, char **argv) {
    return argc > 1 ? run_worker(argc, argv) : suite_run("worker_torture", add_tests, 120);
}
