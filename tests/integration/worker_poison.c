/* SPDX-License-Identifier: MIT */
/*
 * Jobs that kill their worker. This program is also the worker: with options it runs one as main.c
 * does, but every call of run_job comes here first (the linker's --wrap), and a job whose note says
 * so aborts the process, before any beat could tell of its start.
 */
#include "client.h"
#include "cpus.h"
#include "log.h"
#include "run.h"
#include "suite.h"
#include "worker.h"
#include "worker_process.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

void __real_run_job(const struct job *job, const struct run_env *env, struct result *result);
void __wrap_run_job(const struct job *job, const struct run_env *env, struct result *result);

void __wrap_run_job(const struct job *job, const struct run_env *env, struct result *result) {
    if (strcmp(job->note, "poison") == 0)
        abort();
    __real_run_job(job, env, result);
}

static int run_worker(int argc, char **argv) {
    struct settings settings;
    char why[256];
    if (settings_read(&settings, argc, argv, cpus_usable(), why, sizeof why) != SETTINGS_GO)
        return 2;
    log_setup(settings.log_level, settings.log_format);
    return worker_run(&settings);
}

enum { WORKERS = 3, JOBS = 16, POISON = 4, MAX_LOST = 3 };

static struct redis_server server;
static struct client client;
static struct worker_process worker[WORKERS];

static void start(struct worker_process *one) {
    worker_process_launch(one, &server, "--slots 3 --lease 2");
}

/* Long enough that those beside the poison are in the middle of it. */
static void add_jobs(void) {
    char job[256];
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(job, sizeof job,
                       "{'v':1,'id':'j%d','kind':'verify','seed':1,'params':{'birds':400},"
                       "'at_tick':400,'store':false,'reply_to':'me','note':'%s'}",
                       i, i == POISON ? "poison" : "");
        client_add(&client, i % 2 ? JOB_INTERACTIVE : JOB_BATCH, job);
    }
}

/* Starts each again that dies, until every job is answered; how many have died. */
static int keep_them_running(void) {
    int deaths = 0;
    for (int i = 0; i < 6000; i++) {
        for (int w = 0; w < WORKERS; w++)
            if (worker_process_died(&worker[w], SIGABRT)) {
                deaths++;
                start(&worker[w]);
            }
        if (atoi(client_ask(&client, "LLEN flock:{main}:reply:me")) >= JOBS)
            return deaths;
        worker_process_pause(5);
    }
    ck_abort_msg("not all jobs are answered after %d deaths", deaths);
}

START_TEST(poison_takes_no_innocent_with_it) {
    char id[16];
    struct result result;
    client_ask(&client, "HSET flock:{main}:config paused 1");
    add_jobs();
    for (int w = 0; w < WORKERS; w++)
        start(&worker[w]);
    for (int w = 0; w < WORKERS; w++)
        worker_process_until_ready(&worker[w]);
    client_ask(&client, "HDEL flock:{main}:config paused");
    ck_assert_int_eq(keep_them_running(), MAX_LOST);
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(id, sizeof id, "j%d", i);
        client_result(&client, id, &result);
        ck_assert_msg(result.status == (i == POISON ? RESULT_FAILED : RESULT_OK), "%s: %s", id,
                      result.fault.message);
        ck_assert_int_eq(result.fault.code, i == POISON ? FAULT_WORKER_LOST : FAULT_NONE);
        result_release(&result);
    }
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "16");
    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:dead"), "1");
    client_until(&client, "0", "XLEN flock:{main}:jobs:batch");
    client_until(&client, "0", "XLEN flock:{main}:jobs:interactive");
    /* The poison three times, and those who ran beside it the first time: once each. */
    int reclaimed = atoi(client_ask(&client, "HGET flock:{main}:stats reclaimed"));
    ck_assert_int_gt(reclaimed, MAX_LOST);
    ck_assert_int_lt(reclaimed, MAX_LOST + 4);
    for (int w = 0; w < WORKERS; w++)
        worker_process_stop(&worker[w]);
}
END_TEST

static void setup(void) {
    redis_server_start(&server, false, NULL);
    client_open(&client, &server);
    worker_process_program("/proc/self/exe");
}

static void teardown(void) {
    client_close(&client);
    redis_server_remove(&server);
}

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, poison_takes_no_innocent_with_it);
}

int main(int argc, char **argv) {
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    return argc > 1 ? run_worker(argc, argv) : suite_run("worker_poison", add, 90);
}
