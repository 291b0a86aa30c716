/* SPDX-License-Identifier: MIT */
#include "outlast.h"

#include "client.h"
#include "program.h"
#include "worker_process.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *outlast_url, *outlast_folder;
static char outlast_variable[300];
static const char *const outlast_env[] = {outlast_variable, NULL};
static struct worker_process outlast_worker;
static struct client outlast_client;
static unsigned outlast_jobs;

/* How many batch jobs the worker has. */
#define OUTLAST_PENDING                                                                            \
    "EVAL return(redis.call('xpending',KEYS[1],'workers')[1]) 1 flock:{main}:jobs:batch"
#define OUTLAST_SWEEP "sweep --seeds 0..99 --birds 20 --ticks 30"

/* Of a command that must succeed: what it prints. */
static void outlast_run(struct program *program, const char *line) {
    program_run_line(program, "susurration", line);
    ck_assert_msg(program->code == 0, "%s: exit %d: %s", line, program->code, program->err);
}

static void outlast_verify(void) {
    struct program program;
    program_env(outlast_env);
    outlast_run(&program, "verify --seed 42 --at-tick 500 --claim-hash 2859c10a10b68472");
    program_release(&program);
}

void outlast_begin(const char *url, const char *folder) {
    outlast_url = url;
    outlast_folder = folder;
    (void)snprintf(outlast_variable, sizeof outlast_variable, "SUSURRATION_REDIS=%s", url);
    worker_process_launch_at(&outlast_worker, url, folder, "--slots 1");
    worker_process_until_ready(&outlast_worker);
    outlast_verify();
}

static void outlast_path(char path[128]) {
    (void)snprintf(path, 128, "%s/sweep-%u.csv", outlast_folder, outlast_jobs);
}

static pid_t outlast_sweep(void) {
    char path[128], line[512];
    const char *args[32];
    size_t count = 0;
    outlast_path(path);
    (void)snprintf(line, sizeof line, OUTLAST_SWEEP " --out %s --redis %s", path, outlast_url);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        args[count++] = word;
    args[count] = NULL;
    return program_start("susurration", args);
}

static void outlast_check_sweep(pid_t sweep) {
    struct program local;
    char path[128], line[512];
    ck_assert_int_eq(program_stop(sweep, 0), 0);
    program_env(NULL);
    outlast_run(&local, OUTLAST_SWEEP);
    outlast_path(path);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    const char *at = local.out;
    for (; fgets(line, sizeof line, file); at += strlen(line))
        ck_assert_int_eq(strncmp(at, line, strlen(line)), 0);
    ck_assert_int_eq(*at, '\0');
    fclose(file);
    program_release(&local);
}

void outlast_busy(void (*event)(void)) {
    char id[16], job[160];
    (void)snprintf(id, sizeof id, "long-%u", ++outlast_jobs);
    (void)snprintf(job, sizeof job, "{'v':1,'id':'%s','budget_ms':1500," LONG_JOB "}", id);
    client_join_at(&outlast_client, outlast_url);
    client_add(&outlast_client, JOB_BATCH, job);
    client_until(&outlast_client, "1", OUTLAST_PENDING);
    pid_t sweep = outlast_sweep();
    client_until(&outlast_client, "1", "EXISTS flock:{main}:ids"); /* its jobs have come */
    ck_assert_str_eq(client_ask(&outlast_client, "HSET flock:{main}:config x 1"), "1");
    client_until(&outlast_client, "1", "WAIT 1 1000"); /* the replica has all of that */
    client_close(&outlast_client);
    event();
    client_join_at(&outlast_client, outlast_url);
    client_expect(&outlast_client, id, RESULT_REJECTED);
    client_ask(&outlast_client, "HDEL flock:{main}:config x");
    client_close(&outlast_client);
    outlast_check_sweep(sweep);
}

void outlast_idle(void (*event)(void)) {
    worker_process_pause(50);
    event();
    outlast_verify();
}

void outlast_end(void) {
    client_join_at(&outlast_client, outlast_url);
    client_until(&outlast_client, "0", "XLEN flock:{main}:jobs:batch");
    client_until(&outlast_client, "0", "XLEN flock:{main}:jobs:interactive");
    client_until(&outlast_client, "0", "HLEN flock:{main}:ids");
    client_until(&outlast_client, "0", "XLEN flock:{main}:dead");
    client_close(&outlast_client);
    ck_assert(!worker_process_said(&outlast_worker, "job lost", ""));
    worker_process_stop(&outlast_worker);
}
