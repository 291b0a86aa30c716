/* SPDX-License-Identifier: MIT */
/* What is the same for every model and engine: the run from tick to tick, changes, and the state's
 * hash. */
#include "sim.h"

#include "engine.h"
#include "engine_work.h"

#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

void sim_init(struct sim *sim, const struct model *model, uint32_t seed,
              const struct sim_params *params) {
    sim->model = model;
    sim->count = (uint32_t)params->value[0];
    sim->tick = 0;
    sim->params = *params;
    model->init(sim, seed);
}

void sim_apply(struct sim_params *params, uint32_t set, const struct sim_params *values) {
    for (size_t i = 0; i < SIM_PARAMS_MAX; i++)
        if (set >> i & 1u)
            params->value[i] = values->value[i];
}

bool sim_run(struct sim *sim, const struct engine *engine, uint32_t until,
             const struct sim_changes *changes, const struct sim_watch *watch) {
    const struct engine_model *model = engine->model[sim->model->index];
    struct engine_work work;
    struct sim_metrics metrics;
    struct sim_metrics *measured = watch && watch->look && watch->metrics ? &metrics : NULL;
    size_t next = 0;
    size_t change_count = changes ? changes->count : 0;
    while (next < change_count && changes->item[next].tick < sim->tick)
        next++;
    model->begin(&work, sim);
    for (;;) {
        if (measured || sim->tick < until)
            model->look(&work, sim, measured);
        if (watch && watch->look && !watch->look(watch->context, sim, measured))
            return false;
        if (sim->tick >= until)
            return true;
        for (; next < change_count && changes->item[next].tick == sim->tick; next++)
            sim_apply(&sim->params, changes->item[next].set, &changes->item[next].params);
        model->advance(&work, sim);
        sim->tick++;
    }
}

void sim_measure(const struct sim *sim, const struct engine *engine, struct sim_metrics *metrics) {
    const struct engine_model *model = engine->model[sim->model->index];
    struct engine_work work;
    model->begin(&work, sim);
    model->look(&work, sim, metrics);
}

/* Through a little-endian buffer, so that a big-endian CPU gives the same hash. */
static void sim_hash_update(XXH64_state_t *state, const double *values, uint32_t count) {
    unsigned char bytes[8];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(bits >> (8 * b));
        XXH64_update(state, bytes, sizeof bytes);
    }
}

uint64_t sim_hash(const struct sim *sim) {
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    sim_hash_update(&state, sim->x, sim->count);
    sim_hash_update(&state, sim->y, sim->count);
    sim_hash_update(&state, sim->vx, sim->count);
    sim_hash_update(&state, sim->vy, sim->count);
    return XXH64_digest(&state);
}
