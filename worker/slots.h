/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The threads that simulate. There are `count` slots and one thread more: batch jobs may fill every
 * slot, and when they do, the extra thread runs one interactive job beside them, so that nobody at
 * a web page waits for a sweep. Interactive jobs are taken first, but at most seven of them before
 * a batch job that waits.
 */
#include "err.h"
#include "held.h"

#include <uv.h>

struct slots;

struct slots_options {
    unsigned count;
    void (*work)(void *context, struct held *held); /* in a slot's thread; held is RUNNING */
    void (*finished)(void *context);                /* on the loop's: slots_take_finished now */
    void *context;
};

/*
 * Starts the threads. ERR_NO_MEMORY, ERR_SYSTEM, or ERR_UNSUPPORTED when a thread's arithmetic
 * cannot be put right (fpu.h); nothing is left running then. All other functions here belong to the
 * loop's thread.
 */
int slots_start(struct slots **slots, uv_loop_t *loop,
                const struct slots_options *options) ERR_MUST_CHECK;

/* Waits for the threads to end the jobs that they run (those that wait are left), then for the
 * loop to close its handle. */
void slots_stop(struct slots *slots, void (*stopped)(void *context), void *context);

/* All jobs of the line, WAITING, in that order; empties it. */
void slots_give(struct slots *slots, struct held_line *line);

/* What has ended since the last call, FINISHED; appended to the line. */
void slots_take_finished(struct slots *slots, struct held_line *line);

/* What still waits and passes `which`, WAITING; appended to the line. */
void slots_take_back(struct slots *slots, bool (*which)(const struct held *held),
                     struct held_line *line);

struct slots_counts {
    unsigned running[JOB_LANES], waiting[JOB_LANES];
};
void slots_count(struct slots *slots, struct slots_counts *counts);
