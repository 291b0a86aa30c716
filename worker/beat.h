/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Once a second, or three times a lease if that is more often: tells Redis what this worker holds
 * and how far it is, renews the leases, and hears what is to be stopped. On the loop's thread.
 */
#include "held.h"
#include "trouble.h"

#include <uv.h>

struct beat {
    struct queue *queue;
    const char *worker;
    struct held_list *list;
    struct meter *meter;
    struct trouble *trouble;
    unsigned every_ms;
    bool in_flight;
    bool failed; /* the last one: the next comes in time, not sooner */
    bool ready;  /* the functions are there; else nothing is sent */
    uv_timer_t timer;

    void (*about)(void *context, struct mem_buffer *out); /* appends about_encode_worker */
    void (*lost)(void *context, struct held *held);       /* another has it */
    void (*declared)(void *context, struct held *held);   /* held->declare was wanted */
    void (*resumed)(void *context); /* Redis has answered one after some that it has not */
    void *context;
};

unsigned beat_interval_ms(unsigned lease_s);

/* The other fields are the caller's to fill. */
void beat_init(struct beat *beat, uv_loop_t *loop);
void beat_close(struct beat *beat);

/* Now, if none is under way; and from then on regularly. */
void beat_now(struct beat *beat);

/* Now, in front of what is sent next; false if it could not be sent, or another is under way. */
bool beat_ahead(struct beat *beat);

/* Sends at once what some job is waiting for; the worker calls it once a turn of the loop. */
void beat_settle(struct beat *beat);
