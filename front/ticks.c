/* SPDX-License-Identifier: MIT */
/*
 * A ring is one string; the ticks that are asked for lie in it in one piece or, around its end, in
 * two. On the loop.
 */
#include "ticks.h"

#include "answer.h"
#include "front.h"
#include "shape.h"

#include <stdlib.h>
#include <string.h>

struct ticks {
    struct request *request;
    char id[JOB_ID_MAX + 1];
    const char *gone;
    uint32_t from, to;   /* as asked */
    uint32_t first, end; /* what is read: first <= tick < end */
    unsigned pieces;     /* still to come */
    struct ticks_piece {
        struct ticks *ticks;
        uint32_t first, count;
    } piece[2];
    struct sim_metrics metrics[RING_SLOTS];
    bool there[RING_SLOTS];
};

bool ticks_read_range(struct request *request, struct ticks_range *range) {
    *range = (struct ticks_range){.has_from = request_query(request, "from") != NULL,
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

static void ticks_write(struct ticks *ticks) {
    struct mem_buffer out = {0};
    struct jot jot;
    bool any = !ticks->gone;
    for (uint32_t i = 0; i < ticks->end - ticks->first && !any; i++)
        any = ticks->there[i];
    if (!any) {
        answer_wrong(ticks->request, MHD_HTTP_NOT_FOUND, "timeline_gone", NULL, "%s", ticks->gone);
        return;
    }
    jot_begin(&jot, &out);
    shape_timeline(&jot, NULL,
                   &(struct shape_timeline){.id = ticks->id,
                                            .from = ticks->from,
                                            .to = ticks->to,
                                            .first = ticks->first,
                                            .count = ticks->end - ticks->first,
                                            .metrics = ticks->metrics,
                                            .there = ticks->there},
                   &shape_rounded);
    answer_json(ticks->request, MHD_HTTP_OK, &out, NULL, NULL);
}

static void ticks_on_piece(void *context, const struct link_reply *reply) {
    const struct ticks_piece *piece = context;
    struct ticks *ticks = piece->ticks;
    size_t size;
    if (!request_got(ticks->request, reply))
        return;
    const char *bytes = link_reply_text(reply, &size);
    for (uint32_t i = 0; bytes && i < piece->count && ((size_t)i + 1) * WIRE_SLOT_SIZE <= size;
         i++) {
        uint32_t at = piece->first - ticks->first + i;
        ticks->there[at] =
            wire_decode_slot((const unsigned char *)bytes + (size_t)i * WIRE_SLOT_SIZE,
                             piece->first + i, &ticks->metrics[at]);
    }
    if (--ticks->pieces == 0)
        ticks_write(ticks);
}

static void ticks_ask(struct ticks *ticks) {
    struct queue *queue = &ticks->request->front->queue;
    uint32_t tick = ticks->first;
    while (tick < ticks->end && ticks->pieces < 2) {
        uint32_t slot = tick % RING_SLOTS, left = ticks->end - tick;
        uint32_t count = left < RING_SLOTS - slot ? left : RING_SLOTS - slot;
        struct ticks_piece *piece = &ticks->piece[ticks->pieces];
        *piece = (struct ticks_piece){ticks, tick, count};
        if (!request_sent(ticks->request,
                          queue_ring(queue, ticks->id, (size_t)slot * WIRE_SLOT_SIZE,
                                     (size_t)count * WIRE_SLOT_SIZE, ticks_on_piece, piece)))
            return;
        ticks->pieces++;
        tick += count;
    }
    if (ticks->pieces == 0)
        ticks_write(ticks);
}

static uint32_t ticks_least(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

void ticks_answer(struct request *request, const char *id, uint32_t last,
                  const struct ticks_range *range, const char *gone) {
    uint32_t kept = last >= RING_SLOTS ? last - RING_SLOTS + 1 : 0; /* the oldest */
    struct ticks *ticks = request_work(request, sizeof *ticks, NULL);
    if (!ticks)
        return;
    ticks->request = request;
    ticks->gone = gone;
    memcpy(ticks->id, id, strlen(id) + 1);
    ticks->to = (uint32_t)(range->has_to ? range->to : last);
    ticks->from = (uint32_t)(range->has_from ? range->from : ticks_least(kept, ticks->to));
    if (ticks->to < ticks->from) /* ahead of all ticks */
        ticks->to = ticks->from;
    ticks->first = ticks->from > kept ? ticks->from : kept;
    uint64_t end = (uint64_t)ticks_least(ticks->to, last) + 1;
    ticks->end = end > ticks->first ? (uint32_t)end : ticks->first;
    ticks_ask(ticks);
}
