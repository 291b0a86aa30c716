/* SPDX-License-Identifier: MIT */
/* The kernel of flock_kernel.h behind simd_scalar.h. */
#include "simd_scalar.h"

#include "flock_kernel.h"

const struct engine_model flock_scalar = {kernel_begin, kernel_look, kernel_advance};
