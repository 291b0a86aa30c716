/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Makes sure that the Redis on the other side has our functions, before the first request and
 * whenever it turns out that it has lost them.
 *
 *        provision_begin                 version is there
 *   IDLE ---------------> ASKING -------------------------------> IDLE, ready() is called
 *                          | ^ |   missing, older
 *               not now    | | `--------------------> LOADING ---> ASKING
 *                          v |  time is up               |
 *                        RESTING <-----------------------'  not allowed, not now
 */
#include "backoff.h"
#include "queue_load.h"
#include "trouble.h"

#include <uv.h>

enum provision_state {
    PROVISION_IDLE,
    PROVISION_ASKING,
    PROVISION_LOADING,
    PROVISION_RESTING,
    PROVISION_STATES,
};

struct provision {
    enum provision_state state;
    bool is_ready;
    struct queue *queue;
    uv_timer_t timer;
    struct backoff backoff;
    struct trouble *trouble;
    unsigned newer;   /* the version that was told of; 0: none */
    bool replaces;    /* those that are there are older, or none of ours */
    int64_t ready_ns; /* when ready was called last on this connection; 0: never */
    void (*ready)(void *context);
    void *context;
};

/* `queue` and `trouble` are borrowed. */
void provision_init(struct provision *provision, uv_loop_t *loop, struct queue *queue,
                    struct trouble *trouble, void (*ready)(void *context), void *context);

/* The link has come up, or functions were missing. Does nothing while it is at it already. */
void provision_begin(struct provision *provision);

/* The link is down: what was asked is void. */
void provision_interrupt(struct provision *provision);

/* Closes the timer. */
void provision_close(struct provision *provision);
