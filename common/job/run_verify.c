/* SPDX-License-Identifier: MIT */
/* A claim: the whole run from tick 0, and what the numbers that came out say about those claimed.
 */
#include "run_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERIFY_TOLERANCE 1e-3       /* relative; "Determinism and tolerance policy" */
#define VERIFY_TOLERANCE_TICKS 200u /* beyond, a replay is indicative */

static bool verify_is_close(double ours, double claimed) {
    if (isnan(ours) || isnan(claimed))
        return isnan(ours) && isnan(claimed);
    return fabs(claimed - ours) <= VERIFY_TOLERANCE * fabs(ours);
}

static enum result_verdict verify_judge(const struct job_claimed *claimed, uint32_t at_tick,
                                        const struct result *ours) {
    if (claimed->has_hash)
        return claimed->state_hash == ours->state_hash ? VERDICT_EXACT : VERDICT_MISMATCH;
    if (!claimed->has_metrics)
        return VERDICT_NONE;
    if (at_tick > VERIFY_TOLERANCE_TICKS)
        return VERDICT_INDICATIVE;
    bool close = verify_is_close(ours->metrics.polarization, claimed->metrics.polarization) &&
                 verify_is_close(ours->metrics.cluster_count, claimed->metrics.cluster_count) &&
                 verify_is_close(ours->metrics.mean_neighbor_distance,
                                 claimed->metrics.mean_neighbor_distance);
    return close ? VERDICT_MATCH : VERDICT_MISMATCH;
}

int run_verify(const struct job *job, const struct run_env *env, struct result *result,
               struct fault *fault) {
    struct run_pace pace = {.env = env, .total = job->ticks, .result = result};
    if (job->ring && job->store) {
        pace.ring = result->ring = run_new_ring(fault);
        if (!pace.ring)
            return -1;
    }
    struct sim sim;
    struct sim_changes changes = {job->change, job->change_count};
    sim_init(&sim, job->model, job->seed, &job->params);
    enum run_order order = run_simulate(&pace, &sim, job->ticks, &changes);
    if (order != RUN_ON)
        return run_stopped(job, order, "at_tick", job->ticks, sim.tick, fault);
    result->at_tick = job->ticks;
    sim_measure(&sim, env->engine, &result->metrics);
    result->state_hash = sim_hash(&sim);
    result->verdict = verify_judge(&job->claimed, job->ticks, result);
    if (job->store && result->verdict != VERDICT_MISMATCH) {
        memcpy(result->trace, env->fresh_id, sizeof result->trace);
    } else {
        free(result->ring); /* it would lie under the trace's id, which there is not */
        result->ring = NULL;
    }
    return 0;
}
