/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The four functions of the specification that a C library does not give the same bytes for
 * everywhere: each returns the correctly rounded binary64 value (round to nearest, ties to even),
 * built from + - * /, sqrt and bit operations only, so that every compiler, CPU and WebAssembly
 * agree. Every NaN that sin, cos and hypot return is the same NaN.
 *
 * Needs: round-to-nearest, no flush-to-zero, no contraction (-ffp-contract=off). No allocation, no
 * errno, no floating-point environment, safe from any thread.
 */

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* pi rounded to binary64, as every language's PI constant has it. */
#define EXACT_PI 3.14159265358979323846

/* Square root, correctly rounded by IEEE 754. An instruction and not sqrt(): the library's may set
 * errno. */
static inline double exact_sqrt(double x) {
#if defined(__SSE2__)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#elif defined(__aarch64__)
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
    return __builtin_sqrt(x);
#endif
}

/*
 * sin(x) and cos(x) for 0 <= x <= 2*EXACT_PI (radians). Outside of that range, and for NaN, the
 * result is NaN: the simulations need no other angle, and a wider range would be an unproven
 * promise.
 */
double exact_sin(double x);
double exact_cos(double x);

/*
 * sqrt(x*x + y*y) for finite x and y of any size, subnormal, zero and signed ones included;
 * overflow gives +infinity. A NaN argument gives NaN, an infinite one +infinity, as in C's Annex F.
 */
double exact_hypot(double x, double y);
