/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What the runners of the kinds share; private to common/job. A runner fills *result (initialised,
 * status ok); on a fault it returns -1 with *fault set, and run_job makes the result of it.
 */
#include "run.h"

typedef int run_kind_fn(const struct job *job, const struct run_env *env, struct result *result,
                        struct fault *fault);

run_kind_fn run_verify, run_session_create, run_session_step, run_session_params, run_sweep;

/* Carries env->order into a simulation, and remembers what it said. */
struct run_pace {
    const struct run_env *env;
    uint64_t before, total; /* ticks of the job done before this simulation; of the whole job */
    uint32_t start;         /* tick at which this simulation began */
    enum run_order order;
    struct ring *ring;     /* gets the metrics of every tick, the first one's too; or NULL */
    struct result *result; /* gets a checkpoint every JOB_CHECKPOINT_TICKS; or NULL */
};

/* sim_run under that pace: RUN_ON when `until` was reached. */
enum run_order run_simulate(struct run_pace *pace, struct sim *sim, uint32_t until,
                            const struct sim_changes *changes);

/* Sets the fault of a run that was told to stop. `what` is the field that asked for `asked`, `fits`
 * were done. */
int run_stopped(const struct job *job, enum run_order order, const char *what, uint64_t asked,
                uint64_t fits, struct fault *fault);

/* A new ring, or NULL and *fault. */
struct ring *run_new_ring(struct fault *fault);
