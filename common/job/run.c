/* SPDX-License-Identifier: MIT */
/*
 * The table of kinds, and the one place where a simulation meets its deadline: before each tick the
 * pace asks env->order, so a budget or a cancellation holds to one tick.
 */
#include "run.h"

#include "mem.h"
#include "run_kind.h"

static run_kind_fn *const run_kinds[JOB_KINDS] = {
    [JOB_VERIFY] = run_verify,
    [JOB_SESSION_CREATE] = run_session_create,
    [JOB_SESSION_STEP] = run_session_step,
    [JOB_SESSION_PARAMS] = run_session_params,
    [JOB_SWEEP] = run_sweep,
};

static bool run_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    struct run_pace *pace = context;
    if (pace->ring)
        ring_add(pace->ring, sim->tick, metrics);
    if (pace->result && sim->tick > 0 && sim->tick % JOB_CHECKPOINT_TICKS == 0)
        pace->result->checkpoint[pace->result->checkpoint_count++] = sim_hash(sim);
    uint64_t done = pace->before + (sim->tick - pace->start);
    if (pace->env->order && done < pace->total)
        pace->order = pace->env->order(pace->env->context, done, pace->total);
    return pace->order == RUN_ON;
}

enum run_order run_simulate(struct run_pace *pace, struct sim *sim, uint32_t until,
                            const struct sim_changes *changes) {
    struct sim_watch watch = {run_look, pace, pace->ring != NULL};
    pace->start = sim->tick;
    pace->order = RUN_ON;
    sim_run(sim, pace->env->engine, until, changes, &watch);
    return pace->order;
}

int run_stopped(const struct job *job, enum run_order order, const char *what, uint64_t asked,
                uint64_t fits, struct fault *fault) {
    if (order == RUN_CANCELLED)
        return fault_set(fault, FAULT_CANCELLED, "", "cancelled on request");
    fault_set(fault, FAULT_BUDGET_EXCEEDED, what, "%s %llu does not fit into %u ms: %llu did", what,
              (unsigned long long)asked, job->budget_ms, (unsigned long long)fits);
    fault->fits = fits;
    if (fits > 0)
        fault_advise(fault, "lower %s to %llu", what, (unsigned long long)fits);
    else
        fault_advise(fault, "raise budget_ms (at most %u)", JOB_BUDGET_MS);
    return -1;
}

struct ring *run_new_ring(struct fault *fault) {
    struct ring *ring = mem_alloc(sizeof *ring);
    if (ring)
        ring->empty = true;
    else
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the ring of metrics");
    return ring;
}

void run_job(const struct job *job, const struct run_env *env, struct result *result) {
    struct fault fault = {0};
    result_init(result, job);
    if (run_kinds[job->kind](job, env, result, &fault) != 0)
        result_fail(result, &fault);
}
