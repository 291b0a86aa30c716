/* SPDX-License-Identifier: MIT */
/* The kernel of flock_kernel.h behind simd_avx512.h. */
#include "simd_avx512.h"

#include "flock_kernel.h"

const struct engine_model flock_avx512 = {kernel_begin, kernel_look, kernel_advance};
