/* SPDX-License-Identifier: MIT */
/* Sessions: flocks that live in Redis and are stepped by workers. On the loop. */
#include "answer.h"
#include "body.h"
#include "front.h"
#include "handlers.h"
#include "shape.h"
#include "ticks.h"
#include "token.h"

#include <stdio.h>
#include <string.h>

static void session_answer(struct request *request, unsigned status, const struct session *session,
                           const char *location) {
    struct mem_buffer out = {0};
    struct jot jot;
    jot_begin(&jot, &out);
    shape_session(&jot, NULL, session, &shape_rounded);
    answer_json(request, status, &out, location ? MHD_HTTP_HEADER_LOCATION : NULL, location);
}

static void session_missing(struct request *request) {
    answer_wrong(request, MHD_HTTP_NOT_FOUND, fault_code_name(FAULT_SESSION_NOT_FOUND), NULL,
                 "there is no session %s, or its 24 hours are over", request->subject);
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

static void session_on_created(struct request *request, const struct result *result) {
    char location[JOB_ID_MAX + 24];
    (void)snprintf(location, sizeof location, "/api/sessions/%s", result->session->id);
    session_answer(request, MHD_HTTP_CREATED, result->session, location);
}

static void session_on_changed(struct request *request, const struct result *result) {
    session_answer(request, MHD_HTTP_OK, result->session, NULL);
}

void handle_session_create(struct request *request) {
    static const char *const names[] = {"seed", "model", "params", NULL};
    json_t *body = body_read(request, names);
    const json_t *seed = json_object_get(body, "seed");
    bool has_seed = seed && !json_is_null(seed);
    if (body && !has_seed && !body_set(request, body, "seed", json_integer(token_seed()))) {
        json_decref(body);
        return;
    }
    errand_start(request, JOB_SESSION_CREATE, body, session_on_created);
}

/* A body that names the session, too; NULL: the request is answered. */
static json_t *session_body(struct request *request, json_t *body) {
    if (body && body_set(request, body, "session", json_string(request->subject)))
        return body;
    json_decref(body);
    return NULL;
}

void handle_session_step(struct request *request) {
    static const char *const names[] = {"ticks", "expect_tick", NULL};
    errand_start(request, JOB_SESSION_STEP, session_body(request, body_read(request, names)),
                 session_on_changed);
}

/* The whole body is what a job has as `params`, and its model is the session's. */
static json_t *session_params_body(struct request *request, const struct model *model) {
    json_t *params = body_read(request, NULL), *body = json_object();
    if (params && body && body_set(request, body, "model", json_string(model->name)) &&
        body_set(request, body, "params", json_incref(params))) {
        json_decref(params);
        return session_body(request, body);
    }
    if (params && !body)
        answer_no_memory(request);
    json_decref(params);
    json_decref(body);
    return NULL;
}

/* --- reading -------------------------------------------------------------------------------------
 */

/* False: the request is answered. Release the session whatever happens. */
static bool session_read(struct request *request, const struct link_reply *reply,
                         struct session *session) {
    uint64_t revision;
    const char *body;
    size_t size;
    *session = (struct session){0};
    int code = queue_read_session(reply, &revision, &body, &size);
    if (code == 0 && body)
        code = wire_decode_session(body, size, session);
    if (code != 0)
        answer_wrong(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "internal", NULL,
                     "session %s cannot be read: %s", request->subject, err_text(code));
    else if (!body)
        session_missing(request);
    return code == 0 && body;
}

static void session_on_model(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct session session = {0};
    if (request_got(request, reply) && session_read(request, reply, &session))
        errand_start(request, JOB_SESSION_PARAMS, session_params_body(request, session.sim.model),
                     session_on_changed);
    session_release(&session);
}

void handle_session_params(struct request *request) {
    (void)request_sent(request, queue_session(&request->front->queue, request->subject,
                                              session_on_model, request));
}

/* Renews the session's life; nobody waits for it. */
static void session_touch(struct request *request) {
    if (queue_touch(&request->front->queue, request->subject, NULL, NULL) != 0)
        answer_unavailable(request, "redis_unavailable", link_reason(request->front->link));
}

static void session_on_read(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct session session = {0};
    if (request_got(request, reply) && session_read(request, reply, &session))
        session_answer(request, MHD_HTTP_OK, &session, NULL);
    session_release(&session);
}

void handle_session_get(struct request *request) {
    if (request_sent(request, queue_session(&request->front->queue, request->subject,
                                            session_on_read, request)))
        session_touch(request);
}

static void session_on_tick(void *context, const struct link_reply *reply) {
    struct request *request = context;
    struct ticks_range range;
    if (!request_got(request, reply))
        return;
    int64_t tick = link_reply_integer(reply, -1);
    if (tick < 0 || tick > UINT32_MAX)
        session_missing(request);
    else if (ticks_read_range(request, &range))
        ticks_answer(request, request->subject, (uint32_t)tick, &range, NULL);
}

void handle_session_timeline(struct request *request) {
    struct ticks_range range;
    if (ticks_read_range(request, &range) &&
        request_sent(request, queue_session_tick(&request->front->queue, request->subject,
                                                 session_on_tick, request)))
        session_touch(request);
}
