/* SPDX-License-Identifier: MIT */
/* The flock as a model: its parameters, and the initialisation that every engine shares. */
#include "flock.h"

#include "exact.h"
#include "mulberry32.h"

static const struct model_param flock_params[FLOCK_PARAMS] = {
    [FLOCK_BIRDS] = {"birds", NULL, "birds", 120, 10, SIM_AGENTS_MAX, 1, 1, 1},
    [FLOCK_COHESION] = {"cohesion", "weights", "1", 0.5, 0, 1, 0.01, 0, 0},
    [FLOCK_ALIGNMENT] = {"alignment", "weights", "1", 0.5, 0, 1, 0.01, 0, 0},
    [FLOCK_SEPARATION] = {"separation", "weights", "1", 0.5, 0, 1, 0.01, 0, 0},
};

static void flock_init(struct sim *sim, uint32_t seed) {
    struct mulberry32 prng = {seed};
    for (uint32_t i = 0; i < sim->count; i++) {
        sim->x[i] = mulberry32_next(&prng) * FLOCK_WIDTH;
        sim->y[i] = mulberry32_next(&prng) * FLOCK_HEIGHT;
        double angle = (mulberry32_next(&prng) * 2) * EXACT_PI;
        double speed =
            FLOCK_MIN_SPEED + mulberry32_next(&prng) * (FLOCK_MAX_SPEED - FLOCK_MIN_SPEED);
        sim->vx[i] = speed * exact_cos(angle);
        sim->vy[i] = speed * exact_sin(angle);
    }
}

/* Written so that NaN is not legal. A coordinate may be exactly the field's size after the wrap
 * of a tiny negative, and a clamped speed a rounding error off its limit. */
static int flock_is_legal(const struct sim *sim) {
    const double slack = 1e-9;
    const double least = FLOCK_MIN_SPEED * (1 - slack), most = FLOCK_MAX_SPEED * (1 + slack);
    for (uint32_t i = 0; i < sim->count; i++) {
        double square = sim->vx[i] * sim->vx[i] + sim->vy[i] * sim->vy[i];
        if (!(sim->x[i] >= 0 && sim->x[i] <= FLOCK_WIDTH))
            return 0;
        if (!(sim->y[i] >= 0 && sim->y[i] <= FLOCK_HEIGHT))
            return 0;
        if (!(square >= least * least && square <= most * most))
            return 0;
    }
    return 1;
}

const struct model flock_model = {
    .name = "flock",
    .param = flock_params,
    .param_count = FLOCK_PARAMS,
    .init = flock_init,
    .is_legal = flock_is_legal,
    .index = MODEL_FLOCK,
};
