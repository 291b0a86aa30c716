/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "errand.h"

#include "answer.h"
#include "clock.h"
#include "front.h"
#include "json_job.h"
#include "log.h"
#include "look.h"
#include "refuse.h"
#include "token.h"
#include "wire.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ERRAND_READ_MS 5000u   /* of one wait */
#define ERRAND_READ_COUNT 100u /* results at most that one brings */
#define ERRAND_NS_PER_MS INT64_C(1000000)

/* --- states --------------------------------------------------------------------------------------
 */

/* Row: from; bit: to. */
static const unsigned errand_arrows[ERRAND_STATES] = {
    [ERRAND_CHECKING] = 1u << ERRAND_SENDING | 1u << ERRAND_OVER,
    [ERRAND_SENDING] = 1u << ERRAND_WAITING | 1u << ERRAND_FETCHING | 1u << ERRAND_OVER,
    [ERRAND_WAITING] = 1u << ERRAND_SENDING | 1u << ERRAND_OVER,
    [ERRAND_FETCHING] = 1u << ERRAND_SENDING | 1u << ERRAND_OVER,
};

static void errand_set_state(struct errand *errand, enum errand_state state) {
    assert(errand_arrows[errand->state] >> state & 1u);
    errand->state = state;
}

static void errands_on_timer(uv_timer_t *timer);

/* All wait equally long, so the first is the next whose time is up. */
static void errands_arm(struct errands *errands) {
    if (!errands->first) {
        uv_timer_stop(&errands->timer);
        return;
    }
    int64_t left_ns = errands->first->deadline_ns - clock_now_ns();
    uint64_t ms = left_ns > 0 ? (uint64_t)(left_ns / ERRAND_NS_PER_MS + 1) : 0;
    uv_update_time(&errands->front->loop);
    uv_timer_start(&errands->timer, errands_on_timer, ms, 0);
}

static void errands_add(struct errands *errands, struct errand *errand) {
    errand->before = errands->last;
    if (errands->last)
        errands->last->after = errand;
    else
        errands->first = errand;
    errands->last = errand;
    if (errands->first == errand)
        errands_arm(errands);
}

/* Whoever calls it answers the request, or has. */
static void errand_end(struct errand *errand) {
    struct errands *errands = &errand->request->front->errands;
    if (errand->state == ERRAND_OVER)
        return;
    bool was_first = errands->first == errand;
    errand_set_state(errand, ERRAND_OVER);
    if (errand->before)
        errand->before->after = errand->after;
    else
        errands->first = errand->after;
    if (errand->after)
        errand->after->before = errand->before;
    else
        errands->last = errand->before;
    if (was_first)
        errands_arm(errands);
}

/* --- results -------------------------------------------------------------------------------------
 */

static void errand_take(struct errand *errand, const struct result *result) {
    struct request *request = errand->request;
    errand_end(errand);
    sample_add(&request->front->sample, result);
    if (result->status == RESULT_OK)
        errand->finish(request, result);
    else
        refuse_result(request, result);
}

static struct errand *errands_find(struct errands *errands, const char *id) {
    struct errand *errand = errands->first;
    while (errand && strcmp(errand->id, id) != 0)
        errand = errand->after;
    return errand;
}

/* A result that cannot be read, or that nobody waits for any more, is dropped. */
static void errands_deliver(struct errands *errands, const char *bytes, size_t size) {
    struct result result;
    struct errand *errand = NULL;
    int code = wire_decode_result(bytes, size, &result);
    if (code == 0)
        errand = errands_find(errands, result.id);
    else
        LOG_WRITE(LOG_LEVEL_WARNING, "a result that cannot be read", LOG_TEXT("job", result.id),
                  LOG_TEXT("why", err_text(code)));
    if (errand && errand->state != ERRAND_CHECKING)
        errand_take(errand, &result);
    result_release(&result);
}

static void errands_on_read(void *context, const struct link_reply *reply) {
    struct errands *errands = context;
    const struct link_reply *results;
    int code = queue_read_wait_many(reply, &results);
    for (size_t i = 0; i < link_reply_count(results); i++) {
        size_t size;
        const char *bytes = link_reply_text(link_reply_item(results, i), &size);
        if (bytes)
            errands_deliver(errands, bytes, size);
    }
    if (code == 0) /* else the link breaks, and comes up again */
        errands_read(errands);
}

void errands_read(struct errands *errands) {
    struct front *front = errands->front;
    if (!front->is_closing && queue_wait_many(&front->reader, front->name, ERRAND_READ_COUNT,
                                              ERRAND_READ_MS, errands_on_read, errands) != 0)
        LOG_WRITE(LOG_LEVEL_WARNING, "results are not read", LOG_TEXT("front", front->name));
}

/* --- sending -------------------------------------------------------------------------------------
 */

static void errand_fail(struct errand *errand, const struct problem *problem) {
    errand_end(errand);
    answer_problem(errand->request, problem);
}

static void errand_on_result(void *context, const struct link_reply *reply) {
    struct errand *errand = context;
    struct result result;
    size_t size;
    if (!request_got(errand->request, reply)) {
        errand_end(errand);
        return;
    }
    const char *bytes = link_reply_text(reply, &size);
    if (errand->state == ERRAND_OVER)
        return;
    if (!bytes || wire_decode_result(bytes, size, &result) != 0) {
        errand_fail(errand, &(struct problem){.status = MHD_HTTP_INTERNAL_SERVER_ERROR,
                                              .code = "internal",
                                              .detail = "the result of the job cannot be read",
                                              .job = errand->id});
        return;
    }
    errand_take(errand, &result);
    result_release(&result);
}

static void errand_left(struct errand *errand) {
    struct mem_buffer out = {0};
    char location[JOB_ID_MAX + 16];
    look_write_waiting(errand->id, errand->kind, &out);
    (void)snprintf(location, sizeof location, "/api/jobs/%s", errand->id);
    errand_end(errand);
    answer_accepted(errand->request, &out, location);
}

static void errand_placed(struct errand *errand, const struct queue_place *place) {
    if (place->state == QUEUE_STATE_DONE) {
        errand_set_state(errand, ERRAND_FETCHING);
        if (!request_sent(errand->request, queue_result(&errand->request->front->queue, errand->id,
                                                        errand_on_result, errand)))
            errand_end(errand);
        return;
    }
    errand_set_state(errand, ERRAND_WAITING);
    if (errand->leaves)
        errand_left(errand);
}

/* What keeps a job out of the queue. */
static const struct errand_refusal {
    enum queue_answer answer;
    unsigned status;
    const char *code;
    unsigned retry_after;
} errand_refusals[] = {
    {QUEUE_ANSWER_FULL, MHD_HTTP_SERVICE_UNAVAILABLE, "queue_full", ANSWER_RETRY_S},
    {QUEUE_ANSWER_TOO_BIG, MHD_HTTP_CONTENT_TOO_LARGE, "body_too_large", 0},
    {QUEUE_ANSWER_LATER, MHD_HTTP_SERVICE_UNAVAILABLE, "redis_unavailable", ANSWER_RETRY_S},
    {QUEUE_ANSWER_DENIED, MHD_HTTP_SERVICE_UNAVAILABLE, "redis_unavailable", ANSWER_RETRY_S},
    {QUEUE_ANSWER_WRONG, MHD_HTTP_INTERNAL_SERVER_ERROR, "internal", 0},
    {QUEUE_ANSWER_NO_GROUP, MHD_HTTP_SERVICE_UNAVAILABLE, "redis_unavailable", ANSWER_RETRY_S},
};

static void errand_on_sent(void *context, const struct link_reply *reply) {
    struct errand *errand = context;
    struct queue_place place;
    enum queue_answer answer = queue_answer(reply);
    request_arrived(errand->request);
    if (errand->state != ERRAND_SENDING)
        return; /* its result was faster, or its time is up */
    (void)library_check(&errand->request->front->library, reply);
    if (answer == QUEUE_ANSWER_OK && queue_read_enqueue(reply, 0, &place) == 0) {
        errand_placed(errand, &place);
        return;
    }
    for (size_t i = 0; i < sizeof errand_refusals / sizeof *errand_refusals; i++) {
        const struct errand_refusal *row = &errand_refusals[i];
        if (row->answer == answer)
            errand_fail(errand, &(struct problem){.status = row->status,
                                                  .code = row->code,
                                                  .detail = queue_answer_text(reply),
                                                  .retry_after = row->retry_after});
    }
    /* Else nobody knows: it is sent again when Redis and its functions are back. */
}

/* The answer is told from here; a link that is down is not the end, it may come up in time. */
static void errand_send(struct errand *errand) {
    struct front *front = errand->request->front;
    struct queue_job job = {errand->id, errand->job.data, errand->job.size};
    int code = queue_enqueue(&front->queue, errand->lane, &job, 1, errand_on_sent, errand);
    if (code == 0 || code == ERR_DOWN)
        errand->request->pending += code == 0;
    else
        (void)request_sent(errand->request, code);
    if (errand->request->status != 0)
        errand_end(errand);
}

void errands_send_again(struct errands *errands) {
    struct errand *errand = errands->first, *next;
    for (; errand; errand = next) {
        next = errand->after;
        if (errand->state == ERRAND_CHECKING || errand->request->pending > 0)
            continue; /* its own answer decides */
        if (errand->state != ERRAND_SENDING)
            errand_set_state(errand, ERRAND_SENDING);
        errand_send(errand);
    }
}

static void errand_on_checked(void *context, const struct link_reply *reply) {
    struct errand *errand = context;
    struct front *front = errand->request->front;
    if (!request_got(errand->request, reply)) {
        errand_end(errand);
        return;
    }
    sample_take(&front->sample, reply);
    if (front->sample.alive == 0) {
        errand_fail(errand, &(struct problem){.status = MHD_HTTP_SERVICE_UNAVAILABLE,
                                              .code = "no_worker",
                                              .detail = "no worker is alive that could do this",
                                              .retry_after = ANSWER_RETRY_S});
        return;
    }
    errand_set_state(errand, ERRAND_SENDING);
    errand_send(errand);
}

/* --- beginning and end ---------------------------------------------------------------------------
 */

/* From the request's body, with what the front adds, to the bytes that go to the queue. */
static int errand_encode(struct errand *errand, enum job_kind kind, json_t *body,
                         struct fault *fault) {
    struct request *request = errand->request;
    struct job job = {0};
    int code = json_object_set_new(body, "v", json_integer(1)) |
               json_object_set_new(body, "id", json_string(errand->id)) |
               json_object_set_new(body, "kind", json_string(job_kind_name(kind)));
    if (code == 0)
        code = json_job_read(body, &job, fault);
    else
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the job");
    if (code == 0) {
        if (!errand->leaves)
            memcpy(job.reply_to, request->front->name, sizeof job.reply_to);
        memcpy(job.traceparent, request->traceparent, sizeof job.traceparent);
        if (wire_encode_job(&job, &errand->job) != 0)
            code = fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the job");
    }
    job_release(&job);
    return code;
}

static void errand_drop(void *work) {
    struct errand *errand = work;
    mem_buffer_release(&errand->job);
}

/* Of session.params the body is what a job has as `params`: so in words about it too. */
static void errand_shorten(char *text) {
    static const char before[] = "params.";
    if (strncmp(text, before, sizeof before - 1) == 0)
        memmove(text, text + sizeof before - 1, strlen(text) - sizeof before + 2);
}

/* 0; else the request is answered. */
static int errand_prepare(struct errand *errand, enum job_kind kind, json_t *body) {
    struct request *request = errand->request;
    struct fault fault = {0};
    errand->kind = kind;
    errand->lane = job_kind_lane(kind);
    errand->leaves = request_prefers(request, "Prefer", "respond-async");
    token_draw(errand->id);
    int code = errand_encode(errand, kind, body, &fault);
    if (kind == JOB_SESSION_PARAMS) {
        errand_shorten(fault.field);
        errand_shorten(fault.message);
    }
    if (code != 0)
        answer_fault(request, &fault);
    return code;
}

void errand_start(struct request *request, enum job_kind kind, json_t *body,
                  void (*finish)(struct request *request, const struct result *result)) {
    struct front *front = request->front;
    struct errand *errand = body ? request_work(request, sizeof *errand, errand_drop) : NULL;
    if (!errand)
        goto out;
    errand->request = request;
    errand->finish = finish;
    errand->deadline_ns = clock_now_ns() + front->settings->wait_s * INT64_C(1000000000);
    if (errand_prepare(errand, kind, body) != 0)
        goto out;
    if (!link_is_up(front->link)) {
        answer_unavailable(request, "redis_unavailable", link_reason(front->link));
        goto out;
    }
    front->errands.sent++;
    errands_add(&front->errands, errand);
    if (front->sample.alive > 0) {
        errand_set_state(errand, ERRAND_SENDING);
        errand_send(errand);
    } else if (!request_sent(request, queue_status(&front->queue, errand_on_checked, errand))) {
        errand_end(errand);
    }
out:
    json_decref(body);
}

static void errand_time_out(struct errand *errand) {
    const struct front *front = errand->request->front;
    struct problem problem = {.status = MHD_HTTP_GATEWAY_TIMEOUT,
                              .code = "still_waiting",
                              .detail = "the job was not done in time; it goes on",
                              .advice = "ask for it at /api/jobs/ and its id",
                              .job = errand->id};
    if (!link_is_up(front->link)) {
        problem.status = MHD_HTTP_SERVICE_UNAVAILABLE;
        problem.code = "redis_unavailable";
        problem.detail = link_reason(front->link);
        problem.advice =
            "whether the job was taken is not known; ask for it at /api/jobs/ and its id";
        problem.retry_after = ANSWER_RETRY_S;
    }
    errand_fail(errand, &problem);
}

static void errands_on_timer(uv_timer_t *timer) {
    struct errands *errands = timer->data;
    int64_t now_ns = clock_now_ns();
    while (errands->first && errands->first->deadline_ns <= now_ns) {
        errands->timed_out++;
        errand_time_out(errands->first);
    }
    errands_arm(errands);
}

void errands_init(struct errands *errands, struct front *front) {
    errands->front = front;
    uv_timer_init(&front->loop, &errands->timer);
    errands->timer.data = errands;
}

void errands_close(struct errands *errands) {
    while (errands->first)
        errand_fail(errands->first,
                    &(struct problem){.status = MHD_HTTP_SERVICE_UNAVAILABLE,
                                      .code = "shutting_down",
                                      .detail = "this front-end is being stopped; the job goes on",
                                      .job = errands->first->id,
                                      .retry_after = ANSWER_RETRY_S});
    uv_close((uv_handle_t *)&errands->timer, NULL);
}
