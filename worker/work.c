/* SPDX-License-Identifier: MIT */
/*
 * The budget is wall clock and begins with the first run; runs after a lost compare-and-set use
 * what is left of it. Clock, cancel and abandon are looked at every tick, each by one load and a
 * comparison. Encoding happens here too, so that the loop never spends its time on a big result,
 * and the result itself (with its ring and rows) is freed before the slot takes the next job.
 */
#include "work.h"

#include "run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define WORK_MS INT64_C(1000000)

struct work_run {
    struct held *held;
    int64_t (*now_ns)(void);
};

static enum run_order work_order(void *context, uint64_t done, uint64_t total) {
    struct work_run *run = context;
    struct held *held = run->held;
    atomic_store_explicit(&held->done, done, memory_order_relaxed);
    atomic_store_explicit(&held->total, total, memory_order_relaxed);
    if (atomic_load_explicit(&held->order, memory_order_relaxed) != HELD_GO_ON)
        return RUN_CANCELLED;
    return run->now_ns() >= held->deadline_ns ? RUN_OUT_OF_BUDGET : RUN_ON;
}

/* --- the result as bytes ---------------------------------------------------------------------- */

static int work_encode_session(struct held *held, const struct result *result) {
    struct queue_outcome *outcome = &held->outcome;
    if (!result->session)
        return 0;
    memcpy(outcome->session, result->session->id, sizeof outcome->session);
    outcome->expect_revision = held->expect_revision;
    outcome->tick = result->session->sim.tick;
    return wire_encode_session(result->session, &outcome->body);
}

static int work_encode_trace(struct held *held, const struct result *result, int64_t wall_ms) {
    struct queue_outcome *outcome = &held->outcome;
    memcpy(outcome->trace, result->trace, sizeof outcome->trace);
    if (!result->trace[0])
        return 0;
    return wire_encode_trace(&held->job, result, wall_ms, &outcome->trace_body);
}

/*
 * A session's ring has its id, and is named even when nothing is added: its life is renewed with
 * the session's. A claim's ring has the id of its trace, without which nobody could find it.
 */
static int work_encode_ring(struct held *held, const struct result *result) {
    struct queue_outcome *outcome = &held->outcome;
    if (result->session)
        memcpy(outcome->ring, result->session->id, sizeof outcome->ring);
    else if (result->ring)
        memcpy(outcome->ring, result->trace, sizeof outcome->ring);
    if (!result->ring || !outcome->ring[0])
        return 0;
    return wire_encode_ring(result->ring, outcome->piece, &outcome->pieces);
}

static int work_encode(struct held *held, const struct result *result, int64_t wall_ms) {
    int code = wire_encode_result(result, &held->outcome.result);
    if (code == 0 && result->status == RESULT_OK)
        code = work_encode_session(held, result);
    if (code == 0 && result->status == RESULT_OK)
        code = work_encode_trace(held, result, wall_ms);
    if (code == 0 && result->status == RESULT_OK)
        code = work_encode_ring(held, result);
    return code;
}

static void work_forget_effects(struct queue_outcome *outcome) {
    queue_outcome_release(outcome);
    outcome->session[0] = outcome->ring[0] = outcome->trace[0] = '\0';
}

static void work_name(const struct work *work, struct held *held, struct result *result) {
    (void)snprintf(result->worker, sizeof result->worker, "%s", work->worker);
    (void)snprintf(result->engine_version, sizeof result->engine_version, "%s",
                   SUSURRATION_VERSION);
    (void)snprintf(result->engine_isa, sizeof result->engine_isa, "%s", work->engine->isa);
    result->run_ms = (double)held->run_ns / (double)WORK_MS;
}

/* What is left when there is no memory for the result: the same without anything big. */
static void work_encode_small(const struct work *work, struct held *held, struct result *result) {
    struct fault fault = {0};
    fault_set(&fault, FAULT_NO_MEMORY, "", "the worker has no memory for the result");
    result_fail(result, &fault);
    work_name(work, held, result);
    work_forget_effects(&held->outcome);
    if (wire_encode_result(result, &held->outcome.result) != 0)
        held->end = HELD_HAND_BACK;
}

static void work_finish(const struct work *work, struct held *held, struct result *result,
                        int64_t wall_ms) {
    struct queue_outcome *outcome = &held->outcome;
    work_name(work, held, result);
    work_forget_effects(outcome);
    held->end = HELD_COMPLETE;
    if (work_encode(held, result, wall_ms) != 0)
        work_encode_small(work, held, result);
    memcpy(outcome->id, result->id, sizeof outcome->id);
    memcpy(outcome->reply_to, held->job.reply_to, sizeof outcome->reply_to);
    outcome->kind = result->kind == JOB_KINDS ? "unknown" : job_kind_name(result->kind);
    outcome->status = result_status_name(result->status);
    held->status = result->status;
    held->fault = result->fault.code;
    memcpy(held->message, result->fault.message, sizeof held->message);
}

void work_reject(const struct work *work, struct held *held, const struct fault *fault) {
    struct result result;
    result_init(&result, &held->job);
    result_fail(&result, fault);
    result.queued_ms = (uint64_t)held->queued_ms;
    work_finish(work, held, &result, 0);
    result_release(&result);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* 128 random bits as 32 hexadecimal digits: ids must not be guessable, they open sessions. */
static void work_fresh_id(char id[JOB_ID_MAX + 1]) {
    unsigned char random[16];
    ssize_t got = getrandom(random, sizeof random, 0);
    assert(got == (ssize_t)sizeof random); /* up to 256 bytes it is never interrupted */
    for (size_t i = 0; i < sizeof random; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", random[i]);
}

static void work_fresh(const struct held *held, struct run_env *env) {
    const struct job *job = &held->job;
    if (job->kind == JOB_SESSION_CREATE || (job->kind == JOB_VERIFY && job->store))
        work_fresh_id(env->fresh_id);
    if (job->kind == JOB_SESSION_CREATE && !job->has_seed) {
        ssize_t got = getrandom(&env->fresh_seed, sizeof env->fresh_seed, 0);
        assert(got == (ssize_t)sizeof env->fresh_seed);
    }
}

/* Sets *fault: the budget went into runs that others' writes have made void. */
static int work_lost_race(const struct job *job, struct fault *fault) {
    return fault_set(fault, FAULT_SESSION_CONFLICT, "session",
                     "session %s was changed by others for all of the %u ms", job->session,
                     job->budget_ms);
}

/* Sets *fault for a job that must not start (any more). */
static int work_check_start(const struct held *held, int64_t now_ns, struct fault *fault) {
    const struct job *job = &held->job;
    if (held->deadline_ns > 0) /* it has run before, and lost a compare-and-set */
        return now_ns < held->deadline_ns ? 0 : work_lost_race(job, fault);
    if (job->ttl_ms > 0 && held->fresh && held->queued_ms > (int64_t)job->ttl_ms)
        return fault_set(fault, FAULT_EXPIRED, "ttl_ms", "not started within %u ms, but after %lld",
                         job->ttl_ms, (long long)held->queued_ms);
    return 0;
}

void work_run(const struct work *work, struct held *held, int64_t (*now_ns)(void)) {
    struct work_run run = {held, now_ns};
    struct run_env env = {
        .engine = work->engine, .order = work_order, .context = &run, .session = held->session};
    int64_t start_ns = now_ns();
    struct fault fault = {0};
    bool again = held->deadline_ns > 0;
    if (!again)
        held->queued_ms += (start_ns - held->claimed_ns) / WORK_MS;
    if (work_check_start(held, start_ns, &fault) != 0) {
        work_reject(work, held, &fault);
        return;
    }
    if (!again)
        held->deadline_ns = start_ns + held->job.budget_ms * WORK_MS;
    struct result result;
    work_fresh(held, &env);
    run_job(&held->job, &env, &result);
    if (again && result.fault.code == FAULT_BUDGET_EXCEEDED) {
        work_lost_race(&held->job, &fault);
        result_fail(&result, &fault);
    }
    held->run_ns += now_ns() - start_ns;
    result.queued_ms = (uint64_t)held->queued_ms;
    if (atomic_load(&held->order) == HELD_ABANDON && result.status == RESULT_CANCELLED)
        held->end = HELD_HAND_BACK;
    else
        work_finish(work, held, &result, held->server_ms + (now_ns() - held->claimed_ns) / WORK_MS);
    result_release(&result);
}
