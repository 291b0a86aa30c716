/* SPDX-License-Identifier: MIT */
/* What operators see, and the queue's pause. On the loop. */
#include "answer.h"
#include "front.h"
#include "handlers.h"
#include "shape_queue.h"

/* --- the queue and its workers -------------------------------------------------------------------
 */

static void queue_on_status(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct mem_buffer out = {0};
    struct jot jot;
    if (!request_got(request, reply))
        return;
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "queue", request->front->settings->queue);
    shape_counts(&jot, reply);
    jot_open_map(&jot, "lanes");
    shape_lanes(&jot, reply);
    jot_close_map(&jot);
    shape_running(&jot, "running", reply);
    shape_stats(&jot, reply);
    shape_limits(&jot, "limits", reply);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

void handle_queue(struct request *request) {
    (void)request_sent(request, queue_status(&request->front->queue, queue_on_status, request));
}

static void queue_on_workers(void *context, const struct link_reply *reply) {
    answer_shape(context, reply, "workers", shape_workers);
}

void handle_workers(struct request *request) {
    (void)request_sent(request, queue_status(&request->front->queue, queue_on_workers, request));
}

void handle_history(struct request *request) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    sample_write(&request->front->sample, &jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

/* --- pause ---------------------------------------------------------------------------------------
 */

static void queue_answer_paused(struct request *request, bool is_paused) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "queue", request->front->settings->queue);
    jot_bool(&jot, "paused", is_paused);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

static void queue_on_paused(void *context, const struct link_reply *reply) {
    if (request_got(context, reply))
        queue_answer_paused(context, true);
}

static void queue_on_resumed(void *context, const struct link_reply *reply) {
    if (request_got(context, reply))
        queue_answer_paused(context, false);
}

void handle_pause(struct request *request) {
    (void)request_sent(
        request, queue_configure(&request->front->queue, "paused", "1", queue_on_paused, request));
}

void handle_resume(struct request *request) {
    (void)request_sent(request, queue_configure(&request->front->queue, "paused", NULL,
                                                queue_on_resumed, request));
}

/* --- about this front-end ------------------------------------------------------------------------
 */

/* Its token is right, or it would not have come so far. */
void handle_operator(struct request *request) {
    answer_nothing(request, MHD_HTTP_NO_CONTENT);
}

void handle_metrics(struct request *request) {
    struct mem_buffer out = {0};
    tally_write(&request->front->tally, request->front, &out);
    answer_text(request, "text/plain; version=0.0.4; charset=utf-8", &out);
}
