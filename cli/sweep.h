/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Many seeds, one row each. The seeds are cut into chunks; a chunk is run by one thread or sent as
 * one job, several are under way at once, and rows are written in seed order whatever finishes
 * first:
 *
 *   chunk     0   1   2   3   4   5   6   7 ...
 *           written  | under way, or done |  not begun
 *                    ^ next_write         ^ next_begin <= next_write + SWEEP_WINDOW
 */
#include "result.h"

#include <stdio.h>

#define SWEEP_WINDOW 256u

struct sweep_chunk {
    uint32_t count;               /* seeds in it */
    uint32_t done;                /* of them, rows that are there */
    struct result_sweep_row *row; /* owned */
};

struct sweep {
    struct job job; /* all but the seeds */
    uint32_t first; /* seed */
    uint64_t count; /* seeds */
    uint32_t chunk_size;
    uint64_t chunks; /* of all */
    uint64_t next_begin, next_write;
    struct sweep_chunk chunk[SWEEP_WINDOW]; /* of chunk k: [k % SWEEP_WINDOW] */
    FILE *out;
    bool is_headed;       /* the first line is written */
    const char *out_name; /* for messages */
    int64_t start_ns;
};

/* The chunk that is begun next, its rows allocated; NULL: none may begin now. *index is its number.
 */
struct sweep_chunk *sweep_begin(struct sweep *sweep, uint64_t *index);

/* The job for what is missing of a chunk: a copy of sweep->job with those seeds, not to be
 * released.
 */
struct job sweep_job(const struct sweep *sweep, uint64_t index);

/* Adds the rows of a finished job to its chunk. 0, or -1 when they are not the rows asked for. */
int sweep_add(struct sweep *sweep, uint64_t index, const struct result *result);

/* Writes what is complete at the front. 0, or the exit code after having said what is wrong. */
int sweep_write(struct sweep *sweep);

/* True when every row is written. */
bool sweep_is_done(const struct sweep *sweep);

/* Runs all of it in `threads` threads of this process. The exit code, 0 when all is written. */
struct engine;
int sweep_local(struct sweep *sweep, const struct engine *engine, unsigned threads);
