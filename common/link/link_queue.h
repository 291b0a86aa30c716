/* SPDX-License-Identifier: MIT */
#pragma once
/* The commands in flight, oldest first: Redis answers in this order. */
#include "err.h"
#include "link.h"

struct link_pending {
    link_reply_fn *done; /* NULL: nobody cares */
    void *context;
    unsigned timeout_ms;
};

/* A ring that doubles when full and never shrinks, so a busy link allocates nothing per command. */
struct link_queue {
    struct link_pending *ring; /* owned; NULL while capacity is 0 */
    size_t capacity;           /* a power of two */
    size_t head, count;        /* the oldest is ring[head % capacity] */
};

/* Room for one more: then the next link_queue_push succeeds. 0 or ERR_NO_MEMORY. */
int link_queue_reserve(struct link_queue *queue) ERR_MUST_CHECK;
void link_queue_push(struct link_queue *queue, struct link_pending pending);

/* Only of a queue that is not empty. */
struct link_pending link_queue_pop(struct link_queue *queue);
const struct link_pending *link_queue_oldest(const struct link_queue *queue);

/* Calls every `done` with NULL, oldest first. They may call this again, but not push. */
void link_queue_fail(struct link_queue *queue);

void link_queue_release(struct link_queue *queue);
