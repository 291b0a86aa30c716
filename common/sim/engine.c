/* SPDX-License-Identifier: MIT */
/* The engines there are, and which of them to use. */
#include "engine.h"

#include "flock.h"

const struct engine engine_reference = {
    .isa = "reference",
    .model = {[MODEL_FLOCK] = {flock_reference_step, flock_reference_measure}},
};

const struct engine *engine_best(void) {
    return &engine_reference;
}

const struct engine *engine_find(const char *isa) {
    const char *known = engine_reference.isa;
    while (*isa != '\0' && *isa == *known) {
        isa++;
        known++;
    }
    return *isa == *known ? &engine_reference : NULL;
}
