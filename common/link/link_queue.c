/* SPDX-License-Identifier: MIT */
/* A power-of-two ring: indexes only grow, and are masked when used. */
#include "link_queue.h"

#include "mem.h"

#include <assert.h>
#include <stdlib.h>

enum { LINK_QUEUE_LEAST = 64 };

static struct link_pending *link_queue_at(const struct link_queue *queue, size_t index) {
    return &queue->ring[index & (queue->capacity - 1)];
}

int link_queue_reserve(struct link_queue *queue) {
    if (queue->count < queue->capacity)
        return 0;
    struct link_queue grown = {.capacity =
                                   queue->capacity ? 2 * queue->capacity : LINK_QUEUE_LEAST};
    grown.ring = mem_zero(grown.capacity, sizeof *grown.ring);
    if (!grown.ring)
        return ERR_NO_MEMORY;
    while (queue->count > 0)
        link_queue_push(&grown, link_queue_pop(queue));
    free(queue->ring);
    *queue = grown;
    return 0;
}

void link_queue_push(struct link_queue *queue, struct link_pending pending) {
    assert(queue->count < queue->capacity);
    *link_queue_at(queue, queue->head + queue->count) = pending;
    queue->count++;
}

struct link_pending link_queue_pop(struct link_queue *queue) {
    struct link_pending pending = *link_queue_oldest(queue);
    queue->head++;
    queue->count--;
    return pending;
}

const struct link_pending *link_queue_oldest(const struct link_queue *queue) {
    assert(queue->count > 0);
    return link_queue_at(queue, queue->head);
}

void link_queue_fail(struct link_queue *queue) {
    while (queue->count > 0) {
        struct link_pending pending = link_queue_pop(queue);
        if (pending.done)
            pending.done(pending.context, NULL);
    }
}

void link_queue_release(struct link_queue *queue) {
    free(queue->ring);
    *queue = (struct link_queue){0};
}
