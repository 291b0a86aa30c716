/* SPDX-License-Identifier: MIT */
#pragma once
/* SSE2, which every x86-64 has: pairs of doubles; four of them are the eight lanes (simd_pairs.h).
 */
#include <emmintrin.h>
#include <stdint.h>

typedef __m128d pair;
typedef __m128d pair_mask;

static inline pair pair_load(const double *p) {
    return _mm_loadu_pd(p);
}

static inline void pair_store(double *p, pair a) {
    _mm_storeu_pd(p, a);
}

static inline pair pair_all(double x) {
    return _mm_set1_pd(x);
}

#define PAIR_BINARY(name, instruction)                                                             \
    static inline pair name(pair a, pair b) {                                                      \
        return instruction(a, b);                                                                  \
    }
PAIR_BINARY(pair_add, _mm_add_pd)
PAIR_BINARY(pair_sub, _mm_sub_pd)
PAIR_BINARY(pair_mul, _mm_mul_pd)
PAIR_BINARY(pair_div, _mm_div_pd)
PAIR_BINARY(pair_min, _mm_min_pd)
PAIR_BINARY(pair_max, _mm_max_pd)
PAIR_BINARY(pair_less, _mm_cmplt_pd)
#undef PAIR_BINARY

static inline pair pair_sqrt(pair a) {
    return _mm_sqrt_pd(a);
}

static inline pair pair_round(pair a) {
    const pair whole = _mm_set1_pd(0x1.8p52);
    return _mm_sub_pd(_mm_add_pd(a, whole), whole);
}

/* 5 bits from halving the exponent, doubled by two steps of Newton's. */
static inline pair pair_rsqrt(pair a) {
    __m128i halved = _mm_srli_epi64(_mm_castpd_si128(a), 1);
    pair e = _mm_castsi128_pd(_mm_sub_epi64(_mm_set1_epi64x(0x5fe6eb50c7b537a9), halved));
    pair half = _mm_mul_pd(a, _mm_set1_pd(0.5)), more = _mm_set1_pd(1.5);
    e = _mm_mul_pd(e, _mm_sub_pd(more, _mm_mul_pd(_mm_mul_pd(half, e), e)));
    return _mm_mul_pd(e, _mm_sub_pd(more, _mm_mul_pd(_mm_mul_pd(half, e), e)));
}

/* Without FMA: Veltkamp's split and Dekker's product. */
static inline pair pair_square_error(pair a, pair b) {
    pair shifted = _mm_mul_pd(_mm_set1_pd(0x8000001p0), a);
    pair high = _mm_sub_pd(shifted, _mm_sub_pd(shifted, a));
    pair low = _mm_sub_pd(a, high);
    pair cross = _mm_mul_pd(high, low);
    pair error = _mm_add_pd(_mm_sub_pd(_mm_mul_pd(high, high), b), _mm_add_pd(cross, cross));
    return _mm_add_pd(error, _mm_mul_pd(low, low));
}

/* Adding +0 where not m: the sums it is for are never -0, so that changes nothing. */
static inline pair pair_add_if(pair_mask m, pair a, pair b) {
    return _mm_add_pd(a, _mm_and_pd(m, b));
}

static inline pair pair_choose(pair_mask m, pair a, pair b) {
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
}

/* The first lanes of both, the second ones. */
static inline pair pair_lows(pair a, pair b) {
    return _mm_unpacklo_pd(a, b);
}

static inline pair pair_highs(pair a, pair b) {
    return _mm_unpackhi_pd(a, b);
}

static inline pair pair_swap(pair a) {
    return _mm_shuffle_pd(a, a, 1);
}

static inline unsigned pair_bits(pair_mask m) {
    return (unsigned)_mm_movemask_pd(m);
}

static inline pair_mask pair_from_bits(unsigned bits) {
    __m128i low = _mm_cvtsi32_si128(-(int)(bits & 1)), high = _mm_cvtsi32_si128(-(int)(bits >> 1));
    return _mm_castsi128_pd(
        _mm_shuffle_epi32(_mm_unpacklo_epi32(low, high), _MM_SHUFFLE(1, 1, 0, 0)));
}

typedef __m128i quad;

static inline quad quad_load(const uint32_t *p) {
    return _mm_loadu_si128((const __m128i *)p);
}

static inline unsigned quad_reach(quad own, uint32_t other, uint32_t factors, int32_t limit) {
    __m128i d = _mm_sub_epi16(_mm_set1_epi32((int)other), own);
    __m128i square = _mm_madd_epi16(d, _mm_mulhi_epi16(d, _mm_set1_epi32((int)factors)));
    __m128i within = _mm_cmplt_epi32(square, _mm_set1_epi32(limit));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(within));
}

#include "simd_pairs.h"
