/* SPDX-License-Identifier: MIT */
/* The kernel of flock_kernel.h behind simd_neon.h. */
#include "simd_neon.h"

#include "flock_kernel.h"

const struct engine_model flock_neon = {kernel_begin, kernel_look, kernel_advance};
