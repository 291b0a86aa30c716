/* SPDX-License-Identifier: MIT */
#pragma once
/* The flock, once as the specification says it and once per instruction set. Only engine.c chooses.
 */
#include "engine.h"

extern const struct engine_model flock_reference;
extern const struct engine_model flock_scalar;
extern const struct engine_model flock_sse2, flock_avx2, flock_avx512; /* x86-64 */
extern const struct engine_model flock_neon;                           /* AArch64 */
extern const struct engine_model flock_wasm;                           /* WebAssembly's SIMD128 */
