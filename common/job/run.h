/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * From a job to its result, on the calling thread: what the worker's slots and the command run. It
 * sees no clock, no loop and no Redis; whoever calls brings the deadline as a function and the
 * session as a struct.
 */
#include "engine.h"
#include "result.h"

enum run_order {
    RUN_ON,
    RUN_OUT_OF_BUDGET, /* -> rejected, budget_exceeded, with what would have fitted */
    RUN_CANCELLED,     /* -> cancelled */
};

struct run_env {
    const struct engine *engine;
    /* Asked once every tick; how far the job is, in ticks of the whole job. May be NULL: always on.
     */
    enum run_order (*order)(void *context, uint64_t done, uint64_t total);
    void *context;
    struct session *session; /* session.step, .params: as read; NULL: there is none. Not modified */
    uint32_t fresh_seed;     /* for session.create without a seed */
    char fresh_id[JOB_ID_MAX + 1]; /* for what the job creates: session or trace */
};

/*
 * Runs the job and fills *result (initialised inside). Always gives a result, whatever happens.
 * `worker`, `engine_*`, `queued_ms`, `run_ms` are the caller's to fill.
 */
void run_job(const struct job *job, const struct run_env *env, struct result *result);
