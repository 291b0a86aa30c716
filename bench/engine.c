/* SPDX-License-Identifier: MIT */
/*
 * bench_engine: how fast every engine of this CPU is, beside the reference and beside plain C with
 * libm, in one run. Flocks change as they fly, so each is timed from snapshots along its way, all
 * engines in turn, several rounds; a figure is the mean over the snapshots of the median over the
 * rounds. Machines drift: compare the ratios.
 *
 *   bench_engine              the table
 *   bench_engine worst        the worst claim known, whole, on every engine
 *   bench_engine search       looks for a worse one over seeds and weights
 */
#include "engine.h"
#include "clock.h"
#include "flock.h"
#include "flock_plain.h"

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

static void run_table(void) {
    printf("| weights | birds | engine | ticks/s | ns a pair | times plain C "
           "|\n|---|---|---|---|---|---|\n");
    for (size_t w = 0; w < sizeof bench_weights / sizeof bench_weights[0]; w++) {
        for (size_t n = 0; n < sizeof bench_birds / sizeof bench_birds[0]; n++) {
            double ns[ENGINES_MAX], pairs = (double)bench_birds[n] * (bench_birds[n] - 1);
            time_scene(flock_of(bench_birds[n], 42, bench_weights[w].cohesion,
                                bench_weights[w].alignment, bench_weights[w].separation),
                       ns);
            for (int e = 0; e < bench_engine_count; e++)
                printf("| %s | %u | %s | %.0f | %.3f | %.1f |\n", bench_weights[w].name,
                       bench_birds[n], engine_name(e), 1e9 / ns[e], ns[e] / pairs, ns[0] / ns[e]);
            (void)fflush(stdout);
        }
    }
}

/* The claim of 20,000 ticks that takes longest, among those that were looked at. */
static void run_worst(void) {
    printf("| engine | seconds for 20,000 ticks of 400 birds, weights 1, 1, 0.000001, seed 1 "
           "|\n|---|---|\n");
    for (int e = 2; e < bench_engine_count; e++) {
        double seconds[3];
        for (int r = 0; r < 3; r++)
            seconds[r] = 1e-9 * (double)time_ticks(bench_engines[e], flock_of(400, 1, 1, 1, 1e-6),
                                                   SIM_TICKS_MAX);
        printf("| %s | %.2f |\n", engine_name(e), median(seconds, 3));
        (void)fflush(stdout);
    }
}

static void run_search(void) {
    static const double tiny[] = {0, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1};
    double worst = 0;
    for (uint32_t seed = 0; seed < 12; seed++) {
        for (size_t s = 0; s < sizeof tiny / sizeof tiny[0]; s++) {
            for (int a = 0; a < 2; a++) {
                struct sim sim = flock_of(400, seed, 1, a ? 1 : 0.5, tiny[s]);
                sim_run(&sim, engine_best(), 4000, NULL, NULL);
                double ns = (double)time_ticks(engine_best(), sim, 500) / 500;
                if (ns <= worst)
                    continue;
                worst = ns;
                printf("seed %u, weights 1, %g, %g: %.0f ns a tick, %.2f s for 20,000\n", seed,
                       a ? 1 : 0.5, tiny[s], ns, ns * 2e-5);
                (void)fflush(stdout);
            }
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} bench_parts[] = {{"table", run_table}, {"worst", run_worst}, {"search", run_search}};

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : "table";
    engines_collect();
    for (size_t p = 0; p < sizeof bench_parts / sizeof bench_parts[0]; p++) {
        if (strcmp(wanted, bench_parts[p].name) == 0) {
            bench_parts[p].run();
            return 0;
        }
    }
    (void)fprintf(stderr, "bench_engine: takes table, worst or search, got '%s'\n", wanted);
    return 2;
}
