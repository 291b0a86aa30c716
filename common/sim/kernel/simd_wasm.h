/* SPDX-License-Identifier: MIT */
#pragma once
/* SIMD128 of WebAssembly: pairs of doubles; four of them are the eight lanes (simd_pairs.h). */
#include <wasm_simd128.h>

typedef v128_t pair;
typedef v128_t pair_mask;

static inline pair pair_load(const double *p) {
    return wasm_v128_load(p);
}

static inline void pair_store(double *p, pair a) {
    wasm_v128_store(p, a);
}

static inline pair pair_all(double x) {
    return wasm_f64x2_splat(x);
}

#define PAIR_BINARY(name, instruction)                                                             \
    static inline pair name(pair a, pair b) {                                                      \
        return instruction(a, b);                                                                  \
    }
PAIR_BINARY(pair_add, wasm_f64x2_add)
PAIR_BINARY(pair_sub, wasm_f64x2_sub)
PAIR_BINARY(pair_mul, wasm_f64x2_mul)
PAIR_BINARY(pair_div, wasm_f64x2_div)
PAIR_BINARY(pair_less, wasm_f64x2_lt)
#undef PAIR_BINARY

static inline pair pair_choose(pair_mask m, pair a, pair b) {
    return wasm_v128_bitselect(a, b, m);
}

/* b where either is NaN, as on x86. */
static inline pair pair_min(pair a, pair b) {
    return wasm_f64x2_pmin(b, a);
}

static inline pair pair_max(pair a, pair b) {
    return wasm_f64x2_pmax(b, a);
}

static inline pair pair_sqrt(pair a) {
    return wasm_f64x2_sqrt(a);
}

static inline pair pair_round(pair a) {
    return wasm_f64x2_nearest(a);
}

static inline pair pair_rsqrt(pair a) {
    return wasm_f64x2_div(wasm_f64x2_splat(1), wasm_f64x2_sqrt(a));
}

/* Without FMA: Veltkamp's split and Dekker's product. */
static inline pair pair_square_error(pair a, pair b) {
    pair shifted = pair_mul(pair_all(0x8000001p0), a);
    pair high = pair_sub(shifted, pair_sub(shifted, a));
    pair low = pair_sub(a, high);
    pair cross = pair_mul(high, low);
    pair error = pair_add(pair_sub(pair_mul(high, high), b), pair_add(cross, cross));
    return pair_add(error, pair_mul(low, low));
}

/* Adding +0 where not m: the sums it is for are never -0, so that changes nothing. */
static inline pair pair_add_if(pair_mask m, pair a, pair b) {
    return pair_add(a, wasm_v128_and(m, b));
}

/* The first lanes of both, the second ones. */
static inline pair pair_lows(pair a, pair b) {
    return wasm_i64x2_shuffle(a, b, 0, 2);
}

static inline pair pair_highs(pair a, pair b) {
    return wasm_i64x2_shuffle(a, b, 1, 3);
}

static inline pair pair_swap(pair a) {
    return wasm_i64x2_shuffle(a, a, 1, 0);
}

static inline unsigned pair_bits(pair_mask m) {
    return wasm_i64x2_bitmask(m);
}

static inline pair_mask pair_from_bits(unsigned bits) {
    return wasm_i64x2_make(-(long long)(bits & 1), -(long long)(bits >> 1));
}

typedef v128_t quad;

static inline quad quad_load(const uint32_t *p) {
    return wasm_v128_load(p);
}

/* The product of fractions here has 15 bits, and rounds. */
static inline unsigned quad_reach(quad own, uint32_t other, uint32_t factors, int32_t limit) {
    v128_t d = wasm_i16x8_sub(wasm_i32x4_splat((int)other), own);
    v128_t half = wasm_u16x8_shr(wasm_i32x4_splat((int)factors), 1);
    v128_t square = wasm_i32x4_dot_i16x8(d, wasm_i16x8_q15mulr_sat(d, half));
    return wasm_i32x4_bitmask(wasm_i32x4_lt(square, wasm_i32x4_splat(limit)));
}

#include "simd_pairs.h"
