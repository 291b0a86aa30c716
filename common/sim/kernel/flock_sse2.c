/* SPDX-License-Identifier: MIT */
/* The kernel of flock_kernel.h behind simd_sse2.h. */
#include "simd_sse2.h"

#include "flock_kernel.h"

const struct engine_model flock_sse2 = {kernel_begin, kernel_look, kernel_advance};
