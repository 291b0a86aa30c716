/* SPDX-License-Identifier: MIT */
/*
 * bench_engine: how fast every engine of this CPU is, beside the reference and beside plain C with
 * libm, in one run. Flocks change as they fly, so each is timed from snapshots along its way, all
 * engines in turn, several rounds; a figure is the mean over the snapshots of the median over the
 * rounds. Machines drift: compare the ratios.
 *
 *   bench_engine              the table
 *   bench_engine roofline     how far the best engine is from what the arithmetic alone would take
 *   bench_engine sweep        seeds a second, 500 ticks of 120 birds
 *   bench_engine worst        the worst claims known, whole
 *   bench_engine search       looks for worse ones over seeds and weights
 *   bench_engine one ISA BIRDS COHESION ALIGNMENT SEPARATION TICK TICKS
 *                             nanoseconds a tick of one engine from that tick of seed 42 on, the
 *                             best round: to time two builds in turn, or to be profiled
 */
#include "engine.h"
#include "clock.h"
#include "flock.h"
#include "flock_plain.h"
#include "peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOTS = 4, SNAPSHOT_TICKS = 500, ROUNDS = 5, ENGINES_MAX = 8 };

#define SLICE_NS INT64_C(40000000)

static const uint32_t bench_birds[] = {10, 50, 120, 200, 400};
static const struct {
    const char *name;
    double cohesion, alignment, separation;
} bench_weights[] = {
    {"defaults", 0.5, 0.5, 0.5},
    {"clump", 1, 1, 0},
    {"worst", 1, 1, 1e-6},
    {"scattered", 0, 0, 1},
};

/* NULL: plain C. */
static const struct engine *bench_engines[ENGINES_MAX];
static int bench_engine_count;

static void engines_collect(void) {
    bench_engines[bench_engine_count++] = NULL;
    for (size_t e = 0; engine_at(e); e++)
        if (engine_at(e)->runs_here())
            bench_engines[bench_engine_count++] = engine_at(e);
}

static const char *engine_name(int e) {
    return bench_engines[e] ? bench_engines[e]->isa : "plain C";
}

static struct sim flock_of(uint32_t birds, uint32_t seed, double cohesion, double alignment,
                           double separation) {
    struct sim sim;
    struct sim_params params;
    model_default_params(&flock_model, &params);
    params.value[FLOCK_BIRDS] = birds;
    params.value[FLOCK_COHESION] = cohesion;
    params.value[FLOCK_ALIGNMENT] = alignment;
    params.value[FLOCK_SEPARATION] = separation;
    sim_init(&sim, &flock_model, seed, &params);
    return sim;
}

static bool keep_metrics(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    (void)sim;
    *(volatile double *)context = metrics->polarization;
    return true;
}

/* Nanoseconds for `ticks` ticks from that state, metrics each tick. */
static int64_t time_ticks(const struct engine *engine, struct sim sim, uint32_t ticks) {
    volatile double sink;
    struct sim_metrics metrics;
    struct sim_watch watch = {keep_metrics, (void *)&sink, true};
    int64_t start = clock_now_ns();
    if (engine)
        sim_run(&sim, engine, sim.tick + ticks, NULL, &watch);
    else
        for (uint32_t t = 0; t < ticks; t++) {
            flock_plain_tick(&sim, &metrics);
            sink = metrics.polarization;
        }
    return clock_now_ns() - start;
}

/* So many ticks that a slice is long enough to be timed, and no more than to the next snapshot. */
static uint32_t ticks_for_slice(const struct engine *engine, const struct sim *sim) {
    uint32_t ticks = 1;
    while (ticks < SNAPSHOT_TICKS && time_ticks(engine, *sim, ticks) < SLICE_NS)
        ticks *= 2;
    return ticks < SNAPSHOT_TICKS ? ticks : SNAPSHOT_TICKS;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

/* Nanoseconds a tick of every engine. */
static void time_scene(struct sim sim, double ns[ENGINES_MAX]) {
    memset(ns, 0, ENGINES_MAX * sizeof ns[0]);
    for (int s = 0; s < SNAPSHOTS; s++) {
        uint32_t ticks[ENGINES_MAX];
        double round[ENGINES_MAX][ROUNDS];
        for (int e = 0; e < bench_engine_count; e++)
            ticks[e] = ticks_for_slice(bench_engines[e], &sim);
        for (int r = 0; r < ROUNDS; r++)
            for (int e = 0; e < bench_engine_count; e++)
                round[e][r] = (double)time_ticks(bench_engines[e], sim, ticks[e]) / ticks[e];
        for (int e = 0; e < bench_engine_count; e++)
            ns[e] += median(round[e], ROUNDS) / SNAPSHOTS;
        sim_run(&sim, engine_best(), sim.tick + SNAPSHOT_TICKS, NULL, NULL);
    }
}

/* A cell an engine: ticks a second, nanoseconds an ordered pair, times plain C. */
static void run_table(void) {
    printf("| weights | birds |");
    for (int e = 0; e < bench_engine_count; e++)
        printf(" %s |", engine_name(e));
    printf(" %s grows as |\n|---|---|", engine_name(bench_engine_count - 1));
    for (int e = 0; e <= bench_engine_count; e++)
        printf("---|");
    printf("\n");
    for (size_t w = 0; w < sizeof bench_weights / sizeof bench_weights[0]; w++) {
        double before = 0;
        for (size_t n = 0; n < sizeof bench_birds / sizeof bench_birds[0]; n++) {
            double ns[ENGINES_MAX], pairs = (double)bench_birds[n] * (bench_birds[n] - 1);
            time_scene(flock_of(bench_birds[n], 42, bench_weights[w].cohesion,
                                bench_weights[w].alignment, bench_weights[w].separation),
                       ns);
            printf("| %s | %u |", bench_weights[w].name, bench_birds[n]);
            for (int e = 0; e < bench_engine_count; e++)
                printf(" %.0f; %.2f ns; %.1f |", 1e9 / ns[e], ns[e] / pairs, ns[0] / ns[e]);
            double fastest = ns[bench_engine_count - 1];
            if (n > 0)
                printf(" N^%.1f |\n",
                       log(fastest / before) / log((double)bench_birds[n] / bench_birds[n - 1]));
            else
                printf(" |\n");
            before = fastest;
            (void)fflush(stdout);
        }
    }
}

/* Ordered pairs that are neighbours, and those that separate. */
struct pair_counts {
    double near, close;
};

static struct pair_counts count_pairs(const struct sim *sim) {
    struct pair_counts counts = {0, 0};
    for (uint32_t i = 0; i < sim->count; i++) {
        for (uint32_t j = 0; j < sim->count; j++) {
            double d = hypot(flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH),
                             flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT));
            counts.near += j != i && d < FLOCK_PERCEPTION;
            counts.close += j != i && d < FLOCK_SEPARATION_DISTANCE;
        }
    }
    return counts;
}

/*
 * Additions, multiplications and the like that no engine can do without, if it knew for nothing
 * which pairs are neighbours and lost no lane. A neighbour: two deltas and their wraps, a square
 * distance and two comparisons, for both birds at once; four sums for each. A close pair: sqrt, two
 * divisions and 24 more to make the distance exact, for both; two sums and a minimum for each.
 */
#define NEIGHBOR_OPERATIONS ((2 + 2 + 3 + 2) / 2.0 + 4)
#define CLOSE_OPERATIONS (24 / 2.0 + 3)

static void run_roofline(void) {
    struct peak peak = peak_measure();
    printf("%.1f G additions or multiplications/s, %.2f G square roots/s, %.2f G divisions/s\n\n",
           peak.operations * 1e-9, peak.roots * 1e-9, peak.divisions * 1e-9);
    printf("| weights | birds | neighbours | close | least ns a tick | %s | times that |\n"
           "|---|---|---|---|---|---|---|\n",
           engine_best()->isa);
    for (size_t w = 0; w < sizeof bench_weights / sizeof bench_weights[0]; w++) {
        for (size_t n = 0; n < sizeof bench_birds / sizeof bench_birds[0]; n++) {
            struct sim sim = flock_of(bench_birds[n], 42, bench_weights[w].cohesion,
                                      bench_weights[w].alignment, bench_weights[w].separation);
            sim_run(&sim, engine_best(), 1000, NULL, NULL);
            struct pair_counts counts = count_pairs(&sim);
            uint32_t ticks = ticks_for_slice(engine_best(), &sim);
            double round[ROUNDS];
            for (int r = 0; r < ROUNDS; r++)
                round[r] = (double)time_ticks(engine_best(), sim, ticks) / ticks;
            double ns = median(round, ROUNDS);
            double least =
                1e9 * ((counts.near * NEIGHBOR_OPERATIONS + counts.close * CLOSE_OPERATIONS) /
                           peak.operations +
                       counts.close / 2 / peak.roots + counts.close / peak.divisions);
            printf("| %s | %u | %.0f | %.0f | %.0f | %.0f | %.1f |\n", bench_weights[w].name,
                   bench_birds[n], counts.near, counts.close, least, ns, ns / least);
            (void)fflush(stdout);
        }
    }
}

/* As a sweep does it: no metrics before the end. */
static void run_sweep(void) {
    enum { SEEDS = 60, TICKS = 500 };
    printf("| engine | seeds/s, %d ticks of 120 birds |\n|---|---|\n", TICKS);
    for (int e = 1; e < bench_engine_count; e++) {
        double seconds[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            int64_t start = clock_now_ns();
            for (uint32_t seed = 0; seed < SEEDS; seed++) {
                struct sim sim = flock_of(120, seed, 0.5, 0.5, 0.5);
                struct sim_metrics metrics;
                sim_run(&sim, bench_engines[e], TICKS, NULL, NULL);
                sim_measure(&sim, bench_engines[e], &metrics);
            }
            seconds[r] = 1e-9 * (double)(clock_now_ns() - start);
        }
        printf("| %s | %.0f |\n", engine_name(e), SEEDS / median(seconds, ROUNDS));
        (void)fflush(stdout);
    }
}

/* Claims of 20,000 ticks that took longest among those that were looked at. */
static const struct {
    uint32_t seed;
    double cohesion, alignment, separation;
} bench_worst[] = {{1, 1, 1, 1e-6}, {1, 1, 0.5, 0}, {3, 1, 1, 0.01}};

static double time_claim(const struct engine *engine, uint32_t seed, double cohesion,
                         double alignment, double separation) {
    struct sim sim = flock_of(SIM_AGENTS_MAX, seed, cohesion, alignment, separation);
    return 1e-9 * (double)time_ticks(engine, sim, SIM_TICKS_MAX);
}

/* The fastest engines; slower ones than the first that takes longer than a claim may are left out.
 */
static void run_worst(void) {
    printf("| seed, weights | engine | seconds for 20,000 ticks of 400 birds |\n|---|---|---|\n");
    for (size_t w = 0; w < sizeof bench_worst / sizeof bench_worst[0]; w++) {
        double seconds[3] = {0};
        for (int e = bench_engine_count - 1; e > 1 && seconds[0] < 10; e--) {
            for (int r = 0; r < 3; r++)
                seconds[r] =
                    time_claim(bench_engines[e], bench_worst[w].seed, bench_worst[w].cohesion,
                               bench_worst[w].alignment, bench_worst[w].separation);
            printf("| %u: %g, %g, %g | %s | %.2f |\n", bench_worst[w].seed, bench_worst[w].cohesion,
                   bench_worst[w].alignment, bench_worst[w].separation, engine_name(e),
                   median(seconds, 3));
            (void)fflush(stdout);
        }
    }
}

static void run_search(void) {
    static const double tiny[] = {0, 1e-6, 1e-3, 0.01, 0.03, 0.1}, alignments[] = {0, 0.1, 0.5, 1};
    double worst = 0;
    for (uint32_t seed = 0; seed < 8; seed++) {
        for (size_t s = 0; s < sizeof tiny / sizeof tiny[0]; s++) {
            for (size_t a = 0; a < sizeof alignments / sizeof alignments[0]; a++) {
                double seconds = time_claim(engine_best(), seed, 1, alignments[a], tiny[s]);
                if (seconds <= worst)
                    continue;
                worst = seconds;
                printf("seed %u, weights 1, %g, %g: %.2f s\n", seed, alignments[a], tiny[s],
                       seconds);
                (void)fflush(stdout);
            }
        }
    }
}

static int run_one(char **argv) {
    const struct engine *engine = engine_find(argv[0]);
    if (!engine) {
        (void)fprintf(stderr, "bench_engine: one: no engine '%s' here\n", argv[0]);
        return 2;
    }
    struct sim sim = flock_of((uint32_t)strtoul(argv[1], NULL, 10), 42, strtod(argv[2], NULL),
                              strtod(argv[3], NULL), strtod(argv[4], NULL));
    uint32_t ticks = (uint32_t)strtoul(argv[6], NULL, 10);
    int64_t best = INT64_MAX;
    sim_run(&sim, engine_best(), (uint32_t)strtoul(argv[5], NULL, 10), NULL, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        int64_t ns = time_ticks(engine, sim, ticks);
        best = ns < best ? ns : best;
    }
    printf("%.0f\n", (double)best / ticks);
    return 0;
}

static const struct {
    const char *name;
    void (*run)(void);
} bench_parts[] = {{"table", run_table},
                   {"roofline", run_roofline},
                   {"sweep", run_sweep},
                   {"worst", run_worst},
                   {"search", run_search}};

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : "table";
    engines_collect();
    if (strcmp(wanted, "one") == 0 && argc == 9)
        return run_one(argv + 2);
    for (size_t p = 0; p < sizeof bench_parts / sizeof bench_parts[0]; p++) {
        if (strcmp(wanted, bench_parts[p].name) == 0) {
            bench_parts[p].run();
            return 0;
        }
    }
    (void)fprintf(stderr,
                  "bench_engine: takes table, roofline, sweep, worst, search or one (with 7 "
                  "values), got '%s'\n",
                  wanted);
    return 2;
}
