/* SPDX-License-Identifier: MIT */
/*
 * The engine in a browser: what susurration.wasm exports. One flock at a time, in the module's own
 * memory, so that a page reads positions without a copy: each array is 400 binary64 from the
 * address that its function gives.
 *
 *   flock_start      (seed, birds, cohesion, alignment, separation): 1, or 0 if one is out of range
 *   flock_weights    (cohesion, alignment, separation), from this tick on: likewise
 *   flock_step       (ticks): the tick that it is at then
 *   flock_measure    () the metrics of this state, which flock_polarization() and others then give
 *   flock_hash_high  () and flock_hash_low(): the state hash, 32 bits each
 */
#include "engine.h"
#include "flock.h"

#include <stddef.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct sim flock;
static struct sim_metrics flock_metrics;

int EXPORT(flock_start)(uint32_t seed, uint32_t birds, double cohesion, double alignment,
                        double separation) {
    struct sim_params params = {{0}};
    params.value[FLOCK_BIRDS] = birds;
    params.value[FLOCK_COHESION] = cohesion;
    params.value[FLOCK_ALIGNMENT] = alignment;
    params.value[FLOCK_SEPARATION] = separation;
    if (model_check_params(&flock_model, &params) >= 0)
        return 0;
    sim_init(&flock, &flock_model, seed, &params);
    return 1;
}

int EXPORT(flock_weights)(double cohesion, double alignment, double separation) {
    struct sim_params params = flock.params;
    params.value[FLOCK_COHESION] = cohesion;
    params.value[FLOCK_ALIGNMENT] = alignment;
    params.value[FLOCK_SEPARATION] = separation;
    if (model_check_params(&flock_model, &params) >= 0)
        return 0;
    flock.params = params;
    return 1;
}

uint32_t EXPORT(flock_step)(uint32_t ticks) {
    sim_run(&flock, engine_best(), flock.tick + ticks, NULL, NULL);
    return flock.tick;
}

void EXPORT(flock_measure)(void) {
    sim_measure(&flock, engine_best(), &flock_metrics);
}

double EXPORT(flock_polarization)(void) {
    return flock_metrics.polarization;
}

uint32_t EXPORT(flock_cluster_count)(void) {
    return flock_metrics.cluster_count;
}

double EXPORT(flock_mean_neighbor_distance)(void) {
    return flock_metrics.mean_neighbor_distance;
}

uint32_t EXPORT(flock_hash_high)(void) {
    return (uint32_t)(sim_hash(&flock) >> 32);
}

uint32_t EXPORT(flock_hash_low)(void) {
    return (uint32_t)sim_hash(&flock);
}

const double *EXPORT(flock_x)(void) {
    return flock.x;
}

const double *EXPORT(flock_y)(void) {
    return flock.y;
}

const double *EXPORT(flock_vx)(void) {
    return flock.vx;
}

const double *EXPORT(flock_vy)(void) {
    return flock.vy;
}
