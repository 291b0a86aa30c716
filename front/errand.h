/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A job that a request has sent to the queue, and waits for.
 *
 *   CHECKING ----> SENDING ----> WAITING ----> FETCHING
 *    no worker      is it there?   for the       its result was
 *    was alive                     reply list    there already
 *       |              |  ^          |               |
 *       |              |  `----------'               |
 *       |              |  Redis came back: the same  |
 *       |              |  job again is harmless      |
 *       v              v             v               v
 *     OVER: answered, by the result or by what went wrong; time is up: 504 with the job's id
 *
 * All wait for one list of results, which one connection reads with BLMPOP.
 */
#include "job.h"
#include "mem.h"
#include "queue.h"
#include "result.h"

#include <jansson.h>
#include <stdbool.h>
#include <uv.h>

struct front;
struct request;

enum errand_state {
    ERRAND_CHECKING,
    ERRAND_SENDING,
    ERRAND_WAITING,
    ERRAND_FETCHING,
    ERRAND_OVER,
    ERRAND_STATES,
};

struct errand {
    enum errand_state state;
    struct request *request;
    struct errand *before, *after; /* those that are not over, the oldest first */
    char id[JOB_ID_MAX + 1];       /* the job's */
    enum job_lane lane;
    enum job_kind kind;
    struct mem_buffer job; /* as it is sent */
    bool leaves;           /* Prefer: respond-async: answered once it is in the queue */
    int64_t deadline_ns;
    /* An `ok` result: answers the request, or sends something whose answer does. */
    void (*finish)(struct request *request, const struct result *result);
};

struct errands {
    struct front *front;
    struct errand *first, *last;
    uv_timer_t timer;
    unsigned long long sent, timed_out;
};

void errands_init(struct errands *errands, struct front *front);

/* The reader's link has come up; functions are there (again); this front stops. */
void errands_read(struct errands *errands);
void errands_send_again(struct errands *errands);
void errands_close(struct errands *errands);

/*
 * Sends the job that `body` describes: the members of a job on the wire but v, id, kind, which are
 * added here. The request is answered in the end, at once where something is wrong. `body` is taken
 * over; NULL: the request is answered already. Takes the request's work.
 */
void errand_start(struct request *request, enum job_kind kind, json_t *body,
                  void (*finish)(struct request *request, const struct result *result));
