/* SPDX-License-Identifier: MIT */
#pragma once
/* AVX2 with FMA: eight lanes are two registers, and so is a mask (all ones for yes). See
 * simd_scalar.h. */
#include <immintrin.h>
#include <stdint.h>

typedef struct {
    __m256d low, high;
} simd;
typedef simd simd_mask;

static inline simd simd_load(const double *p) {
    return (simd){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}

static inline void simd_store(double *p, simd a) {
    _mm256_storeu_pd(p, a.low);
    _mm256_storeu_pd(p + 4, a.high);
}

static inline simd simd_all(double x) {
    __m256d all = _mm256_set1_pd(x);
    return (simd){all, all};
}

#define SIMD_BINARY(name, instruction)                                                             \
    static inline simd name(simd a, simd b) {                                                      \
        return (simd){instruction(a.low, b.low), instruction(a.high, b.high)};                     \
    }
SIMD_BINARY(simd_add, _mm256_add_pd)
SIMD_BINARY(simd_sub, _mm256_sub_pd)
SIMD_BINARY(simd_mul, _mm256_mul_pd)
SIMD_BINARY(simd_div, _mm256_div_pd)
SIMD_BINARY(simd_min, _mm256_min_pd)
SIMD_BINARY(simd_max, _mm256_max_pd)
SIMD_BINARY(simd_and, _mm256_and_pd)
#undef SIMD_BINARY

static inline simd simd_sqrt(simd a) {
    return (simd){_mm256_sqrt_pd(a.low), _mm256_sqrt_pd(a.high)};
}

static inline simd simd_round(simd a) {
    enum { nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (simd){_mm256_round_pd(a.low, nearest), _mm256_round_pd(a.high, nearest)};
}

static inline simd simd_sub_multiple(simd a, simd b, double size) {
    __m256d all = _mm256_set1_pd(size);
    return (simd){_mm256_fnmadd_pd(b.low, all, a.low), _mm256_fnmadd_pd(b.high, all, a.high)};
}

/* 5 bits from halving the exponent, doubled by two steps of Newton's. */
static inline __m256d simd_rsqrt_half(__m256d a) {
    __m256i halved = _mm256_srli_epi64(_mm256_castpd_si256(a), 1);
    __m256d e =
        _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(0x5fe6eb50c7b537a9), halved));
    __m256d half = _mm256_mul_pd(a, _mm256_set1_pd(0.5)), more = _mm256_set1_pd(1.5);
    e = _mm256_mul_pd(e, _mm256_fnmadd_pd(_mm256_mul_pd(half, e), e, more));
    return _mm256_mul_pd(e, _mm256_fnmadd_pd(_mm256_mul_pd(half, e), e, more));
}

static inline simd simd_rsqrt(simd a) {
    return (simd){simd_rsqrt_half(a.low), simd_rsqrt_half(a.high)};
}

static inline simd simd_square_error(simd a, simd b) {
    return (simd){_mm256_fmsub_pd(a.low, a.low, b.low), _mm256_fmsub_pd(a.high, a.high, b.high)};
}

static inline simd_mask simd_less(simd a, simd b) {
    return (simd_mask){_mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ),
                       _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ)};
}

static inline simd_mask simd_from_bits(unsigned bits) {
    __m256i all = _mm256_set1_epi64x((long long)bits);
    __m256i low = _mm256_setr_epi64x(1, 2, 4, 8), high = _mm256_setr_epi64x(16, 32, 64, 128);
    return (simd_mask){_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(all, low), low)),
                       _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(all, high), high))};
}

static inline unsigned simd_bits(simd_mask m) {
    return (unsigned)_mm256_movemask_pd(m.low) | (unsigned)_mm256_movemask_pd(m.high) << 4;
}

/* Adding +0 where not m: the sums it is for are never -0, so that changes nothing. */
static inline simd simd_add_if(simd_mask m, simd a, simd b) {
    return simd_add(a, simd_and(m, b));
}

static inline simd simd_choose(simd_mask m, simd a, simd b) {
    return (simd){_mm256_blendv_pd(b.low, a.low, m.low), _mm256_blendv_pd(b.high, a.high, m.high)};
}

/* For each four mask bits, which 32-bit halves go where, a byte each, the first lowest. */
static const uint64_t simd_packing[16] = {
    0x0706050403020100, 0x0706050403020100, 0x0706050401000302, 0x0706050403020100,
    0x0706030201000504, 0x0706030205040100, 0x0706010005040302, 0x0706050403020100,
    0x0504030201000706, 0x0504030207060100, 0x0504010007060302, 0x0504070603020100,
    0x0302010007060504, 0x0302070605040100, 0x0100070605040302, 0x0706050403020100,
};
static const uint64_t simd_unpacking[16] = {
    0x0100010001000100, 0x0100010001000100, 0x0100010001000100, 0x0100010003020100,
    0x0100010001000100, 0x0100030201000100, 0x0100030201000100, 0x0100050403020100,
    0x0100010001000100, 0x0302010001000100, 0x0302010001000100, 0x0504010003020100,
    0x0302010001000100, 0x0504030201000100, 0x0504030201000100, 0x0706050403020100,
};

static inline __m256i simd_order(const uint64_t *table, unsigned bits) {
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)table[bits]));
}

static inline __m256d simd_permute(__m256d a, __m256i order) {
    return _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(a), order));
}

static inline void simd_pack(double *p, simd_mask m, simd a) {
    unsigned low = (unsigned)_mm256_movemask_pd(m.low), high = (unsigned)_mm256_movemask_pd(m.high);
    _mm256_storeu_pd(p, simd_permute(a.low, simd_order(simd_packing, low)));
    _mm256_storeu_pd(p + __builtin_popcount(low),
                     simd_permute(a.high, simd_order(simd_packing, high)));
}

static inline simd simd_unpack(const double *p, simd_mask m) {
    unsigned low = (unsigned)_mm256_movemask_pd(m.low), high = (unsigned)_mm256_movemask_pd(m.high);
    __m256d first = _mm256_loadu_pd(p), second = _mm256_loadu_pd(p + __builtin_popcount(low));
    return (simd){simd_permute(first, simd_order(simd_unpacking, low)),
                  simd_permute(second, simd_order(simd_unpacking, high))};
}

static inline void simd_transpose_quarter(const __m256d row[4], __m256d column[4]) {
    __m256d even[2], odd[2]; /* columns 0 and 2, 1 and 3, of rows 0 and 1, 2 and 3 */
    for (int k = 0; k < 2; k++) {
        even[k] = _mm256_unpacklo_pd(row[2 * k], row[2 * k + 1]);
        odd[k] = _mm256_unpackhi_pd(row[2 * k], row[2 * k + 1]);
    }
    column[0] = _mm256_permute2f128_pd(even[0], even[1], 0x20);
    column[1] = _mm256_permute2f128_pd(odd[0], odd[1], 0x20);
    column[2] = _mm256_permute2f128_pd(even[0], even[1], 0x31);
    column[3] = _mm256_permute2f128_pd(odd[0], odd[1], 0x31);
}

static inline void simd_transpose(simd row[8]) {
    __m256d quarter[2][2][4], column[4];
    for (int k = 0; k < 8; k++) {
        quarter[k / 4][0][k % 4] = row[k].low;
        quarter[k / 4][1][k % 4] = row[k].high;
    }
    for (int down = 0; down < 2; down++) {
        for (int right = 0; right < 2; right++) {
            simd_transpose_quarter(quarter[down][right], column);
            for (int k = 0; k < 4; k++)
                *(down ? &row[4 * right + k].high : &row[4 * right + k].low) = column[k];
        }
    }
}

typedef __m256i simd_cells;

static inline simd_cells simd_load_cells(const uint32_t *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline unsigned simd_reach_one(simd_cells own, uint32_t other, uint32_t factors,
                                      int32_t limit) {
    __m256i d = _mm256_sub_epi16(_mm256_set1_epi32((int)other), own);
    __m256i square = _mm256_madd_epi16(d, _mm256_mulhi_epi16(d, _mm256_set1_epi32((int)factors)));
    __m256i within = _mm256_cmpgt_epi32(_mm256_set1_epi32(limit), square);
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(within));
}

static inline unsigned simd_reach(simd_cells own, uint32_t a, uint32_t b, uint32_t factors,
                                  int32_t limit) {
    return simd_reach_one(own, a, factors, limit) | simd_reach_one(own, b, factors, limit) << 8;
}
