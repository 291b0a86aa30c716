/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A look at a job, by its id: where it is and, if it is done, what came out.
 *
 *   find ---> waiting, running, unknown
 *      `----> done ---> its result ---> a claim that was stored: its trace
 *
 * The look belongs to the caller, must stay until `done`, and holds the job as JSON then:
 * {id, state, kind, worker, tick, of, result}.
 */
#include "job.h"
#include "mem.h"
#include "queue.h"
#include "result.h"

#include <stdbool.h>

struct front;

enum look_end {
    LOOK_FOUND,
    LOOK_UNKNOWN,
    LOOK_FAILED, /* Redis did not answer, or not well: `why` */
};

struct look {
    struct front *front;
    char id[JOB_ID_MAX + 1];
    void (*done)(void *context, enum look_end end);
    void *context;
    /* For `done`: */
    bool is_done;           /* the job */
    struct mem_buffer json; /* owned: mem_buffer_release */
    char why[160];
    struct result result; /* while the trace is asked for */
};

/* `done` is called later, once. Else an ERR_ code. */
int look_begin(struct look *look) ERR_MUST_CHECK;

/* A job that has just been queued, as JSON. */
void look_write_waiting(const char *id, enum job_kind kind, struct mem_buffer *out);
