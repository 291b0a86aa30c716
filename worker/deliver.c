/* SPDX-License-Identifier: MIT */
/*
 * Batches make themselves: two calls may be under way, and what finishes meanwhile goes together
 * into the next. An idle worker sends its one result at once, a busy one up to 64 in a call.
 *
 * Redis may not like a call as a whole ("ERR ..."), which is our defect, in one job of it: then
 * each of its jobs is tried by itself. One that is refused even so is answered with `internal`, and
 * if that is refused too, it is let go: its lease ends, and the losses are counted by the queue.
 */
#include "deliver.h"

#include "clock.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

#define DELIVER_MS INT64_C(1000000)

enum {
    DELIVER_CALLS = 2,
    DELIVER_JOBS = 64,
    DELIVER_BYTES = 1 << 20, /* of one call, roughly; one job may have more */
    DELIVER_BACKS = 256,
    DELIVER_REFUSALS = 3, /* of a job alone, before its result is given up; twice: the job */
};

struct deliver_call {
    struct deliver *deliver;
    size_t count;
    struct held *held[];
};

/* --- the end of a job ------------------------------------------------------------------------- */

static void deliver_log(const struct held *held, const char *message) {
    enum log_level level = held->status == RESULT_FAILED ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO;
    LOG_WRITE(level, message, LOG_TEXT("job", held->outcome.id),
              LOG_TEXT("kind", held->outcome.kind), LOG_TEXT("status", held->outcome.status),
              LOG_TEXT("code", held->fault == FAULT_NONE ? NULL : fault_code_name(held->fault)),
              LOG_TEXT("why", held->message), LOG_INT("queued_ms", held->queued_ms),
              LOG_MS("run_ms", held->run_ns), LOG_TEXT("traceparent", held->job.traceparent));
}

static void deliver_drop(struct deliver *deliver, struct held *held, const char *message) {
    LOG_WRITE(LOG_LEVEL_WARNING, message, LOG_TEXT("job", held->job.id),
              LOG_TEXT("entry", held->entry.ref), LOG_TEXT("traceparent", held->job.traceparent));
    held_list_drop(deliver->list, held);
}

static void deliver_drop_lost(struct deliver *deliver, struct held *held) {
    if (held->in_vain) {
        held_list_drop(deliver->list, held);
        return;
    }
    deliver->meter->lost++;
    deliver_drop(deliver, held,
                 held->unsure ? "job lost, or answered before the connection broke"
                              : "job lost: its lease was over, or Redis has forgotten it");
}

void deliver_add(struct deliver *deliver, struct held *held) {
    if (held->fenced_out)
        deliver_drop_lost(deliver, held);
    else
        held_line_add(held->end == HELD_COMPLETE ? &deliver->results : &deliver->backs, held);
}

static void deliver_again(struct deliver *deliver, struct held *held) {
    held_set_state(held, HELD_FINISHED);
    deliver_add(deliver, held);
}

/* --- when Redis does not take it -------------------------------------------------------------- */

static void deliver_on_timer(uv_timer_t *timer) {
    (void)timer; /* the loop has turned, and that was all */
}

static void deliver_rest(struct deliver *deliver) {
    uint32_t ms = backoff_take(&deliver->backoff, backoff_dice());
    deliver->rest_until_ns = clock_now_ns() + ms * DELIVER_MS;
    uv_timer_start(&deliver->timer, deliver_on_timer, ms + 1, 0);
}

static void deliver_refused(struct deliver *deliver, struct held *held, const char *why) {
    struct fault fault = {0};
    bool is_back = held->end == HELD_HAND_BACK;
    held->refusals++;
    if (held->refusals == (is_back ? 1 : 2) * DELIVER_REFUSALS) {
        deliver_drop(deliver, held, "job given up: Redis refuses whatever is said of it");
        return;
    }
    held_set_state(held, HELD_FINISHED);
    if (held->refusals == DELIVER_REFUSALS) {
        LOG_WRITE(LOG_LEVEL_ERROR, "a result was refused", LOG_TEXT("job", held->job.id),
                  LOG_TEXT("why", why));
        fault_set(&fault, FAULT_INTERNAL, "", "Redis refused the result: %s", why);
        work_reject(deliver->work, held, &fault);
    }
    deliver_add(deliver, held);
}

static void deliver_failed(struct deliver_call *call, const struct link_reply *reply) {
    struct deliver *deliver = call->deliver;
    bool is_wrong = queue_answer(reply) == QUEUE_ANSWER_WRONG;
    for (size_t i = 0; i < call->count; i++) {
        call->held[i]->unsure = call->held[i]->unsure || !reply;
        if (is_wrong)
            deliver_refused(deliver, call->held[i], queue_answer_text(reply));
        else
            deliver_again(deliver, call->held[i]);
    }
    deliver_rest(deliver);
    trouble_answered(deliver->trouble, TROUBLE_DELIVER, ERR_REFUSED, reply);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void deliver_answered(struct deliver *deliver, struct held *held,
                             enum queue_completed completed) {
    switch (completed) {
    case QUEUE_COMPLETED_OK:
        deliver->meter->delivered++;
        meter_job(deliver->meter, held->job.kind, held->status, held->run_ns);
        deliver_log(held, "job done");
        held_list_drop(deliver->list, held);
        break;
    case QUEUE_COMPLETED_DUPLICATE:
        deliver->meter->duplicates++;
        deliver_log(held, "job dropped: its id has a result already");
        held_list_drop(deliver->list, held);
        break;
    case QUEUE_COMPLETED_CONFLICT:
        deliver->meter->conflicts++;
        deliver->conflict(deliver->context, held);
        break;
    case QUEUE_COMPLETED_LOST:
    case QUEUE_COMPLETEDS:
        if (held->sent_attempt != held->entry.attempt)
            deliver_again(deliver, held);
        else
            deliver_drop_lost(deliver, held);
        break;
    }
}

static void deliver_succeeded(struct deliver *deliver, const struct link_reply *reply) {
    backoff_reset(&deliver->backoff);
    trouble_answered(deliver->trouble, TROUBLE_DELIVER, 0, reply);
}

static void deliver_call_end(struct deliver_call *call) {
    call->deliver->in_flight--;
    free(call);
}

static void deliver_on_complete(void *context, const struct link_reply *reply) {
    struct deliver_call *call = context;
    struct deliver *deliver = call->deliver;
    enum queue_completed completed;
    if (queue_answer(reply) == QUEUE_ANSWER_OK) {
        deliver_succeeded(deliver, reply);
        for (size_t i = 0; i < call->count; i++)
            if (queue_read_complete(reply, i, &completed) == 0)
                deliver_answered(deliver, call->held[i], completed);
            else
                deliver_refused(deliver, call->held[i], "an answer that is none");
    } else {
        deliver_failed(call, reply);
    }
    deliver_call_end(call);
}

static void deliver_on_back(void *context, const struct link_reply *reply) {
    struct deliver_call *call = context;
    struct deliver *deliver = call->deliver;
    if (queue_answer(reply) == QUEUE_ANSWER_OK) {
        deliver_succeeded(deliver, reply);
        deliver->meter->handed_back += call->count;
        for (size_t i = 0; i < call->count; i++) {
            LOG_WRITE(LOG_LEVEL_INFO, "job handed back", LOG_TEXT("job", call->held[i]->job.id),
                      LOG_TEXT("entry", call->held[i]->entry.ref),
                      LOG_TEXT("traceparent", call->held[i]->job.traceparent));
            held_list_drop(deliver->list, call->held[i]);
        }
    } else {
        deliver_failed(call, reply);
    }
    deliver_call_end(call);
}

/* --- sending ---------------------------------------------------------------------------------- */

/* Up to `most` jobs of the line, and all of them together not too big. One that was refused goes
 * alone. NULL: none, or no memory. */
static struct deliver_call *deliver_take(struct deliver *deliver, struct held_line *line,
                                         size_t most) {
    size_t count = line->count < most ? line->count : most, bytes = 0;
    if (count == 0)
        return NULL;
    struct deliver_call *call = mem_alloc(sizeof *call + count * sizeof *call->held);
    if (!call) {
        deliver_rest(deliver);
        return NULL;
    }
    call->deliver = deliver;
    call->count = 0;
    while (call->count < count && bytes < DELIVER_BYTES) {
        struct held *held = line->first;
        if (call->count > 0 && (held->refusals > 0 || call->held[0]->refusals > 0))
            break;
        bytes += queue_outcome_size(&held->outcome);
        call->held[call->count++] = held_line_take(line);
    }
    return call;
}

static void deliver_sent(struct deliver_call *call, int code) {
    struct deliver *deliver = call->deliver;
    if (code == 0) {
        deliver->in_flight++;
        for (size_t i = 0; i < call->count; i++)
            held_set_state(call->held[i], HELD_SENT);
        return;
    }
    for (size_t i = 0; i < call->count; i++)
        deliver_add(deliver, call->held[i]);
    free(call);
    deliver_rest(deliver); /* down: until deliver_resume */
}

/* complete is fastest on entries in their order, and knows nothing of what they are to us. */
static int deliver_compare(const void *a, const void *b) {
    const struct held *const *left = a, *const *right = b;
    return queue_entry_compare(&(*left)->entry, &(*right)->entry);
}

static void deliver_send_results(struct deliver *deliver) {
    struct deliver_call *call = deliver_take(deliver, &deliver->results, DELIVER_JOBS);
    struct queue_completion job[DELIVER_JOBS];
    if (!call)
        return;
    qsort(call->held, call->count, sizeof *call->held, deliver_compare);
    for (size_t i = 0; i < call->count; i++) {
        call->held[i]->sent_attempt = call->held[i]->entry.attempt;
        job[i] = (struct queue_completion){&call->held[i]->entry, &call->held[i]->outcome};
    }
    deliver_sent(call, queue_complete(deliver->queue, deliver->work->worker, job, call->count,
                                      deliver_on_complete, call));
}

static void deliver_send_backs(struct deliver *deliver) {
    struct deliver_call *call = deliver_take(deliver, &deliver->backs, DELIVER_BACKS);
    const struct queue_entry *entry[DELIVER_BACKS];
    if (!call)
        return;
    for (size_t i = 0; i < call->count; i++)
        entry[i] = &call->held[i]->entry;
    deliver_sent(call, queue_hand_back(deliver->queue, deliver->work->worker, entry, call->count,
                                       deliver_on_back, call));
}

void deliver_settle(struct deliver *deliver, int64_t now_ns) {
    while (deliver->backs.first && now_ns >= deliver->rest_until_ns)
        deliver_send_backs(deliver);
    while (deliver->results.first && deliver->in_flight < DELIVER_CALLS &&
           now_ns >= deliver->rest_until_ns)
        deliver_send_results(deliver);
}

void deliver_resume(struct deliver *deliver) {
    deliver->rest_until_ns = 0;
    backoff_reset(&deliver->backoff);
}

void deliver_init(struct deliver *deliver, uv_loop_t *loop) {
    uv_timer_init(loop, &deliver->timer);
    uv_unref((uv_handle_t *)&deliver->timer);
}

void deliver_close(struct deliver *deliver) {
    uv_close((uv_handle_t *)&deliver->timer, NULL);
}
