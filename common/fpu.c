/* SPDX-License-Identifier: MIT */
/*
 * The state is set by the C library and then proven by sums whose results differ in every other
 * state; what the registers say is not asked, so nothing here depends on the architecture but the
 * clearing of the two x86 flags, which fesetenv() need not touch.
 */
#include "fpu.h"

#include <fenv.h>
#include <float.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
enum { FPU_FLUSH_TO_ZERO = 0x8000, FPU_DENORMALS_ARE_ZERO = 0x0040 };
#endif

bool fpu_is_exact(void) {
    /* volatile: computed here and now, not by the compiler */
    volatile double one = 1.0, tiny = DBL_EPSILON / 4, least = DBL_MIN;
    volatile double up = one + tiny, down = one - tiny / 2;
    volatile double below_zero = -one - tiny;
    if (up != 1.0 || down != 1.0 || below_zero != -1.0)
        return false; /* rounded upward, downward or toward zero */
    volatile double denormal = least / 2;
    volatile double normal =
        denormal * 2; /* zero if the denormal was flushed, or is read as zero */
    return denormal != 0.0 && normal == least;
}

int fpu_prepare(void) {
    (void)fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() & ~(unsigned)(FPU_FLUSH_TO_ZERO | FPU_DENORMALS_ARE_ZERO));
#endif
    return fpu_is_exact() ? 0 : ERR_UNSUPPORTED;
}
