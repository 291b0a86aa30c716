/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Eight lanes as four registers of two, for instruction sets that have no more: what is behind SSE2
 * and NEON alike. The backend defines `pair` (two doubles), `pair_mask`, and the pair_* used here;
 * `quad` (four cells), quad_load, and quad_reach, which is simd_reach of four lanes and one point.
 */
#include <stdint.h>

typedef struct {
    pair at[4];
} simd;
typedef struct {
    pair_mask at[4];
} simd_mask;

#define SIMD_PAIRS _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)

static inline simd simd_load(const double *p) {
    simd a;
    SIMD_PAIRS a.at[k] = pair_load(p + 2 * k);
    return a;
}

static inline void simd_store(double *p, simd a) {
    SIMD_PAIRS pair_store(p + 2 * k, a.at[k]);
}

static inline simd simd_all(double x) {
    pair all = pair_all(x);
    return (simd){{all, all, all, all}};
}

#define SIMD_UNARY(name, of_pair)                                                                  \
    static inline simd name(simd a) {                                                              \
        SIMD_PAIRS a.at[k] = of_pair(a.at[k]);                                                     \
        return a;                                                                                  \
    }
#define SIMD_BINARY(name, of_pair)                                                                 \
    static inline simd name(simd a, simd b) {                                                      \
        SIMD_PAIRS a.at[k] = of_pair(a.at[k], b.at[k]);                                            \
        return a;                                                                                  \
    }
#define SIMD_MASKED(name, of_pair)                                                                 \
    static inline simd name(simd_mask m, simd a, simd b) {                                         \
        SIMD_PAIRS a.at[k] = of_pair(m.at[k], a.at[k], b.at[k]);                                   \
        return a;                                                                                  \
    }
SIMD_UNARY(simd_sqrt, pair_sqrt)
SIMD_UNARY(simd_rsqrt, pair_rsqrt)
SIMD_UNARY(simd_round, pair_round)
SIMD_BINARY(simd_add, pair_add)
SIMD_BINARY(simd_sub, pair_sub)
SIMD_BINARY(simd_mul, pair_mul)
SIMD_BINARY(simd_div, pair_div)
SIMD_BINARY(simd_min, pair_min)
SIMD_BINARY(simd_max, pair_max)
SIMD_BINARY(simd_square_error, pair_square_error)
SIMD_MASKED(simd_add_if, pair_add_if)
SIMD_MASKED(simd_choose, pair_choose)
#undef SIMD_UNARY
#undef SIMD_BINARY
#undef SIMD_MASKED

static inline simd simd_sub_multiple(simd a, simd b, double size) {
    SIMD_PAIRS a.at[k] = pair_sub(a.at[k], pair_mul(b.at[k], pair_all(size)));
    return a;
}

static inline simd_mask simd_less(simd a, simd b) {
    simd_mask m;
    SIMD_PAIRS m.at[k] = pair_less(a.at[k], b.at[k]);
    return m;
}

static inline simd_mask simd_from_bits(unsigned bits) {
    simd_mask m;
    SIMD_PAIRS m.at[k] = pair_from_bits(bits >> 2 * k & 3);
    return m;
}

static inline unsigned simd_bits(simd_mask m) {
    unsigned bits = 0;
    SIMD_PAIRS bits |= pair_bits(m.at[k]) << 2 * k;
    return bits;
}

/* Each pair is stored where the ones before it end, its second lane first if only that one counts.
 */
static inline void simd_pack(double *p, simd_mask m, simd a) {
    SIMD_PAIRS {
        unsigned bits = pair_bits(m.at[k]);
        pair_store(p, bits == 2 ? pair_swap(a.at[k]) : a.at[k]);
        p += (bits & 1) + (bits >> 1);
    }
}

static inline simd simd_unpack(const double *p, simd_mask m) {
    simd a;
    SIMD_PAIRS {
        unsigned bits = pair_bits(m.at[k]);
        pair next = pair_load(p);
        a.at[k] = bits == 2 ? pair_swap(next) : next;
        p += (bits & 1) + (bits >> 1);
    }
    return a;
}

static inline void simd_transpose(simd row[8]) {
    simd column[8];
    SIMD_PAIRS {
        _Pragma("GCC unroll 4") for (int right = 0; right < 4; right++) {
            column[2 * right].at[k] = pair_lows(row[2 * k].at[right], row[2 * k + 1].at[right]);
            column[2 * right + 1].at[k] =
                pair_highs(row[2 * k].at[right], row[2 * k + 1].at[right]);
        }
    }
    for (int k = 0; k < 8; k++)
        row[k] = column[k];
}

typedef struct {
    quad low, high;
} simd_cells;

static inline simd_cells simd_load_cells(const uint32_t *p) {
    return (simd_cells){quad_load(p), quad_load(p + 4)};
}

static inline unsigned simd_reach(simd_cells own, uint32_t a, uint32_t b, uint32_t factors,
                                  int32_t limit) {
    return quad_reach(own.low, a, factors, limit) | quad_reach(own.high, a, factors, limit) << 4 |
           quad_reach(own.low, b, factors, limit) << 8 |
           quad_reach(own.high, b, factors, limit) << 12;
}
