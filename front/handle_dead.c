/* SPDX-License-Identifier: MIT */
/* Dead letters: looking at them, putting them back, dropping them. On the loop. */
#include "answer.h"
#include "front.h"
#include "handlers.h"
#include "shape_queue.h"

#include <string.h>

#define DEAD_LIST_PRESET 100u

static void dead_missing(struct request *request) {
    answer_wrong(request, MHD_HTTP_NOT_FOUND, "dead_letter_not_found", NULL,
                 "there is no dead letter %s", request->subject);
}

static bool dead_is_all(const struct request *request) {
    return strcmp(request->subject, "all") == 0;
}

/* Digits, a dash, digits; where it is none there is no such letter. */
static bool dead_check_id(struct request *request) {
    static const char digits[] = "0123456789";
    size_t ms = strspn(request->subject, digits);
    const char *rest = request->subject + ms;
    if (dead_is_all(request) || (ms > 0 && ms < 20 && *rest == '-' && rest[1] &&
                                 strlen(rest) < 20 && !rest[1 + strspn(rest + 1, digits)]))
        return true;
    dead_missing(request);
    return false;
}

/* --- the list ------------------------------------------------------------------------------------
 */

static void dead_on_list(void *context, const struct link_reply *reply) {
    answer_shape(context, reply, "dead", shape_dead);
}

void handle_dead_list(struct request *request) {
    uint64_t limit = DEAD_LIST_PRESET;
    if (request_query_uint(request, "limit", 1, QUEUE_JOBS_MAX, &limit))
        (void)request_sent(request,
                           queue_dead(&request->front->queue, limit, dead_on_list, request));
}

/* --- requeue -------------------------------------------------------------------------------------
 */

static void dead_on_requeued(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct mem_buffer out = {0};
    struct queue_place place;
    struct jot jot;
    if (!request_got(request, reply))
        return;
    if (queue_read_requeue(reply, 0, &place) != 0 || place.state == QUEUE_STATE_UNKNOWN) {
        dead_missing(request);
        return;
    }
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "dead_id", request->subject);
    jot_text(&jot, "state", queue_state_name(place.state));
    jot_text(&jot, "ref", place.ref);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

/* All of them, as many at a time as a call takes. */
struct dead_all {
    struct request *request;
    unsigned long long count;
    size_t asked;
    char id[QUEUE_JOBS_MAX][JOB_ID_MAX + 1];
};

static void dead_answer_count(struct request *request, const char *name, uint64_t count) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_whole(&jot, name, count);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

static void dead_all_next(struct dead_all *all);

static void dead_all_on_requeued(void *context, const struct link_reply *reply) {
    struct dead_all *all = context;
    struct queue_place place;
    bool any = false;
    if (!request_got(all->request, reply))
        return;
    for (size_t i = 0; i < all->asked; i++) {
        bool is_back =
            queue_read_requeue(reply, i, &place) == 0 && place.state != QUEUE_STATE_UNKNOWN;
        all->count += is_back;
        any |= is_back;
    }
    if (any)
        dead_all_next(all);
    else
        dead_answer_count(all->request, "requeued", all->count);
}

static void dead_all_on_list(void *context, const struct link_reply *reply) {
    struct dead_all *all = context;
    const char *ids[QUEUE_JOBS_MAX];
    if (!request_got(all->request, reply))
        return;
    all->asked = 0;
    for (size_t i = 0; i < link_reply_count(reply) && all->asked < QUEUE_JOBS_MAX; i++) {
        size_t size;
        const char *id = link_reply_text(link_reply_item(link_reply_item(reply, i), 0), &size);
        if (!id || size > JOB_ID_MAX)
            continue;
        memcpy(all->id[all->asked], id, size + 1);
        ids[all->asked] = all->id[all->asked];
        all->asked++;
    }
    if (all->asked == 0)
        dead_answer_count(all->request, "requeued", all->count);
    else
        (void)request_sent(all->request, queue_requeue(&all->request->front->queue, ids, all->asked,
                                                       dead_all_on_requeued, all));
}

static void dead_all_next(struct dead_all *all) {
    (void)request_sent(all->request, queue_dead(&all->request->front->queue, QUEUE_JOBS_MAX,
                                                dead_all_on_list, all));
}

void handle_dead_requeue(struct request *request) {
    if (!dead_check_id(request))
        return;
    if (!dead_is_all(request)) {
        (void)request_sent(request,
                           queue_requeue(&request->front->queue, (const char *[]){request->subject},
                                         1, dead_on_requeued, request));
        return;
    }
    struct dead_all *all = request_work(request, sizeof *all, NULL);
    if (!all)
        return;
    all->request = request;
    dead_all_next(all);
}

/* --- purge ---------------------------------------------------------------------------------------
 */

static void dead_on_purged(void *context, const struct link_reply *reply) {
    struct request *request = context;
    if (!request_got(request, reply))
        return;
    int64_t count = link_reply_integer(reply, 0);
    if (count == 0 && !dead_is_all(request))
        dead_missing(request);
    else
        dead_answer_count(request, "purged", (uint64_t)count);
}

void handle_dead_purge(struct request *request) {
    if (dead_check_id(request))
        (void)request_sent(request,
                           queue_purge(&request->front->queue, (const char *[]){request->subject},
                                       1, dead_on_purged, request));
}
