/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "look.h"

#include "about.h"
#include "front.h"
#include "shape.h"

#include <stdio.h>
#include <string.h>

/* --- JSON ----------------------------------------------------------------------------------------
 */

static void look_write_head(struct jot *jot, const char *id, const char *state, const char *kind,
                            const char *worker) {
    jot_open_map(jot, NULL);
    jot_text(jot, "id", id);
    jot_text(jot, "state", state);
    jot_text_or_null(jot, "kind", kind);
    jot_text_or_null(jot, "worker", worker);
}

static void look_write_rest(struct jot *jot, bool is_known, uint64_t tick, uint64_t of) {
    if (is_known) {
        jot_whole(jot, "tick", tick);
        jot_whole(jot, "of", of);
    } else {
        jot_null(jot, "tick");
        jot_null(jot, "of");
    }
}

void look_write_waiting(const char *id, enum job_kind kind, struct mem_buffer *out) {
    struct jot jot;
    jot_begin(&jot, out);
    look_write_head(&jot, id, "waiting", job_kind_name(kind), "");
    look_write_rest(&jot, false, 0, 0);
    jot_null(&jot, "result");
    jot_close_map(&jot);
}

static void look_write_place(struct look *look, const char *state, const struct about_job *about) {
    struct jot jot;
    jot_begin(&jot, &look->json);
    look_write_head(&jot, look->id, state, about->kind, about->worker);
    look_write_rest(&jot, about->total > 0, about->done, about->total);
    jot_null(&jot, "result");
    jot_close_map(&jot);
}

/* What came out of a claim that was not stored: there is no trace to show. */
static void look_write_claim(struct jot *jot, const struct result *result) {
    jot_whole(jot, "at_tick", result->at_tick);
    shape_metrics(jot, "metrics", &result->metrics, &shape_rounded);
    jot_hash(jot, "state_hash", result->state_hash);
    if (result->verdict != VERDICT_NONE)
        jot_text(jot, "verdict", result_verdict_name(result->verdict));
}

/* trace NULL: there is none. */
static void look_write_result(struct look *look, const struct trace *trace) {
    const struct result *result = &look->result;
    struct jot jot;
    jot_begin(&jot, &look->json);
    look_write_head(&jot, look->id, "done", job_kind_name(result->kind), result->worker);
    look_write_rest(&jot, false, 0, 0);
    jot_open_map(&jot, "result");
    jot_text(&jot, "status", result_status_name(result->status));
    shape_fault(&jot, "error", &result->fault);
    jot_whole(&jot, "queued_ms", result->queued_ms);
    jot_real(&jot, "run_ms", result->run_ms, 3);
    if (result->session)
        shape_session(&jot, "session", result->session, &shape_rounded);
    if (trace)
        shape_trace(&jot, "trace", trace, &shape_rounded);
    else if (result->status == RESULT_OK && result->kind == JOB_VERIFY)
        look_write_claim(&jot, result);
    jot_close_map(&jot);
    jot_close_map(&jot);
}

/* --- asking --------------------------------------------------------------------------------------
 */

static void look_finish(struct look *look, enum look_end end) {
    result_release(&look->result);
    look->result = (struct result){0};
    if (look->json.failed) {
        end = LOOK_FAILED;
        (void)snprintf(look->why, sizeof look->why, "%s", err_text(ERR_NO_MEMORY));
    }
    look->done(look->context, end);
}

static void look_fail(struct look *look, const char *why) {
    (void)snprintf(look->why, sizeof look->why, "%s", why);
    look_finish(look, LOOK_FAILED);
}

/* True for a good answer; else that was the end. */
static bool look_got(struct look *look, const struct link_reply *reply) {
    if (library_check(&look->front->library, reply))
        return true;
    look_fail(look, queue_answer_text(reply));
    return false;
}

static bool look_sent(struct look *look, int code) {
    if (code != 0)
        look_fail(look, err_text(code));
    return code == 0;
}

static void look_on_trace(void *context, const struct link_reply *reply) {
    struct look *look = context;
    struct trace trace = {0};
    size_t size;
    if (!look_got(look, reply))
        return;
    const char *bytes = link_reply_text(reply, &size);
    bool is_there = bytes && wire_decode_trace(bytes, size, &trace) == 0;
    look_write_result(look, is_there ? &trace : NULL);
    wire_release_trace(&trace);
    look_finish(look, LOOK_FOUND);
}

static void look_on_result(void *context, const struct link_reply *reply) {
    struct look *look = context;
    size_t size;
    if (!look_got(look, reply))
        return;
    const char *bytes = link_reply_text(reply, &size);
    if (!bytes) { /* its hour was over just now */
        look_finish(look, LOOK_UNKNOWN);
        return;
    }
    int code = wire_decode_result(bytes, size, &look->result);
    look->is_done = code == 0;
    if (code != 0) {
        look_fail(look, err_text(code));
    } else if (look->result.trace[0]) {
        (void)look_sent(look,
                        queue_trace(&look->front->queue, look->result.trace, look_on_trace, look));
    } else {
        look_write_result(look, NULL);
        look_finish(look, LOOK_FOUND);
    }
}

static void look_on_place(void *context, const struct link_reply *reply) {
    struct look *look = context;
    struct queue_place place;
    struct about_job about = {0};
    const char *bytes;
    size_t size;
    if (!look_got(look, reply))
        return;
    int code = queue_read_find(reply, &place, &bytes, &size);
    if (code != 0) {
        look_fail(look, err_text(code));
    } else if (place.state == QUEUE_STATE_UNKNOWN) {
        look_finish(look, LOOK_UNKNOWN);
    } else if (place.state == QUEUE_STATE_DONE) {
        (void)look_sent(look, queue_result(&look->front->queue, look->id, look_on_result, look));
    } else {
        if (bytes && about_decode_job(bytes, size, &about) != 0)
            about = (struct about_job){0};
        look_write_place(look, queue_state_name(place.state), &about);
        look_finish(look, LOOK_FOUND);
    }
}

int look_begin(struct look *look) {
    look->is_done = false;
    look->why[0] = '\0';
    return queue_find(&look->front->queue, look->id, look_on_place, look);
}
