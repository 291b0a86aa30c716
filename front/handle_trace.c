/* SPDX-License-Identifier: MIT */
/* Traces: claims that workers verified and that are kept. On the loop. */
#include "answer.h"
#include "body.h"
#include "front.h"
#include "handlers.h"
#include "shape.h"
#include "ticks.h"

#include <stdio.h>
#include <string.h>

#define TRACE_LIST_PRESET 20u
#define TRACE_LIST_MAX 100u

static void trace_missing(struct request *request) {
    answer_wrong(request, MHD_HTTP_NOT_FOUND, "trace_not_found", NULL, "there is no trace %s",
                 request->subject);
}

/* False: the request is answered. Release the trace whatever happens. */
static bool trace_read(struct request *request, const struct link_reply *reply,
                       struct trace *trace) {
    size_t size;
    const char *bytes = link_reply_text(reply, &size);
    *trace = (struct trace){0};
    if (!bytes) {
        trace_missing(request);
        return false;
    }
    int code = wire_decode_trace(bytes, size, trace);
    if (code != 0)
        answer_wrong(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "internal", NULL,
                     "trace %s cannot be read: %s", request->subject, err_text(code));
    return code == 0;
}

/* A trace never changes; what is stored under its id later is another. */
static void trace_etag(const struct trace *trace, char *etag, size_t size) {
    (void)snprintf(etag, size, "\"%016llx-%llx\"", (unsigned long long)trace->state_hash,
                   (unsigned long long)trace->verified_at_ms);
}

static void trace_answer(struct request *request, unsigned status, const struct trace *trace,
                         const char *location) {
    struct mem_buffer out = {0};
    struct jot jot;
    char etag[64];
    trace_etag(trace, etag, sizeof etag);
    if (!location && answer_unchanged(request, etag))
        return;
    jot_begin(&jot, &out);
    shape_trace(&jot, NULL, trace, &shape_rounded);
    answer_tagged(request, status, &out, etag, location);
}

/* --- a new one -----------------------------------------------------------------------------------
 */

static void trace_on_stored(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct trace trace = {0};
    char location[JOB_ID_MAX + 16];
    if (request_got(request, reply) && trace_read(request, reply, &trace)) {
        (void)snprintf(location, sizeof location, "/api/traces/%s", trace.id);
        trace_answer(request, MHD_HTTP_CREATED, &trace, location);
    }
    wire_release_trace(&trace);
}

/* What came out instead of what was claimed. */
static void trace_refuse(struct request *request, const struct result *result) {
    struct mem_buffer more = {0};
    struct jot jot;
    jot_begin(&jot, &more);
    jot.follows = true; /* members before */
    jot_text(&jot, "verdict", result_verdict_name(result->verdict));
    shape_metrics(&jot, "metrics", &result->metrics, &shape_rounded);
    jot_hash(&jot, "state_hash", result->state_hash);
    answer_problem(request,
                   &(struct problem){.status = MHD_HTTP_UNPROCESSABLE_CONTENT,
                                     .code = "mismatch",
                                     .detail = "the simulation does not come out as claimed; "
                                               "nothing is stored",
                                     .field = "claimed",
                                     .advice = "metrics and state_hash here are what came out",
                                     .job = result->id,
                                     .more = &more});
    mem_buffer_release(&more);
}

static void trace_on_verified(struct request *request, const struct result *result) {
    if (result->verdict == VERDICT_MISMATCH) {
        trace_refuse(request, result);
        return;
    }
    memcpy(request->subject, result->trace, sizeof request->subject);
    (void)request_sent(
        request, queue_trace(&request->front->queue, result->trace, trace_on_stored, request));
}

void handle_trace_create(struct request *request) {
    static const char *const names[] = {"seed", "model",   "params",    "changes", "at_tick",
                                        "note", "claimed", "budget_ms", NULL};
    json_t *body = body_read(request, names);
    if (body && !body_set(request, body, "ring", json_true())) {
        json_decref(body);
        return;
    }
    errand_start(request, JOB_VERIFY, body, trace_on_verified);
}

/* --- reading -------------------------------------------------------------------------------------
 */

static void trace_on_read(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct trace trace = {0};
    if (request_got(request, reply) && trace_read(request, reply, &trace))
        trace_answer(request, MHD_HTTP_OK, &trace, NULL);
    wire_release_trace(&trace);
}

void handle_trace_get(struct request *request) {
    (void)request_sent(
        request, queue_trace(&request->front->queue, request->subject, trace_on_read, request));
}

static void trace_on_ring(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct trace trace = {0};
    struct ticks_range range;
    if (request_got(request, reply) && trace_read(request, reply, &trace) &&
        ticks_read_range(request, &range))
        ticks_answer(request, request->subject, trace.job.ticks, &range,
                     "the metrics of each tick were kept for 24 hours, or not at all");
    wire_release_trace(&trace);
}

void handle_trace_timeline(struct request *request) {
    struct ticks_range range;
    if (ticks_read_range(request, &range))
        (void)request_sent(
            request, queue_trace(&request->front->queue, request->subject, trace_on_ring, request));
}

/* --- the list ------------------------------------------------------------------------------------
 */

struct trace_list {
    struct request *request;
    uint64_t skip, limit;
    size_t count, left; /* of the page; answers to come */
    bool has_more;
    struct mem_buffer entry[TRACE_LIST_MAX]; /* JSON; empty: dropped in between, or unreadable */
    struct trace_entry {
        struct trace_list *list;
        size_t index;
    } place[TRACE_LIST_MAX];
};

static void trace_list_drop(void *work) {
    struct trace_list *list = work;
    for (size_t i = 0; i < list->count; i++)
        mem_buffer_release(&list->entry[i]);
}

static void trace_list_answer(struct trace_list *list) {
    struct mem_buffer out = {0};
    struct jot jot;
    char next[96];
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_open_list(&jot, "traces");
    for (size_t i = 0; i < list->count; i++) {
        out.failed |= list->entry[i].failed;
        if (list->entry[i].size > 0)
            jot_raw(&jot, NULL, list->entry[i].data, list->entry[i].size);
    }
    jot_close_list(&jot);
    (void)snprintf(next, sizeof next, "/api/traces?skip=%llu&limit=%llu",
                   (unsigned long long)(list->skip + list->limit), (unsigned long long)list->limit);
    jot_text_or_null(&jot, "next", list->has_more ? next : "");
    jot_close_map(&jot);
    answer_json(list->request, MHD_HTTP_OK, &out, NULL, NULL);
}

static void trace_list_on_entry(void *context, const struct link_reply *reply) {
    const struct trace_entry *entry = context;
    struct trace_list *list = entry->list;
    struct trace trace = {0};
    struct jot jot;
    size_t size;
    if (!request_got(list->request, reply))
        return;
    const char *bytes = link_reply_text(reply, &size);
    if (bytes && wire_decode_trace(bytes, size, &trace) == 0) {
        jot_begin(&jot, &list->entry[entry->index]);
        shape_trace(&jot, NULL, &trace, &shape_rounded);
    }
    wire_release_trace(&trace);
    if (--list->left == 0)
        trace_list_answer(list);
}

/* One more id than the page has tells whether there is another page. */
static void trace_list_on_ids(void *context, const struct link_reply *reply) {
    struct trace_list *list = context;
    if (!request_got(list->request, reply))
        return;
    list->has_more = link_reply_count(reply) > list->limit;
    for (size_t i = 0; i < link_reply_count(reply) && list->count < list->limit; i++) {
        size_t size;
        const char *id = link_reply_text(link_reply_item(reply, i), &size);
        if (!id || !job_id_is_legal(id, size))
            continue;
        list->place[list->count] = (struct trace_entry){list, list->count};
        if (!request_sent(list->request,
                          queue_trace(&list->request->front->queue, id, trace_list_on_entry,
                                      &list->place[list->count])))
            return;
        list->count++;
        list->left++;
    }
    if (list->left == 0)
        trace_list_answer(list);
}

void handle_trace_list(struct request *request) {
    struct trace_list *list = request_work(request, sizeof *list, trace_list_drop);
    if (!list)
        return;
    list->request = request;
    list->limit = TRACE_LIST_PRESET;
    if (request_query_uint(request, "skip", 0, UINT32_MAX, &list->skip) &&
        request_query_uint(request, "limit", 1, TRACE_LIST_MAX, &list->limit))
        (void)request_sent(request, queue_traces(&request->front->queue, list->skip,
                                                 list->limit + 1, trace_list_on_ids, list));
}
