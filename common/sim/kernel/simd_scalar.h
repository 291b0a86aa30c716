/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Eight doubles at once, in plain C: what runs everywhere, and the manual of the other simd_*.h,
 * which give the same names to the vectors of one instruction set. A kernel is written against this
 * list alone.
 *
 * A `simd` is 8 lanes, however many registers that takes; a `simd_mask` says yes or no for each.
 * Each operation works lane by lane and is correctly rounded, so that all backends give the same
 * bytes. simd_rsqrt alone is an estimate: whoever uses it must not let its value reach a result.
 */
#include "exact.h"

#include <stdint.h>

#define SIMD_EACH for (int k = 0; k < 8; k++)

typedef struct {
    double lane[8];
} simd;

typedef struct {
    unsigned bits; /* bit k: lane k */
} simd_mask;

static inline simd simd_load(const double *p) {
    simd a;
    SIMD_EACH a.lane[k] = p[k];
    return a;
}

static inline void simd_store(double *p, simd a) {
    SIMD_EACH p[k] = a.lane[k];
}

static inline simd simd_all(double x) {
    simd a;
    SIMD_EACH a.lane[k] = x;
    return a;
}

#define SIMD_BINARY(name, expression)                                                              \
    static inline simd name(simd a, simd b) {                                                      \
        simd c;                                                                                    \
        SIMD_EACH {                                                                                \
            double x = a.lane[k], y = b.lane[k];                                                   \
            c.lane[k] = (expression);                                                              \
        }                                                                                          \
        return c;                                                                                  \
    }
SIMD_BINARY(simd_add, x + y)
SIMD_BINARY(simd_sub, x - y)
SIMD_BINARY(simd_mul, x *y)
SIMD_BINARY(simd_div, x / y)
SIMD_BINARY(simd_min, x < y ? x : y) /* b where either is NaN */
SIMD_BINARY(simd_max, x > y ? x : y)
#undef SIMD_BINARY

static inline simd simd_sqrt(simd a) {
    SIMD_EACH a.lane[k] = exact_sqrt(a.lane[k]);
    return a;
}

/* To the nearest whole number, for magnitudes up to 2^51. */
static inline simd simd_round(simd a) {
    SIMD_EACH a.lane[k] = (a.lane[k] + 0x1.8p52) - 0x1.8p52;
    return a;
}

/* a - b * size, where that product is exact. */
static inline simd simd_sub_multiple(simd a, simd b, double size) {
    SIMD_EACH a.lane[k] -= b.lane[k] * size;
    return a;
}

/* About 1/sqrt(a), relative error below 2^-13, for normal a; anything elsewhere. */
static inline simd simd_rsqrt(simd a) {
    SIMD_EACH a.lane[k] = 1 / exact_sqrt(a.lane[k]);
    return a;
}

/* a*a - b, rounded once; b is a*a rounded, so the result is exact: the error of that product. */
static inline simd simd_square_error(simd a, simd b) {
    simd c;
    SIMD_EACH {
        double shifted = 0x8000001p0 * a.lane[k];
        double high = shifted - (shifted - a.lane[k]);
        double low = a.lane[k] - high;
        c.lane[k] = ((high * high - b.lane[k]) + 2 * high * low) + low * low;
    }
    return c;
}

/* False where either is NaN. */
static inline simd_mask simd_less(simd a, simd b) {
    simd_mask m = {0};
    SIMD_EACH m.bits |= (unsigned)(a.lane[k] < b.lane[k]) << k;
    return m;
}

static inline simd_mask simd_from_bits(unsigned bits) {
    return (simd_mask){bits};
}

static inline unsigned simd_bits(simd_mask m) {
    return m.bits;
}

/* a + b where m; a elsewhere, but a -0 may come out as +0 there. */
static inline simd simd_add_if(simd_mask m, simd a, simd b) {
    SIMD_EACH if (m.bits >> k & 1) a.lane[k] += b.lane[k];
    return a;
}

/* a where m, else b. */
static inline simd simd_choose(simd_mask m, simd a, simd b) {
    SIMD_EACH if (!(m.bits >> k & 1)) a.lane[k] = b.lane[k];
    return a;
}

/* The lanes where m, one behind the other, to p; writes 8 doubles, those behind them are anything.
 */
static inline void simd_pack(double *p, simd_mask m, simd a) {
    int used = 0;
    SIMD_EACH {
        p[used] = a.lane[k];
        used += (int)(m.bits >> k & 1);
    }
}

/* The reverse: the next doubles from p into the lanes where m; may read 8. Others: anything. */
static inline simd simd_unpack(const double *p, simd_mask m) {
    simd a;
    int used = 0;
    SIMD_EACH {
        a.lane[k] = p[used];
        used += (int)(m.bits >> k & 1);
    }
    return a;
}

/* Row k, lane j to row j, lane k. */
static inline void simd_transpose(simd row[8]) {
    for (int j = 1; j < 8; j++) {
        for (int k = 0; k < j; k++) {
            double a = row[j].lane[k];
            row[j].lane[k] = row[k].lane[j];
            row[k].lane[j] = a;
        }
    }
}

/* Eight points on a torus, in 16 bits a coordinate, x low, y high: differences wrap by themselves.
 */
typedef struct {
    uint32_t lane[8];
} simd_cells;

static inline simd_cells simd_load_cells(const uint32_t *p) {
    simd_cells a;
    SIMD_EACH a.lane[k] = p[k];
    return a;
}

/*
 * Which lanes are within reach of the points a (bits 0 to 7) and b (bits 8 to 15): those where
 * dx*(dx*fx) + dy*(dy*fy) < limit, all signed, f being 16 bits of fraction in the order of a cell,
 * and d*f floored or rounded to a whole number.
 */
static inline unsigned simd_reach(simd_cells own, uint32_t a, uint32_t b, uint32_t factors,
                                  int32_t limit) {
    int32_t fx = (int32_t)(factors & 0xffff), fy = (int32_t)(factors >> 16);
    unsigned bits = 0;
    for (int k = 0; k < 16; k++) {
        uint32_t other = k < 8 ? a : b;
        int32_t dx = (int16_t)(other - own.lane[k % 8]);
        int32_t dy = (int16_t)((other >> 16) - (own.lane[k % 8] >> 16));
        bits |= (unsigned)(dx * (dx * fx >> 16) + dy * (dy * fy >> 16) < limit) << k;
    }
    return bits;
}
