/* SPDX-License-Identifier: MIT */
/* Jobs by their ids: where they are, and cancelling them. On the loop. */
#include "answer.h"
#include "front.h"
#include "handlers.h"
#include "look.h"

#include <stdlib.h>
#include <string.h>

static void job_missing(struct request *request) {
    answer_wrong(request, MHD_HTTP_NOT_FOUND, "job_not_found", NULL,
                 "there is no job %s, or its result is forgotten", request->subject);
}

static void job_drop(void *work) {
    struct look *look = work;
    mem_buffer_release(&look->json);
}

static void job_on_looked(void *context, enum look_end end) {
    struct request *request = context;
    struct look *look = request->work;
    request_arrived(request);
    if (end == LOOK_UNKNOWN)
        job_missing(request);
    else if (end == LOOK_FAILED)
        answer_unavailable(request, "redis_unavailable", look->why);
    else
        answer_json(request, MHD_HTTP_OK, &look->json, NULL, NULL);
}

void handle_job_get(struct request *request) {
    struct look *look = request_work(request, sizeof *look, job_drop);
    if (!look)
        return;
    look->front = request->front;
    look->done = job_on_looked;
    look->context = request;
    memcpy(look->id, request->subject, sizeof look->id);
    (void)request_sent(request, look_begin(look));
}

/* Only that there is one: its events look for themselves. */
static void job_on_found(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct queue_place place;
    const char *about;
    size_t size;
    if (!request_got(request, reply))
        return;
    if (queue_read_find(reply, &place, &about, &size) != 0)
        answer_unavailable(request, "redis_unavailable", "an answer that cannot be read");
    else if (place.state == QUEUE_STATE_UNKNOWN)
        job_missing(request);
    else
        events_answer(request);
}

void handle_job_events(struct request *request) {
    (void)request_sent(request,
                       queue_find(&request->front->queue, request->subject, job_on_found, request));
}

static void job_on_cancelled(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct mem_buffer out = {0};
    struct jot jot;
    enum queue_cancelled cancelled;
    if (!request_got(request, reply))
        return;
    if (queue_read_cancel(reply, &cancelled) != 0) {
        answer_unavailable(request, "redis_unavailable", "an answer that cannot be read");
        return;
    }
    if (cancelled == QUEUE_CANCEL_UNKNOWN) {
        job_missing(request);
        return;
    }
    if (cancelled == QUEUE_CANCEL_DONE) {
        answer_wrong(request, MHD_HTTP_CONFLICT, "job_done", NULL, "job %s is done already",
                     request->subject);
        return;
    }
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "id", request->subject);
    jot_text(&jot, "state", queue_cancel_name(cancelled));
    jot_close_map(&jot);
    answer_json(request, cancelled == QUEUE_CANCEL_CANCELLED ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED,
                &out, NULL, NULL);
}

void handle_job_cancel(struct request *request) {
    (void)request_sent(
        request, queue_cancel(&request->front->queue, request->subject, job_on_cancelled, request));
}
