/* SPDX-License-Identifier: MIT */
#pragma once
/* NEON of AArch64: pairs of doubles; four of them are the eight lanes (simd_pairs.h). */
#include <arm_neon.h>

typedef float64x2_t pair;
typedef uint64x2_t pair_mask;

static inline pair pair_load(const double *p) {
    return vld1q_f64(p);
}

static inline void pair_store(double *p, pair a) {
    vst1q_f64(p, a);
}

static inline pair pair_all(double x) {
    return vdupq_n_f64(x);
}

static inline pair_mask pair_less(pair a, pair b) {
    return vcltq_f64(a, b);
}

#define PAIR_BINARY(name, instruction)                                                             \
    static inline pair name(pair a, pair b) {                                                      \
        return instruction;                                                                        \
    }
PAIR_BINARY(pair_add, vaddq_f64(a, b))
PAIR_BINARY(pair_sub, vsubq_f64(a, b))
PAIR_BINARY(pair_mul, vmulq_f64(a, b))
PAIR_BINARY(pair_div, vdivq_f64(a, b))
PAIR_BINARY(pair_min, vbslq_f64(vcltq_f64(a, b), a, b)) /* b where either is NaN, as on x86 */
PAIR_BINARY(pair_max, vbslq_f64(vcgtq_f64(a, b), a, b))
PAIR_BINARY(pair_square_error, vnegq_f64(vfmsq_f64(b, a, a))) /* fused: exact */
#undef PAIR_BINARY

static inline pair pair_sqrt(pair a) {
    return vsqrtq_f64(a);
}

static inline pair pair_round(pair a) {
    return vrndnq_f64(a);
}

/* 8 bits, doubled by one step of Newton's. */
static inline pair pair_rsqrt(pair a) {
    pair e = vrsqrteq_f64(a);
    return vmulq_f64(e, vrsqrtsq_f64(vmulq_f64(a, e), e));
}

/* Adding +0 where not m: the sums it is for are never -0, so that changes nothing. */
static inline pair pair_if(pair_mask m, pair a) {
    return vreinterpretq_f64_u64(vandq_u64(m, vreinterpretq_u64_f64(a)));
}

static inline pair pair_add_if(pair_mask m, pair a, pair b) {
    return vaddq_f64(a, pair_if(m, b));
}

static inline pair pair_choose(pair_mask m, pair a, pair b) {
    return vbslq_f64(m, a, b);
}

/* The first lanes of both, the second ones. */
static inline pair pair_lows(pair a, pair b) {
    return vtrn1q_f64(a, b);
}

static inline pair pair_highs(pair a, pair b) {
    return vtrn2q_f64(a, b);
}

static inline pair pair_swap(pair a) {
    return vextq_f64(a, a, 1);
}

static inline unsigned pair_bits(pair_mask m) {
    return (unsigned)(vgetq_lane_u64(m, 0) & 1) | (unsigned)(vgetq_lane_u64(m, 1) & 2);
}

static inline pair_mask pair_from_bits(unsigned bits) {
    return vcombine_u64(vcreate_u64(-(uint64_t)(bits & 1)), vcreate_u64(-(uint64_t)(bits >> 1)));
}

typedef int16x8_t quad;

static inline quad quad_load(const uint32_t *p) {
    return vreinterpretq_s16_u32(vld1q_u32(p));
}

/* The product of fractions here has 15 bits, and rounds. */
static inline unsigned quad_reach(quad own, uint32_t other, uint32_t factors, int32_t limit) {
    static const uint32_t weights[4] = {1, 2, 4, 8};
    int16x8_t d = vsubq_s16(vreinterpretq_s16_u32(vdupq_n_u32(other)), own);
    int16x8_t half =
        vreinterpretq_s16_u16(vshrq_n_u16(vreinterpretq_u16_u32(vdupq_n_u32(factors)), 1));
    int16x8_t scaled = vqrdmulhq_s16(d, half);
    int32x4_t square =
        vpaddq_s32(vmull_s16(vget_low_s16(d), vget_low_s16(scaled)), vmull_high_s16(d, scaled));
    return vaddvq_u32(vandq_u32(vcltq_s32(square, vdupq_n_s32(limit)), vld1q_u32(weights)));
}

#include "simd_pairs.h"
