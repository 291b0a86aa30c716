/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * How the models are stepped. Every engine gives the same bytes; they differ in speed and in what
 * CPU they need. A run is begin, then for each tick look and advance:
 *
 *   begin            the work knows nothing of this simulation yet
 *   look             what the state at this tick says: metrics if asked for, and what advance needs
 *   advance          to the next tick, under the parameters in force now; only after a look
 */
#include "sim.h"

/* Memory of one run, for the engine alone; about 200 kB, which sim_run has on its stack. */
struct engine_work;

struct engine_model {
    void (*begin)(struct engine_work *work, const struct sim *sim);
    void (*look)(struct engine_work *work, const struct sim *sim, struct sim_metrics *metrics);
    void (*advance)(struct engine_work *work, struct sim *sim);
};

struct engine {
    const char *isa; /* "reference", "scalar", "sse2", "avx2", "avx512", "neon" */
    const struct engine_model *model[MODEL_COUNT];
    int (*runs_here)(void); /* whether this CPU can */
};

/* The specification transcribed: slow, obvious, the oracle. */
extern const struct engine engine_reference;

/* All engines of this build, the reference first, then slower before faster; NULL from the end on.
 */
const struct engine *engine_at(size_t index);

/* The fastest engine that this CPU can run. */
const struct engine *engine_best(void);

/* The engine of that name, or NULL when this build has none or this CPU cannot run it. */
const struct engine *engine_find(const char *isa);
