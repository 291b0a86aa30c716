/* SPDX-License-Identifier: MIT */
#pragma once
/* The generator of the specification: 32 bits of state, one uniform number in [0, 1) a call. */
#include <stdint.h>

struct mulberry32 {
    uint32_t state; /* starts as the seed; any value is legal */
};

/* The next number: k / 2^32 with k in 0 .. 2^32-1, exact in binary64. */
static inline double mulberry32_next(struct mulberry32 *prng) {
    prng->state += 0x6D2B79F5u;
    uint32_t t = prng->state;
    t = (t ^ (t >> 15)) * (t | 1u);
    t ^= t + (t ^ (t >> 7)) * (t | 61u);
    return (double)(t ^ (t >> 14)) / 4294967296.0;
}
