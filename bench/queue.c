/* SPDX-License-Identifier: MIT */
/*
 * bench_queue: jobs a second through one worker and one Redis, both its own, beside what that Redis
 * can do when nobody has to run anything; latency; memory. A job is a claim of 10 birds at tick 1,
 * 100 bytes, `store: false`. Rounds in turn, medians.
 *
 *   bench_queue               all of it
 *   bench_queue drain [JOBS]  only how fast a worker empties a queue: to be profiled
 *   bench_queue functions [JOBS]   the same without a worker: what Redis's part costs
 *
 * Run from the root of the project: the worker is build/release/worker/susurration-worker, or what
 * SUSURRATION_BENCH_WORKER names (to compare two builds).
 */
#include "child.h"
#include "clock.h"
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, JOBS = 100000, SLOTS = 2 };

static void start_worker(struct child *worker, const struct child *redis, unsigned slots) {
    const char *program = getenv("SUSURRATION_BENCH_WORKER");
    child_start_worker(worker, redis, program ? program : "build/release/worker/susurration-worker",
                       LOAD_QUEUE, slots);
}

/* --- rates ------------------------------------------------------------------------------------ */

/* What one round of a measurement has shown. */
struct rate {
    double jobs_s;
    double worker_cpu, redis_cpu; /* of one processor, while it lasted; worker < 0: there is none */
};

/* A worker at work: what it and Redis had used when it was looked at. */
struct watch {
    const struct child *worker, *redis;
    double worker_s, redis_s;
    int64_t start_ns;
};

static struct watch watch_begin(const struct child *worker, const struct child *redis) {
    return (struct watch){worker, redis, child_cpu_s(worker), child_cpu_s(redis), clock_now_ns()};
}

static struct rate watch_end(const struct watch *watch, double jobs) {
    double s = (double)(clock_now_ns() - watch->start_ns) / 1e9;
    return (struct rate){jobs / s, (child_cpu_s(watch->worker) - watch->worker_s) / s,
                         (child_cpu_s(watch->redis) - watch->redis_s) / s};
}

/* The middle of a drain, without the worker's start: from 90 % of the jobs to 10 %. */
static struct rate rate_drain(const struct child *redis, uint64_t jobs) {
    struct load load;
    struct child worker;
    load_open(&load, redis->url);
    load_fill(&load, jobs);
    start_worker(&worker, redis, SLOTS);
    load_wait(&load, jobs - jobs / 10);
    uint64_t left = load_left(&load);
    struct watch watch = watch_begin(&worker, redis);
    load_wait(&load, jobs / 10);
    struct rate rate = watch_end(&watch, (double)(left - load_left(&load)));
    child_stop(&worker);
    load_close(&load);
    return rate;
}

/* Enqueued and done at the same time, for 2 s. */
static struct rate rate_cycle(const struct child *redis) {
    struct load load;
    struct child worker;
    load_open(&load, redis->url);
    start_worker(&worker, redis, SLOTS);
    load_feed(&load, 2000, 100, 0.5);
    uint64_t before = load_left(&load);
    struct watch watch = watch_begin(&worker, redis);
    uint64_t added = load_feed(&load, 2000, 100, 2);
    struct rate rate = watch_end(&watch, (double)(before + added) - (double)load_left(&load));
    load_wait(&load, 0);
    child_stop(&worker);
    load_close(&load);
    return rate;
}

static double fill_and_drain(struct load *load, uint64_t jobs) {
    load_fill(load, jobs);
    return load_drain(load);
}

static double fill_and_drain_bare(struct load *load, uint64_t jobs) {
    load_fill_bare(load, jobs);
    return load_drain_bare(load);
}

/* Without a worker; `measure` gives the seconds that count. */
static struct rate rate_redis(const struct child *redis,
                              double (*measure)(struct load *load, uint64_t jobs)) {
    struct load load;
    load_open(&load, redis->url);
    double redis_s = child_cpu_s(redis);
    int64_t start_ns = clock_now_ns();
    double s = measure(&load, JOBS);
    double whole_s = (double)(clock_now_ns() - start_ns) / 1e9;
    struct rate rate = {JOBS / s, -1, (child_cpu_s(redis) - redis_s) / whole_s};
    load_close(&load);
    return rate;
}

enum { RATE_DRAIN, RATE_FUNCTIONS, RATE_BARE, RATE_CYCLE, RATE_ENQUEUE, RATE_ADD, RATES };

static const char *const rate_names[RATES] = {
    [RATE_DRAIN] = "a worker empties the queue",
    [RATE_FUNCTIONS] = "our functions empty it, nobody runs anything",
    [RATE_BARE] = "XREADGROUP, SET, XACK, XDEL empty it",
    [RATE_CYCLE] = "enqueued and done at the same time",
    [RATE_ENQUEUE] = "enqueue, 1,000 a call",
    [RATE_ADD] = "XADD, pipelined",
};

static void rates_measure(const struct child *redis, struct rate rate[RATES][ROUNDS]) {
    for (int round = 0; round < ROUNDS; round++) {
        rate[RATE_DRAIN][round] = rate_drain(redis, JOBS);
        rate[RATE_FUNCTIONS][round] = rate_redis(redis, fill_and_drain);
        rate[RATE_BARE][round] = rate_redis(redis, fill_and_drain_bare);
        rate[RATE_CYCLE][round] = rate_cycle(redis);
        rate[RATE_ENQUEUE][round] = rate_redis(redis, load_fill);
        rate[RATE_ADD][round] = rate_redis(redis, load_fill_bare);
    }
}

static int rate_compare(const void *a, const void *b) {
    const struct rate *left = a, *right = b;
    return (left->jobs_s > right->jobs_s) - (left->jobs_s < right->jobs_s);
}

/* Gives the median of jobs that are enqueued and done at the same time. */
static double rates_print(bool append_only) {
    static struct rate rate[RATES][ROUNDS];
    struct child redis;
    child_start_redis(&redis, append_only);
    rates_measure(&redis, rate);
    child_stop(&redis);
    printf("\n| Redis %s | jobs/s | worst, best | CPU worker, Redis |\n|---|---|---|---|\n",
           append_only ? "with append-only file, everysec" : "without persistence");
    for (int i = 0; i < RATES; i++) {
        qsort(rate[i], ROUNDS, sizeof rate[i][0], rate_compare);
        const struct rate *median = &rate[i][ROUNDS / 2];
        printf("| %s | %.0f | %.0f, %.0f | ", rate_names[i], median->jobs_s, rate[i][0].jobs_s,
               rate[i][ROUNDS - 1].jobs_s);
        if (median->worker_cpu < 0)
            printf("-, %.0f %% |\n", 100 * median->redis_cpu);
        else
            printf("%.0f %%, %.0f %% |\n", 100 * median->worker_cpu, 100 * median->redis_cpu);
    }
    printf("A worker empties the queue at %.0f %% of what the functions alone do.\n",
           100 * rate[RATE_DRAIN][ROUNDS / 2].jobs_s / rate[RATE_FUNCTIONS][ROUNDS / 2].jobs_s);
    return rate[RATE_CYCLE][ROUNDS / 2].jobs_s;
}

/* --- latency ---------------------------------------------------------------------------------- */

enum { LATENCY_JOBS = 2000, LATENCY_EVERY_MS = 5 };

static void latency_print(const char *name, double background) {
    struct child redis, worker;
    struct load load;
    child_start_redis(&redis, false);
    load_open(&load, redis.url);
    start_worker(&worker, &redis, SLOTS);
    free(load_latency(&load, 100, LATENCY_EVERY_MS, background)); /* until all is up and warm */
    double *ms = load_latency(&load, LATENCY_JOBS, LATENCY_EVERY_MS, background);
    printf("| %s | %.2f | %.2f | %.2f |\n", name, ms[LATENCY_JOBS / 2], ms[LATENCY_JOBS * 99 / 100],
           ms[LATENCY_JOBS - 1]);
    free(ms);
    child_stop(&worker);
    load_close(&load);
    child_stop(&redis);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void memory_waiting(void) {
    struct child redis;
    struct load load;
    child_start_redis(&redis, false);
    load_open(&load, redis.url);
    uint64_t before = load_info(&load, "memory", "used_memory:");
    load_fill(&load, JOBS);
    uint64_t after = load_info(&load, "memory", "used_memory:");
    printf("| Redis, a waiting job of 100 bytes with an id | %.0f bytes |\n",
           (double)(after - before) / JOBS);
    load_close(&load);
    child_stop(&redis);
}

static void memory_worker(void) {
    struct child redis, worker;
    struct load load;
    child_start_redis(&redis, false);
    load_open(&load, redis.url);
    start_worker(&worker, &redis, 4);
    free(load_latency(&load, 100, LATENCY_EVERY_MS, 0));
    printf("| worker, idle | %.1f MiB |\n", (double)child_memory_kib(&worker) / 1024);
    for (int i = 0; i < 4; i++)
        load_add_long(&load);
    load_wait(&load, 0);
    printf("| worker, at most, with 4 slots busy | %.1f MiB |\n",
           (double)child_peak_kib(&worker) / 1024);
    load_fill(&load, JOBS);
    load_wait(&load, 0);
    printf("| worker, at most, after %d short jobs besides | %.1f MiB |\n", JOBS,
           (double)child_peak_kib(&worker) / 1024);
    child_stop(&worker);
    load_close(&load);
    child_stop(&redis);
}

/* --- parts, to be profiled ---------------------------------------------------------------------
 */

static void part_drain(uint64_t jobs) {
    struct child redis;
    child_start_redis(&redis, false);
    struct rate rate = rate_drain(&redis, jobs);
    printf("%.0f jobs/s, worker %.0f %%, Redis %.0f %%; microseconds a job: %.2f, %.2f\n",
           rate.jobs_s, 100 * rate.worker_cpu, 100 * rate.redis_cpu,
           1e6 * rate.worker_cpu / rate.jobs_s, 1e6 * rate.redis_cpu / rate.jobs_s);
    child_stop(&redis);
}

static void part_functions(uint64_t jobs) {
    struct child redis;
    struct load load;
    child_start_redis(&redis, false);
    load_open(&load, redis.url);
    double before_s = child_cpu_s(&redis);
    load_fill(&load, jobs);
    double filled_s = child_cpu_s(&redis);
    double s = load_drain(&load);
    double drained_s = child_cpu_s(&redis);
    printf("%.0f jobs/s; microseconds of Redis a job: enqueue %.2f, claim and complete %.2f\n",
           (double)jobs / s, 1e6 * (filled_s - before_s) / (double)jobs,
           1e6 * (drained_s - filled_s) / (double)jobs);
    load_close(&load);
    child_stop(&redis);
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    char half[64];
    uint64_t jobs = argc > 2 ? strtoull(argv[2], NULL, 10) : JOBS;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(part, "drain") == 0) {
        part_drain(jobs);
        return 0;
    }
    if (strcmp(part, "functions") == 0) {
        part_functions(jobs);
        return 0;
    }
    double most = rates_print(false);
    (void)rates_print(true);
    printf("\n| enqueue to result | p50 ms | p99 ms | worst ms |\n|---|---|---|---|\n");
    latency_print("idle, 200 jobs/s", 0);
    (void)snprintf(half, sizeof half, "beside %.0f jobs/s, half of the most", most / 2);
    latency_print(half, most / 2);
    printf("\n| memory | |\n|---|---|\n");
    memory_waiting();
    memory_worker();
    return 0;
}
