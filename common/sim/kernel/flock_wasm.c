/* SPDX-License-Identifier: MIT */
/* The kernel of flock_kernel.h behind simd_wasm.h. */
#include "simd_wasm.h"

#include "flock_kernel.h"

const struct engine_model flock_wasm = {kernel_begin, kernel_look, kernel_advance};
