/* SPDX-License-Identifier: MIT */
/* Loops over more independent chains than an addition takes cycles; the best of many short runs. */
#include "peak.h"

#include "clock.h"

#include <stdint.h>

enum { CHAINS = 12, STEPS = 20000, RUNS = 50, LANES = 8 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

#define KEEP(v) __asm__ volatile("" : "+m"(v))

static void add_and_multiply(lanes chain[CHAINS]) {
    lanes local[CHAINS], near_one = (lanes){0} + (1 + 0x1p-40);
    __builtin_memcpy(local, chain, sizeof local);
    for (int step = 0; step < STEPS / 2; step++) {
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            local[c] = c % 2 ? local[c] + near_one : local[c] * near_one;
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            local[c] = c % 2 ? local[c] + near_one : local[c] * near_one;
    }
    __builtin_memcpy(chain, local, sizeof local);
}

static void divide(lanes chain[CHAINS]) {
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            chain[c] = 1.5 / chain[c];
}

static void take_roots(lanes chain[CHAINS]) {
    for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
#pragma GCC unroll 8
            for (int k = 0; k < LANES; k++)
                chain[c][k] = __builtin_sqrt(chain[c][k]);
}

static double per_second(void (*loop)(lanes chain[CHAINS])) {
    int64_t best = INT64_MAX;
    for (int run = 0; run < RUNS; run++) {
        lanes chain[CHAINS];
        for (int c = 0; c < CHAINS; c++)
            chain[c] = (lanes){0} + (1.25 + c);
        KEEP(chain);
        int64_t start = clock_now_ns();
        loop(chain);
        int64_t ns = clock_now_ns() - start;
        KEEP(chain);
        best = ns < best ? ns : best;
    }
    return 1e9 * CHAINS * STEPS * LANES / (double)best;
}

struct peak peak_measure(void) {
    return (struct peak){per_second(add_and_multiply), per_second(take_roots), per_second(divide)};
}
