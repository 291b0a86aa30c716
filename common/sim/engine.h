/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * How a model is stepped. Every engine gives the same bytes; they differ in speed and in what CPU
 * they need.
 */
#include "sim.h"

struct engine {
    const char *isa; /* "reference", "scalar", "avx2", ... */
    struct {
        void (*step)(struct sim *sim); /* one tick under sim->params */
        void (*measure)(const struct sim *sim, struct sim_metrics *metrics);
    } model[MODEL_COUNT];
};

/* The specification transcribed: slow, obvious, the oracle. */
extern const struct engine engine_reference;

/* The fastest engine that this CPU can run. */
const struct engine *engine_best(void);

/* The engine of that name, or NULL when there is none or this CPU lacks it. */
const struct engine *engine_find(const char *isa);
