/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One simulation: a plain struct that the caller owns, and what can be done with it. Nothing here
 * allocates, reads a clock or does I/O; a struct sim may be copied with =, moved, and dropped.
 *
 *   sim_init(&sim, model, seed, &params);              tick 0
 *   sim_run(&sim, engine, until, &changes, &watch);    ... until, or as far as watch allowed
 *   sim_hash(&sim)                                     the state's fingerprint
 *
 * Units: positions in field units, velocities in field units a tick (for the swarm: stage pixels).
 */
#include "model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

#define SIM_AGENTS_MAX 400u  /* birds or boids */
#define SIM_TICKS_MAX 20000u /* the highest tick a claim may name */
#define SIM_CHANGES_MAX 1000u

struct sim {
    const struct model *model;
    uint32_t count; /* agents in use, from the model's first parameter */
    uint32_t tick;
    struct sim_params params; /* those that govern the step from tick to tick + 1 */
    double x[SIM_AGENTS_MAX], y[SIM_AGENTS_MAX];
    double vx[SIM_AGENTS_MAX], vy[SIM_AGENTS_MAX];
};

/* Metrics of one state, at full precision ("Metrics" in the specification). */
struct sim_metrics {
    double polarization;           /* 0 .. 1 */
    double mean_neighbor_distance; /* NaN where the specification says null */
    uint32_t cluster_count;        /* 1 .. agents */
};

/* From `tick` on (that is, for the step from tick to tick + 1) the parameters in `set` have new
 * values. */
struct sim_change {
    uint32_t tick;
    uint32_t set; /* bit p: params.value[p] is given; never a parameter that is `fixed` */
    struct sim_params params;
};

/* Changes, ascending by tick; of two at one tick the later entry wins. Borrowed for the call. */
struct sim_changes {
    const struct sim_change *item; /* may be NULL when count is 0 */
    size_t count;
};

/*
 * Consulted once a tick, at the first tick of the run and at the last one too; returning false
 * stops the run in the state at that tick. `metrics` are those of sim->tick, or NULL when not asked
 * for.
 */
typedef bool sim_watch_fn(void *context, const struct sim *sim, const struct sim_metrics *metrics);

struct sim_watch {
    sim_watch_fn *look; /* NULL: never stops */
    void *context;
    bool metrics; /* compute metrics for each look */
};

/* Sets the state at tick 0. `params` must be complete and in range (model_check_params). */
void sim_init(struct sim *sim, const struct model *model, uint32_t seed,
              const struct sim_params *params);

/*
 * Advances to tick `until` (no-op if already there). Changes before sim->tick are taken as already
 * applied. Returns true when `until` was reached and watched, false when watch stopped it;
 * sim->tick says where.
 */
bool sim_run(struct sim *sim, const struct engine *engine, uint32_t until,
             const struct sim_changes *changes, const struct sim_watch *watch);

/* Metrics of the current state. */
void sim_measure(const struct sim *sim, const struct engine *engine, struct sim_metrics *metrics);

/* Overwrites the parameters that `set` names. */
void sim_apply(struct sim_params *params, uint32_t set, const struct sim_params *values);

/*
 * XXH64, seed 0, of x[0..count-1], then y, vx, vy, each number as little-endian binary64
 * (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
 */
uint64_t sim_hash(const struct sim *sim);
