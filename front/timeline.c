/* SPDX-License-Identifier: MIT */
/*
 * A ring is one string; the ticks that are asked for lie in it in one piece or, around its end, in
 * two. On the loop.
 */
#include "timeline.h"

#include "answer.h"
#include "front.h"
#include "shape.h"

#include <stdlib.h>
#include <string.h>

struct timeline {
    struct request *request;
    char id[JOB_ID_MAX + 1];
    const char *gone;
    uint32_t from, to;   /* as asked */
    uint32_t first, end; /* what is read: first <= tick < end */
    unsigned pieces;     /* still to come */
    struct timeline_piece {
        struct timeline *timeline;
        uint32_t first, count;
    } piece[2];
    struct sim_metrics metrics[RING_SLOTS];
    bool there[RING_SLOTS];
};

bool timeline_read_range(struct request *request, struct timeline_range *range) {
    *range = (struct timeline_range){.has_from = request_query(request, "from") != NULL,
                                     .has_to = request_query(request, "to") != NULL};
    if (!request_query_uint(request, "from", 0, UINT32_MAX, &range->from) ||
        !request_query_uint(request, "to", 0, UINT32_MAX, &range->to))
        return false;
    if (!range->has_from || !range->has_to || range->from <= range->to)
        return true;
    answer_wrong(request, MHD_HTTP_BAD_REQUEST, "out_of_range", "from",
                 "from must be at most to, which is %llu, got %llu", (unsigned long long)range->to,
                 (unsigned long long)range->from);
    return false;
}

static void timeline_write(struct timeline *timeline) {
    struct mem_buffer out = {0};
    struct jot jot;
    bool any = !timeline->gone;
    for (uint32_t i = 0; i < timeline->end - timeline->first && !any; i++)
        any = timeline->there[i];
    if (!any) {
        answer_wrong(timeline->request, MHD_HTTP_NOT_FOUND, "timeline_gone", NULL, "%s",
                     timeline->gone);
        return;
    }
    jot_begin(&jot, &out);
    shape_timeline(&jot, NULL,
                   &(struct shape_timeline){.id = timeline->id,
                                            .from = timeline->from,
                                            .to = timeline->to,
                                            .first = timeline->first,
                                            .count = timeline->end - timeline->first,
                                            .metrics = timeline->metrics,
                                            .there = timeline->there},
                   &shape_rounded);
    answer_json(timeline->request, MHD_HTTP_OK, &out, NULL, NULL);
}

static void timeline_on_piece(void *context, const struct link_reply *reply) {
    const struct timeline_piece *piece = context;
    struct timeline *timeline = piece->timeline;
    size_t size;
    if (!request_got(timeline->request, reply))
        return;
    const char *bytes = link_reply_text(reply, &size);
    for (uint32_t i = 0; bytes && i < piece->count && ((size_t)i + 1) * WIRE_SLOT_SIZE <= size;
         i++) {
        uint32_t at = piece->first - timeline->first + i;
        timeline->there[at] =
            wire_decode_slot((const unsigned char *)bytes + (size_t)i * WIRE_SLOT_SIZE,
                             piece->first + i, &timeline->metrics[at]);
    }
    if (--timeline->pieces == 0)
        timeline_write(timeline);
}

static void timeline_ask(struct timeline *timeline) {
    struct queue *queue = &timeline->request->front->queue;
    uint32_t tick = timeline->first;
    while (tick < timeline->end && timeline->pieces < 2) {
        uint32_t slot = tick % RING_SLOTS, left = timeline->end - tick;
        uint32_t count = left < RING_SLOTS - slot ? left : RING_SLOTS - slot;
        struct timeline_piece *piece = &timeline->piece[timeline->pieces];
        *piece = (struct timeline_piece){timeline, tick, count};
        if (!request_sent(timeline->request,
                          queue_ring(queue, timeline->id, (size_t)slot * WIRE_SLOT_SIZE,
                                     (size_t)count * WIRE_SLOT_SIZE, timeline_on_piece, piece)))
            return;
        timeline->pieces++;
        tick += count;
    }
    if (timeline->pieces == 0)
        timeline_write(timeline);
}

static uint32_t timeline_least(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

void timeline_answer(struct request *request, const char *id, uint32_t last,
                     const struct timeline_range *range, const char *gone) {
    uint32_t kept = last >= RING_SLOTS ? last - RING_SLOTS + 1 : 0; /* the oldest */
    struct timeline *timeline = request_work(request, sizeof *timeline, NULL);
    if (!timeline)
        return;
    timeline->request = request;
    timeline->gone = gone;
    memcpy(timeline->id, id, strlen(id) + 1);
    timeline->to = (uint32_t)(range->has_to ? range->to : last);
    timeline->from = (uint32_t)(range->has_from ? range->from : timeline_least(kept, timeline->to));
    if (timeline->to < timeline->from) /* ahead of all ticks */
        timeline->to = timeline->from;
    timeline->first = timeline->from > kept ? timeline->from : kept;
    uint64_t end = (uint64_t)timeline_least(timeline->to, last) + 1;
    timeline->end = end > timeline->first ? (uint32_t)end : timeline->first;
    timeline_ask(timeline);
}
