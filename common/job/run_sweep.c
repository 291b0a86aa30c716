/* SPDX-License-Identifier: MIT */
/* A sweep: the same run for many seeds, one after the other, a row each. */
#include "run_kind.h"

#include "mem.h"

int run_sweep(const struct job *job, const struct run_env *env, struct result *result,
              struct fault *fault) {
    uint32_t count = job->seeds.count;
    result->row = mem_zero(count, sizeof *result->row);
    if (!result->row)
        return fault_set(fault, FAULT_NO_MEMORY, "", "no memory for %u rows", count);
    struct run_pace pace = {.env = env, .total = (uint64_t)count * job->ticks};
    struct sim_changes changes = {job->change, job->change_count};
    struct sim sim;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seed = job->seeds.list ? job->seeds.list[i] : job->seeds.first + i;
        sim_init(&sim, job->model, seed, &job->params);
        enum run_order order = run_simulate(&pace, &sim, job->ticks, &changes);
        if (order != RUN_ON)
            return run_stopped(job, order, "seeds", count, i, fault);
        pace.before += job->ticks;
        struct result_sweep_row *row = &result->row[i];
        row->seed = seed;
        row->state_hash = sim_hash(&sim);
        sim_measure(&sim, env->engine, &row->metrics);
    }
    result->row_count = count;
    return 0;
}
