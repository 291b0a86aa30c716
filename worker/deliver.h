/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What is FINISHED goes to Redis: results by complete, many jobs a call; the rest by release. What
 * Redis cannot take now is kept and sent again, until it is taken or the fence says that it is too
 * late. On the loop's thread.
 */
#include "backoff.h"
#include "trouble.h"
#include "work.h"

#include <uv.h>

struct deliver {
    struct queue *queue;
    const struct work *work;
    struct held_list *list;
    struct meter *meter;
    struct trouble *trouble;

    struct held_line results, backs; /* FINISHED */
    unsigned in_flight;              /* calls */
    struct backoff backoff;
    int64_t rest_until_ns; /* no calls before; 0: none */
    uv_timer_t timer;      /* only wakes the loop */

    void (*conflict)(void *context, struct held *held); /* SENT: intake_again */
    void *context;
};

/* The other fields are the caller's to fill. */
void deliver_init(struct deliver *deliver, uv_loop_t *loop);
void deliver_close(struct deliver *deliver);

/* Takes over a FINISHED job; one that is fenced out is dropped. */
void deliver_add(struct deliver *deliver, struct held *held);

/* Sends what can be sent now; the worker calls it once a turn of the loop. */
void deliver_settle(struct deliver *deliver, int64_t now_ns);

/* The link is up again: no reason to rest any longer. */
void deliver_resume(struct deliver *deliver);
