/* SPDX-License-Identifier: MIT */
#pragma once
/* AVX-512F: eight lanes are one register, a mask is a mask register. See simd_scalar.h for what
 * each does. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512d simd;
typedef __mmask8 simd_mask;

static inline simd simd_load(const double *p) {
    return _mm512_loadu_pd(p);
}
static inline void simd_store(double *p, simd a) {
    _mm512_storeu_pd(p, a);
}
static inline simd simd_all(double x) {
    return _mm512_set1_pd(x);
}
static inline simd simd_add(simd a, simd b) {
    return _mm512_add_pd(a, b);
}
static inline simd simd_sub(simd a, simd b) {
    return _mm512_sub_pd(a, b);
}
static inline simd simd_mul(simd a, simd b) {
    return _mm512_mul_pd(a, b);
}
static inline simd simd_div(simd a, simd b) {
    return _mm512_div_pd(a, b);
}
static inline simd simd_min(simd a, simd b) {
    return _mm512_min_pd(a, b);
}
static inline simd simd_max(simd a, simd b) {
    return _mm512_max_pd(a, b);
}
static inline simd simd_sqrt(simd a) {
    return _mm512_sqrt_pd(a);
}
static inline simd simd_round(simd a) {
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline simd simd_sub_multiple(simd a, simd b, double size) {
    return _mm512_fnmadd_pd(b, _mm512_set1_pd(size), a);
}
static inline simd simd_rsqrt(simd a) {
    return _mm512_rsqrt14_pd(a);
}
static inline simd simd_square_error(simd a, simd b) {
    return _mm512_fmsub_pd(a, a, b);
}
static inline simd_mask simd_less(simd a, simd b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline simd_mask simd_from_bits(unsigned bits) {
    return (simd_mask)bits;
}
static inline unsigned simd_bits(simd_mask m) {
    return m;
}
static inline simd simd_add_if(simd_mask m, simd a, simd b) {
    return _mm512_mask_add_pd(a, m, a, b);
}
static inline simd simd_choose(simd_mask m, simd a, simd b) {
    return _mm512_mask_blend_pd(m, b, a);
}
/* Compressed in the register and stored whole: the form that stores by itself is many times slower
 * on Zen 4. */
static inline void simd_pack(double *p, simd_mask m, simd a) {
    _mm512_storeu_pd(p, _mm512_maskz_compress_pd(m, a));
}
static inline simd simd_unpack(const double *p, simd_mask m) {
    return _mm512_maskz_expand_pd(m, _mm512_loadu_pd(p));
}

static inline void simd_transpose(simd row[8]) {
    simd column[8];
    for (int odd = 0; odd < 2; odd++) { /* columns 0, 2, 4, 6, then the others */
        simd two[4], four[4];
        for (int k = 0; k < 4; k++)
            two[k] = odd ? _mm512_unpackhi_pd(row[2 * k], row[2 * k + 1])
                         : _mm512_unpacklo_pd(row[2 * k], row[2 * k + 1]);
        for (int k = 0; k < 2; k++) {
            four[2 * k] = _mm512_shuffle_f64x2(two[2 * k], two[2 * k + 1], 0x88);
            four[2 * k + 1] = _mm512_shuffle_f64x2(two[2 * k], two[2 * k + 1], 0xdd);
        }
        column[odd] = _mm512_shuffle_f64x2(four[0], four[2], 0x88);
        column[odd + 4] = _mm512_shuffle_f64x2(four[0], four[2], 0xdd);
        column[odd + 2] = _mm512_shuffle_f64x2(four[1], four[3], 0x88);
        column[odd + 6] = _mm512_shuffle_f64x2(four[1], four[3], 0xdd);
    }
    for (int k = 0; k < 8; k++)
        row[k] = column[k];
}

typedef __m512i simd_cells;

static inline simd_cells simd_load_cells(const uint32_t *p) {
    return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)p));
}
static inline unsigned simd_reach(simd_cells own, uint32_t a, uint32_t b, uint32_t factors,
                                  int32_t limit) {
    __m512i others = _mm512_mask_set1_epi32(_mm512_set1_epi32((int)a), 0xff00, (int)b);
    __m512i d = _mm512_sub_epi16(others, own);
    __m512i square = _mm512_madd_epi16(d, _mm512_mulhi_epi16(d, _mm512_set1_epi32((int)factors)));
    return _mm512_cmplt_epi32_mask(square, _mm512_set1_epi32(limit));
}
