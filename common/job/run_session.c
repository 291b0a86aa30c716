/* SPDX-License-Identifier: MIT */
/*
 * Sessions, one job at a time. The session that comes in is never written to: the result owns a new
 * one, so that a caller whose compare-and-set was lost can read again and run again.
 */
#include "run_kind.h"

#include "mem.h"

#include <string.h>

static struct session *session_new(struct result *result, struct fault *fault) {
    result->session = mem_zero(1, sizeof *result->session);
    if (!result->session)
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the session");
    return result->session;
}

/* A deep copy of the session that the job names into the result; NULL and *fault where there is
 * none. */
static struct session *session_take(const struct job *job, const struct run_env *env,
                                    struct result *result, struct fault *fault) {
    const struct session *old = env->session;
    if (!old) {
        fault_set(fault, FAULT_SESSION_NOT_FOUND, "session", "there is no session %s",
                  job->session);
        fault_advise(fault, "sessions end 24 hours after they were last touched: create a new one");
        return NULL;
    }
    struct session *session = session_new(result, fault);
    if (!session)
        return NULL;
    *session = *old;
    session->change = NULL;
    session->change_count = 0;
    if (old->change_count == 0)
        return session;
    session->change = mem_alloc(old->change_count * sizeof *session->change);
    if (!session->change) {
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the session's changes");
        return NULL;
    }
    memcpy(session->change, old->change, old->change_count * sizeof *session->change);
    session->change_count = old->change_count;
    return session;
}

int run_session_create(const struct job *job, const struct run_env *env, struct result *result,
                       struct fault *fault) {
    struct session *session = session_new(result, fault);
    result->ring = run_new_ring(fault);
    if (!session || !result->ring)
        return -1;
    memcpy(session->id, env->fresh_id, sizeof session->id);
    session->seed = job->has_seed ? job->seed : env->fresh_seed;
    session->start = job->params;
    sim_init(&session->sim, job->model, session->seed, &job->params);
    sim_measure(&session->sim, env->engine, &session->metrics);
    ring_add(result->ring, 0, &session->metrics);
    return 0;
}

int run_session_step(const struct job *job, const struct run_env *env, struct result *result,
                     struct fault *fault) {
    struct session *session = session_take(job, env, result, fault);
    if (!session)
        return -1;
    uint32_t tick = session->sim.tick;
    if (job->has_expect_tick && job->expect_tick != tick)
        return fault_set(fault, FAULT_TICK_CONFLICT, "expect_tick",
                         "session %s is at tick %u, expect_tick is %u", session->id, tick,
                         job->expect_tick);
    if (tick > UINT32_MAX - job->ticks)
        return fault_set(fault, FAULT_OUT_OF_RANGE, "ticks",
                         "session %s is at tick %u, %u more would pass %u", session->id, tick,
                         job->ticks, UINT32_MAX);
    result->ring = run_new_ring(fault);
    if (!result->ring)
        return -1;
    struct run_pace pace = {.env = env, .total = job->ticks, .ring = result->ring};
    enum run_order order = run_simulate(&pace, &session->sim, tick + job->ticks, NULL);
    if (order != RUN_ON)
        return run_stopped(job, order, "ticks", job->ticks, session->sim.tick - tick, fault);
    session->metrics = result->ring->slot[session->sim.tick % RING_SLOTS];
    return 0;
}

int run_session_params(const struct job *job, const struct run_env *env, struct result *result,
                       struct fault *fault) {
    struct session *session = session_take(job, env, result, fault);
    if (!session)
        return -1;
    if (session->sim.model != job->model)
        return fault_set(fault, FAULT_OUT_OF_RANGE, "model", "session %s is of model %s, not %s",
                         session->id, session->sim.model->name, job->model->name);
    result->change = (struct sim_change){session->sim.tick, job->params_set, job->params};
    return session_change(session, job->params_set, &job->params, fault);
}
