/* SPDX-License-Identifier: MIT */
/*
 * proof_angles [FILE]: sin and cos of all 2^32 angles that the generator can draw, against an
 * oracle that shares nothing with exact.c. Takes half an hour on two cores, in 4,096 shards;
 * each finished shard is a line in FILE (proof_angles.log), and the next start goes on behind them.
 *
 * The k-th angle is a = RN(k * h) with h = PI * 2^-31, PI the double. k*h has 85 bits and is exact
 * in binary128, and so is e = a - k*h, at most 2^-51. With k = 2^16 i + j
 *
 *    sin(kh) = sin(2^16 ih) cos(jh) + cos(2^16 ih) sin(jh)
 *    sin(a)  = sin(kh) (1 - e^2/2) + cos(kh) e        up to e^3/6 < 2^-155
 *
 * from two tables of 2^16 sines and cosines that MPFR computed to 113 bits. Six roundings at values
 * up to 1: the error is below 2^-109; 2^-106 is allowed. A double is right if it is closer to the
 * value than half of its ulp by more than that, wrong if it is farther by more than that; what is
 * between is for MPFR.
 */
#include "exact.h"

#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __float128 quad;

enum { SHARDS = 4096, TABLE = 65536 };

static quad coarse_sin[TABLE], coarse_cos[TABLE], fine_sin[TABLE], fine_cos[TABLE];

static const char *log_name = "proof_angles.log";
static FILE *log_file;
static unsigned char done[SHARDS];
static int next_shard;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct tally {
    uint64_t sure, by_mpfr, wrong;
};

/* Three doubles hold the 113 bits. */
static quad quad_from(mpfr_t value) {
    quad sum = 0;
    for (int part = 0; part < 3; part++) {
        double d = mpfr_get_d(value, MPFR_RNDN);
        sum += (quad)d;
        mpfr_sub_d(value, value, d, MPFR_RNDN);
    }
    return sum;
}

static void make_table(quad *sines, quad *cosines, int shift) {
    mpfr_t angle, value;
    mpfr_init2(angle, 200);
    mpfr_init2(value, 113);
    for (unsigned i = 0; i < TABLE; i++) {
        mpfr_set_d(angle, EXACT_PI, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, i, MPFR_RNDN);
        mpfr_mul_2si(angle, angle, shift - 31, MPFR_RNDN);
        mpfr_sin(value, angle, MPFR_RNDN);
        sines[i] = quad_from(value);
        mpfr_cos(value, angle, MPFR_RNDN);
        cosines[i] = quad_from(value);
    }
    mpfr_clear(angle);
    mpfr_clear(value);
}

static double by_mpfr(double angle, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)) {
    mpfr_t in, out;
    mpfr_init2(in, 53);
    mpfr_init2(out, 53);
    mpfr_set_d(in, angle, MPFR_RNDN);
    function(out, in, MPFR_RNDN);
    double result = mpfr_get_d(out, MPFR_RNDN);
    mpfr_clear(in);
    mpfr_clear(out);
    return result;
}

static int mpfr_sine(mpfr_t out, const mpfr_t in, mpfr_rnd_t rounding) {
    return mpfr_sin(out, in, rounding);
}

static int mpfr_cosine(mpfr_t out, const mpfr_t in, mpfr_rnd_t rounding) {
    return mpfr_cos(out, in, rounding);
}

/* Half of the distance to the neighbour on the side of the difference. */
static quad half_gap(double result, quad difference) {
    double beyond = nextafter(result, difference > 0 ? INFINITY : -INFINITY);
    return ((quad)beyond - (quad)result) / 2;
}

static void check(double result, quad value, double angle,
                  int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t), struct tally *tally) {
    const quad allowed = (quad)0x1p-106;
    quad difference = value - (quad)result;
    quad gap = half_gap(result, difference);
    quad margin = (gap < 0 ? -gap : gap) - (difference < 0 ? -difference : difference);
    if (margin > allowed) {
        tally->sure++;
        return;
    }
    tally->by_mpfr++;
    double truth = by_mpfr(angle, function);
    if (memcmp(&truth, &result, sizeof truth) != 0) {
        tally->wrong++;
        printf("wrong: angle %a gives %a, is %a\n", angle, result, truth);
    }
}

static struct tally prove_shard(int shard) {
    struct tally tally = {0, 0, 0};
    for (uint32_t low = 0; low < UINT32_C(1) << 20; low++) {
        uint32_t k = (uint32_t)shard << 20 | low;
        double angle = (k / 4294967296.0 * 2) * EXACT_PI;
        quad kh = (quad)k * (quad)EXACT_PI * (quad)0x1p-31;
        quad e = (quad)angle - kh;
        quad s1 = coarse_sin[k >> 16], c1 = coarse_cos[k >> 16];
        quad s2 = fine_sin[k & 0xffff], c2 = fine_cos[k & 0xffff];
        quad sine = s1 * c2 + c1 * s2, cosine = c1 * c2 - s1 * s2;
        quad bend = e * e / 2;
        check(exact_sin(angle), sine + (cosine * e - sine * bend), angle, mpfr_sine, &tally);
        check(exact_cos(angle), cosine - (sine * e + cosine * bend), angle, mpfr_cosine, &tally);
    }
    return tally;
}

static void *prove(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (next_shard < SHARDS && done[next_shard])
            next_shard++;
        int shard = next_shard++;
        pthread_mutex_unlock(&lock);
        if (shard >= SHARDS) {
            mpfr_free_cache();
            return NULL;
        }
        struct tally tally = prove_shard(shard);
        pthread_mutex_lock(&lock);
        (void)fprintf(log_file, "shard %d sure %llu mpfr %llu wrong %llu\n", shard,
                      (unsigned long long)tally.sure, (unsigned long long)tally.by_mpfr,
                      (unsigned long long)tally.wrong);
        (void)fflush(log_file);
        pthread_mutex_unlock(&lock);
    }
}

/* What the log holds, and marks its shards as done. */
static struct tally read_log(int *shards) {
    struct tally sum = {0, 0, 0};
    unsigned long long sure, mpfr, wrong;
    int shard;
    char line[160];
    *shards = 0;
    rewind(log_file);
    memset(done, 0, sizeof done);
    while (fgets(line, sizeof line, log_file)) {
        if (sscanf(line, "shard %d sure %llu mpfr %llu wrong %llu", &shard, &sure, &mpfr, &wrong) !=
                4 ||
            shard < 0 || shard >= SHARDS || done[shard])
            continue;
        done[shard] = 1;
        ++*shards;
        sum.sure += sure;
        sum.by_mpfr += mpfr;
        sum.wrong += wrong;
    }
    (void)fseek(log_file, 0, SEEK_END);
    return sum;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    int shards;
    if (argc > 1)
        log_name = argv[1];
    log_file = fopen(log_name, "a+");
    if (!log_file) {
        perror(log_name);
        return 2;
    }
    read_log(&shards);
    printf("%d of %d shards are done\n", shards, SHARDS);
    make_table(coarse_sin, coarse_cos, 16);
    make_table(fine_sin, fine_cos, 0);
    for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, prove, NULL);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    struct tally sum = read_log(&shards);
    printf("%d shards: %llu results sure, %llu by MPFR, %llu wrong\n", shards,
           (unsigned long long)sum.sure, (unsigned long long)sum.by_mpfr,
           (unsigned long long)sum.wrong);
    (void)fclose(log_file);
    return shards == SHARDS && sum.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
