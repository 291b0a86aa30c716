/* SPDX-License-Identifier: MIT */
#pragma once
/* Doubles as bits, and repeatable random ones. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* splitmix64; any start is good. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* In [0, 1), multiples of 2^-53. */
static inline double next_fraction(uint64_t *state) {
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* From 0 to DBL_MAX, every exponent as often. */
static inline double next_finite(uint64_t *state) {
    return double_of(next_random(state) % bits_of(INFINITY));
}
