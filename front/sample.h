/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What this front-end knows of its queue without asking: the state every two seconds, for a quarter
 * of an hour. Times are of the jobs that it sent itself, since only their results come here.
 */
#include "jot.h"
#include "queue.h"
#include "result.h"

#include <uv.h>

#define SAMPLE_EVERY_MS 2000u
#define SAMPLE_SLOTS 450u

struct front;

struct sample_slot {
    int64_t at_ms;
    double waiting, running, done_per_s, queued_ms, run_ms; /* NaN: not known */
};

struct sample {
    struct front *front;
    uv_timer_t timer;
    unsigned alive; /* workers, when last looked */
    struct sample_slot slot[SAMPLE_SLOTS];
    size_t count, next;
    double done; /* jobs ever, when last looked; NaN: not known */
    int64_t done_at_ns;
    unsigned results; /* of our own jobs since then, and the sums of their times */
    double queued_ms, run_ms;
};

void sample_init(struct sample *sample, struct front *front);
void sample_close(struct sample *sample);

/* The link has come up: looks at once. */
void sample_now(struct sample *sample);

/* An answer to queue_status that somebody asked for: how many workers are alive. */
void sample_take(struct sample *sample, const struct link_reply *status);

/* The result of a job of our own. */
void sample_add(struct sample *sample, const struct result *result);

/* {every_s, at, waiting, running, done_per_s, queued_ms, run_ms}: lists, the oldest first. */
void sample_write(const struct sample *sample, struct jot *jot);
