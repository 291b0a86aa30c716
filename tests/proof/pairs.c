/* SPDX-License-Identifier: MIT */
/*
 * proof_pairs [MILLIONS [SEED]]: hypot against MPFR on random pairs of the domain that flocks use
 * and on hard cases made for it; 100 million by default, some minutes on two cores.
 *
 *   deltas     both up to half the field, as two random coordinates give them
 *   velocities both up to 4.2
 *   midpoints  legs of a Pythagorean triple with an odd 54-bit hypotenuse, and their neighbours
 *   tiny leg   y/x between 2^-29 and 2^-20, where the result is x or the next double
 */
#include "doubles.h"
#include "exact.h"
#include "flock.h"

#include <mpfr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, KINDS = 4 };

struct part {
    uint64_t random, pairs, wrong;
};

struct pair {
    double x, y;
};

static struct pair delta_pair(uint64_t *random) {
    double ax = next_fraction(random) * FLOCK_WIDTH, bx = next_fraction(random) * FLOCK_WIDTH;
    double ay = next_fraction(random) * FLOCK_HEIGHT, by = next_fraction(random) * FLOCK_HEIGHT;
    return (struct pair){flock_delta(ax, bx, FLOCK_WIDTH), flock_delta(ay, by, FLOCK_HEIGHT)};
}

static struct pair velocity_pair(uint64_t *random) {
    return (struct pair){(next_fraction(random) - 0.5) * 8.4, (next_fraction(random) - 0.5) * 8.4};
}

static double jostled(double x, uint64_t *random) {
    switch (next_random(random) % 4) {
    case 0:
        return nextafter(x, INFINITY);
    case 1:
        return nextafter(x, 0);
    default:
        return x;
    }
}

/* m^2 - n^2, 2mn, m^2 + n^2 with m of 27 bits and n smaller: the hypotenuse has 53 to 55 bits. */
static struct pair midpoint_pair(uint64_t *random) {
    uint64_t m = (UINT64_C(1) << 26) + next_random(random) % (UINT64_C(1) << 26);
    uint64_t n = next_random(random) % m;
    double scale = 0x1p-45;
    return (struct pair){jostled((double)(m * m - n * n) * scale, random),
                         jostled((double)(2 * m * n) * scale, random)};
}

static struct pair tiny_leg_pair(uint64_t *random) {
    double x = 1 + next_fraction(random) * 500;
    return (struct pair){
        x, x * ldexp(1 + next_fraction(random), -20 - (int)(next_random(random) % 10))};
}

static struct pair (*const kinds[KINDS])(uint64_t *) = {delta_pair, velocity_pair, midpoint_pair,
                                                        tiny_leg_pair};

static void *prove(void *context) {
    struct part *part = context;
    mpfr_t x, y, d;
    mpfr_inits2(53, x, y, d, (mpfr_ptr)NULL);
    for (uint64_t i = 0; i < part->pairs; i++) {
        struct pair pair = kinds[i % KINDS](&part->random);
        mpfr_set_d(x, pair.x, MPFR_RNDN);
        mpfr_set_d(y, pair.y, MPFR_RNDN);
        mpfr_hypot(d, x, y, MPFR_RNDN);
        double ours = exact_hypot(pair.x, pair.y);
        if (bits_of(ours) != bits_of(mpfr_get_d(d, MPFR_RNDN))) {
            part->wrong++;
            printf("wrong: hypot(%a, %a) gives %a\n", pair.x, pair.y, ours);
        }
    }
    mpfr_clears(x, y, d, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, wrong = 0;
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        parts[t] = (struct part){seed * THREADS + t, millions * 1000000 / THREADS, 0};
        pthread_create(&threads[t], NULL, prove, &parts[t]);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        wrong += parts[t].wrong;
    }
    printf("%llu million pairs, seed %llu: %llu wrong\n", (unsigned long long)millions,
           (unsigned long long)seed, (unsigned long long)wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
