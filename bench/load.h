/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a benchmark does to a queue: fills it, empties it without simulating anything, watches it.
 * One link, one loop; what goes wrong ends the program with a message.
 */
#include "link.h"
#include "queue_work.h"

#include <stdint.h>
#include <uv.h>

#define LOAD_QUEUE "bench"
#define LOAD_JOB_BYTES 100u

struct load {
    const char *url; /* borrowed */
    uv_loop_t loop;
    struct link *link;
    struct queue queue;  /* waits for each answer */
    struct queue stream; /* does not */
    uint64_t next;       /* number of the next job */
    size_t in_flight;    /* calls, or chains of them, that are under way */
};

/* Connects, empties the Redis, loads the functions and lifts the limits of the queue. */
void load_open(struct load *load, const char *url);
void load_close(struct load *load);

/* Adds jobs (thousands of them) through enqueue, 1,000 a call, four calls under way; seconds that
 * it took. */
double load_fill(struct load *load, uint64_t jobs);

/* The same by plain pipelined XADD. */
double load_fill_bare(struct load *load, uint64_t jobs);

/* Takes all jobs out again as fast as Redis can, results of 200 bytes, 64 jobs a call, four calls
 * under way; seconds. By our functions; and by XREADGROUP, SET, XACK and XDEL. */
double load_drain(struct load *load);
double load_drain_bare(struct load *load);

/* One job for the worker, as long as it gets. */
void load_add_long(struct load *load);

/* Jobs that wait or run. */
uint64_t load_left(struct load *load);

/* A number of INFO, "used_memory:". */
uint64_t load_info(struct load *load, const char *section, const char *name);

/* Waits until the queue has at most so many jobs, at most 120 s. */
void load_wait(struct load *load, uint64_t left);

/* Keeps `waiting` jobs in the queue, `batch` at a time, for that long; how many were added. */
uint64_t load_feed(struct load *load, uint64_t waiting, size_t batch, double seconds);

/* Sorted milliseconds from sending to the result, of `count` jobs sent one after the other every
 * `every_ms`, while `background` more a second are added beside them. Caller's to free. */
double *load_latency(struct load *load, size_t count, unsigned every_ms, double background);
