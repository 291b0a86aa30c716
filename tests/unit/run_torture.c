/* SPDX-License-Identifier: MIT */
/*
 * Every kind of job with every allocation failing in turn, alone and with all later ones: the
 * result is `no_memory` and can be released (the sanitizer looks for leaks), what came in is as it
 * was, and with memory again the result is the same as ever.
 */
#include "run.h"

#include "mem.h"
#include "message.h"
#include "suite.h"
#include "wire.h"

#include <string.h>

#define MOST 20u /* allocations of one job */

static const struct {
    const char *json;
    unsigned allocations;
} torture_jobs[] = {
    {"{'v':1,'kind':'verify','seed':1,'params':{'birds':10},'at_tick':3}", 0},
    {"{'v':1,'kind':'verify','seed':1,'params':{'birds':10},'at_tick':3,'ring':true}", 1},
    {"{'v':1,'kind':'session.create','seed':1,'params':{'birds':10}}", 2},
    {"{'v':1,'kind':'session.step','session':'s','ticks':3}", 3},
    {"{'v':1,'kind':'session.params','session':'s','params':{'weights':{'cohesion':0.75}}}", 3},
    {"{'v':1,'kind':'sweep','seeds':[1,2],'params':{'birds':10},'ticks':3}", 1},
};

static struct job job;
static struct session session;
static struct mem_buffer expected; /* encode() of what comes out with memory */

static void decode(const char *json) {
    struct mem_buffer bytes = {0};
    struct fault fault;
    message_from_json(json, &bytes);
    ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, "0-1", &job, &fault), 0);
    mem_buffer_release(&bytes);
}

static void run(struct result *result) {
    struct run_env env = {.engine = &engine_reference, .fresh_id = "fresh"};
    if (job.kind == JOB_SESSION_STEP || job.kind == JOB_SESSION_PARAMS)
        env.session = &session;
    run_job(&job, &env, result);
}

/* A session with a change in its log, one tick on, so that a further one has to be added. */
static void make_session(void) {
    struct result result;
    struct fault fault = {0};
    decode("{'v':1,'kind':'session.create','seed':1,'params':{'birds':10}}");
    run(&result);
    ck_assert_int_eq(result.status, RESULT_OK);
    session = *result.session;
    result.session->change = NULL;
    result_release(&result);
    job_release(&job);
    strcpy(session.id, "s");
    ck_assert_int_eq(session_change(&session, 2, &session.sim.params, &fault), 0);
    decode("{'v':1,'kind':'session.step','session':'s','ticks':1}");
    run(&result);
    ck_assert_int_eq(result.status, RESULT_OK);
    session_release(&session);
    session = *result.session;
    result.session->change = NULL;
    result_release(&result);
    job_release(&job);
}

static void setup(void) {
    make_session();
}

static void teardown(void) {
    job_release(&job);
    session_release(&session);
    mem_buffer_release(&expected);
}

/* The result, and the session that came in, as bytes. */
static void encode(const struct result *result, struct mem_buffer *out) {
    ck_assert_int_eq(wire_encode_result(result, out), 0);
    ck_assert_int_eq(wire_encode_session(&session, out), 0);
}

/* With the nth one failing. True: it went well, since there are not so many. */
static bool torture(unsigned nth, int after) {
    struct mem_buffer got = {0};
    struct result result;
    mem_fail(nth, after);
    run(&result);
    unsigned failed = mem_failures();
    mem_fail(0, 0);
    if (failed > 0) {
        ck_assert_int_eq(result.status, RESULT_FAILED);
        ck_assert_int_eq(result.fault.code, FAULT_NO_MEMORY);
        result_release(&result);
        run(&result);
    }
    encode(&result, &got);
    result_release(&result);
    ck_assert_uint_eq(got.size, expected.size);
    ck_assert_mem_eq(got.data, expected.data, expected.size);
    mem_buffer_release(&got);
    return failed == 0;
}

START_TEST(run_without_memory) {
    struct result result;
    decode(torture_jobs[_i].json);
    run(&result);
    ck_assert_int_eq(result.status, RESULT_OK);
    encode(&result, &expected);
    result_release(&result);
    for (int after = 0; after <= 1; after++) {
        unsigned nth = 1;
        while (nth <= MOST && !torture(nth, after))
            nth++;
        ck_assert_uint_eq(nth - 1, torture_jobs[_i].allocations);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, run_without_memory, 0, sizeof torture_jobs / sizeof torture_jobs[0]);
}

int main(void) {
    return suite_run("run_torture", add, 30);
}
