/* SPDX-License-Identifier: MIT */
/* The engines that this build has, and which of them this CPU can run. */
#include "engine.h"

#include "flock.h"
#include "flock_engines.h"

static int engine_always(void) {
    return 1;
}

const struct engine engine_reference = {
    "reference", {[MODEL_FLOCK] = &flock_reference}, engine_always};

static const struct engine engine_scalar = {
    "scalar", {[MODEL_FLOCK] = &flock_scalar}, engine_always};

#if defined(__x86_64__)
static int engine_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int engine_has_avx512(void) {
    return engine_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static const struct engine engine_sse2 = {"sse2", {[MODEL_FLOCK] = &flock_sse2}, engine_always};
static const struct engine engine_avx2 = {"avx2", {[MODEL_FLOCK] = &flock_avx2}, engine_has_avx2};
static const struct engine engine_avx512 = {
    "avx512", {[MODEL_FLOCK] = &flock_avx512}, engine_has_avx512};
#elif defined(__aarch64__)
static const struct engine engine_neon = {"neon", {[MODEL_FLOCK] = &flock_neon}, engine_always};
#elif defined(__wasm_simd128__)
static const struct engine engine_wasm = {"simd128", {[MODEL_FLOCK] = &flock_wasm}, engine_always};
#endif

static const struct engine *const engines[] = {
    &engine_reference, &engine_scalar,
#if defined(__x86_64__)
    &engine_sse2,      &engine_avx2,   &engine_avx512,
#elif defined(__aarch64__)
    &engine_neon,
#elif defined(__wasm_simd128__)
    &engine_wasm,
#endif
};

enum { ENGINES = sizeof engines / sizeof engines[0] };

const struct engine *engine_at(size_t index) {
    return index < ENGINES ? engines[index] : NULL;
}

const struct engine *engine_best(void) {
    int best = ENGINES - 1;
    while (!engines[best]->runs_here())
        best--;
    return engines[best];
}

static int engine_is_named(const struct engine *engine, const char *isa) {
    const char *name = engine->isa;
    while (*isa != '\0' && *isa == *name) {
        isa++;
        name++;
    }
    return *isa == *name;
}

const struct engine *engine_find(const char *isa) {
    for (int i = 0; i < ENGINES; i++)
        if (engine_is_named(engines[i], isa))
            return engines[i]->runs_here() ? engines[i] : NULL;
    return NULL;
}
