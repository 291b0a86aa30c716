/* SPDX-License-Identifier: MIT */
/*
 * Redis answers in order, so the jobs whose sessions were asked for stand in one line, and each
 * answer belongs to the first of it. A session is read as late as possible, and whether it is still
 * the same is asked by complete; nothing is locked in between.
 */
#include "intake.h"

#include "clock.h"
#include "log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define INTAKE_REST_NS INT64_C(250000000) /* after a failure; beats turn the loop by then */

/* Out of whatever stage it is in: it has an outcome, or is handed back. */
static void intake_finish(struct intake *intake, struct held *held) {
    held_set_state(held, HELD_FINISHED);
    intake->finished(intake->context, held);
}

static void intake_reject(struct intake *intake, struct held *held, const struct fault *fault) {
    work_reject(intake->work, held, fault);
    intake_finish(intake, held);
}

static void intake_hand_back(struct intake *intake, struct held *held) {
    held->end = HELD_HAND_BACK;
    intake_finish(intake, held);
}

/* --- opening ---------------------------------------------------------------------------------- */

static int intake_decode(struct held *held, const struct queue_given *given, struct fault *fault) {
    const char *entry = queue_entry_id(&held->entry);
    if (given->job)
        return wire_decode_job(given->job, given->job_size, entry, &held->job, fault);
    held->job.kind = JOB_KINDS;
    memcpy(held->job.id, entry, strlen(entry) + 1);
    return fault_set(fault, FAULT_MISSING_FIELD, "job",
                     "the entry has no field job, which is to hold the job as msgpack");
}

/* Without memory for it, it must not stay ours: nobody would renew its lease. */
static struct held *intake_new(struct intake *intake, const struct queue_given *given) {
    struct held *held = held_new(&given->entry);
    if (held) {
        held_list_add(intake->list, held);
        return held;
    }
    const struct queue_entry *entry = &given->entry;
    int code = queue_hand_back(intake->queue, intake->work->worker, &entry, 1, NULL, NULL);
    LOG_WRITE(LOG_LEVEL_ERROR, "no memory for a job", LOG_TEXT("entry", entry->ref),
              LOG_TEXT("handed_back", code == 0 ? "yes" : err_text(code)));
    return NULL;
}

static bool intake_needs_session(const struct held *held) {
    return held->job.kind == JOB_SESSION_STEP || held->job.kind == JOB_SESSION_PARAMS;
}

/* Where a readable job goes first. */
static void intake_route(struct intake *intake, struct held *held) {
    if (intake_needs_session(held)) {
        if (held->state != HELD_PREPARING)
            held_set_state(held, HELD_PREPARING);
        held_line_add(&intake->unread, held);
    } else {
        held_set_state(held, HELD_WAITING);
        held_line_add(&intake->ready, held);
    }
}

/* True if it is one of ours already. Those that nobody has had yet come in their order, so only one
 * that is older than others has to be looked for. One that is to run alone does not go on beside
 * others: it is lost here, and begins anew. */
static bool intake_goes_on(struct intake *intake, const struct queue_given *given) {
    struct queue_entry *newest = &intake->newest[given->entry.lane];
    if (!newest->ref[0] || queue_entry_compare(&given->entry, newest) > 0) {
        *newest = given->entry;
        return false;
    }
    struct held *held = held_list_find(intake->list, given->entry.ref);
    if (!held || held->fenced_out)
        return false;
    if (given->how == QUEUE_ALONE) {
        intake_lose(intake, held);
        return false;
    }
    held->entry.attempt = given->entry.attempt;
    return true;
}

void intake_take(struct intake *intake, const struct queue_given *given, int64_t server_ms,
                 int64_t now_ns) {
    if (intake_goes_on(intake, given))
        return;
    struct held *held = intake_new(intake, given);
    if (!held)
        return;
    struct fault fault = {0};
    held->claimed_ns = now_ns;
    held->server_ms = server_ms;
    held->queued_ms = server_ms - (int64_t)held->entry.ms;
    if (held->queued_ms < 0)
        held->queued_ms = 0;
    held->next = given->how == QUEUE_NEXT;
    held->alone = given->how == QUEUE_ALONE;
    held->outcome.job_size = given->job_size;
    if (intake_decode(held, given, &fault) != 0)
        intake_reject(intake, held, &fault);
    else if (held->alone)
        intake->alone = held;
    else
        intake_route(intake, held);
}

void intake_refuse(struct intake *intake, const struct queue_given *given) {
    struct held *held = intake_new(intake, given);
    if (held)
        intake_hand_back(intake, held);
}

/* --- sessions --------------------------------------------------------------------------------- */

static void intake_unreadable(struct intake *intake, struct held *held) {
    struct fault fault = {0};
    fault_set(&fault, FAULT_INTERNAL, "session", "what is stored of session %s cannot be read",
              held->job.session);
    intake_reject(intake, held, &fault);
}

static int intake_decode_session(struct held *held, const char *body, size_t size) {
    held->session = mem_zero(1, sizeof *held->session);
    return held->session ? wire_decode_session(body, size, held->session) : ERR_NO_MEMORY;
}

static void intake_on_session(void *context, const struct link_reply *reply) {
    struct intake *intake = context;
    struct held *held = held_line_take(&intake->reading);
    const char *body;
    size_t size;
    assert(held);
    int code = queue_read_session(reply, &held->expect_revision, &body, &size);
    bool is_later =
        code == ERR_DOWN || (code == ERR_REFUSED && queue_answer(reply) != QUEUE_ANSWER_WRONG);
    trouble_answered(intake->trouble, TROUBLE_SESSION, is_later ? code : 0, reply);
    if (is_later) {
        held_line_add(&intake->unread, held);
        intake->rest_until_ns = clock_now_ns() + INTAKE_REST_NS;
        return;
    }
    held_forget_session(held);
    if (code == 0 && body)
        code = intake_decode_session(held, body, size);
    if (code == ERR_NO_MEMORY) {
        intake_hand_back(intake, held);
    } else if (code != 0) {
        intake_unreadable(intake, held);
    } else {
        held_set_state(held, HELD_WAITING);
        held_line_add(&intake->ready, held);
    }
}

static void intake_read_sessions(struct intake *intake) {
    struct held_line again = {0};
    struct held *held;
    while ((held = held_line_take(&intake->unread))) {
        if (held->fenced_out)
            intake_finish(intake, held);
        else if (queue_session(intake->queue, held->job.session, intake_on_session, intake) == 0)
            held_line_add(&intake->reading, held);
        else
            held_line_add(&again, held);
    }
    intake->unread = again;
}

void intake_again(struct intake *intake, struct held *held) {
    held_set_state(held, HELD_PREPARING);
    atomic_store(&held->started_ns, 0);
    held_line_add(&intake->unread, held);
}

/* --- alone ------------------------------------------------------------------------------------ */

/* Whether anything else is held. What is finished may lose a compare-and-set, and run again. */
static bool intake_has_others(const struct intake *intake) {
    return intake->list->first != intake->alone || intake->alone->after;
}

static void intake_settle_alone(struct intake *intake) {
    struct held *held = intake->alone;
    if (!held)
        return;
    if (held->fenced_out) {
        intake->alone = NULL;
        intake_finish(intake, held);
    } else if (held->state == HELD_NEW && !intake_has_others(intake)) {
        held_set_state(held, HELD_PREPARING);
        held->declare = HELD_DECLARE_WANTED;
    }
}

void intake_declared(struct intake *intake, struct held *held) {
    if (held != intake->alone || held->fenced_out)
        return;
    intake->alone = NULL;
    intake_route(intake, held);
}

/* --- all together ----------------------------------------------------------------------------- */

static bool intake_is_fenced_out(const struct held *held) {
    return held->fenced_out;
}

static bool intake_is_ahead(const struct held *held) {
    return held->next && held->deadline_ns == 0; /* else it has run, and lost a compare-and-set */
}

static bool intake_is_any(const struct held *held) {
    (void)held;
    return true;
}

void intake_lose(struct intake *intake, struct held *held) {
    held->fenced_out = true;
    atomic_store(&held->order, HELD_ABANDON);
    intake->some_lost = true;
}

static void intake_drop_lost(struct intake *intake) {
    struct held_line lost = {0};
    struct held *held;
    intake->some_lost = false;
    slots_take_back(intake->slots, intake_is_fenced_out, &lost);
    while ((held = held_line_take(&lost)))
        intake_finish(intake, held);
}

void intake_settle(struct intake *intake, int64_t now_ns) {
    if (intake->some_lost)
        intake_drop_lost(intake);
    intake_settle_alone(intake);
    if (now_ns >= intake->rest_until_ns)
        intake_read_sessions(intake);
    if (intake->ready.first)
        slots_give(intake->slots, &intake->ready);
}

static void intake_hand_back_all(struct intake *intake, struct held_line *line) {
    struct held *held;
    while ((held = held_line_take(line)))
        intake_hand_back(intake, held);
}

void intake_yield(struct intake *intake) {
    struct held_line ahead = {0};
    slots_take_back(intake->slots, intake_is_ahead, &ahead);
    intake_hand_back_all(intake, &ahead);
}

void intake_give_up(struct intake *intake) {
    struct held_line all = {0};
    struct held *held;
    slots_take_back(intake->slots, intake_is_any, &all);
    while ((held = held_line_take(&intake->ready)))
        held_line_add(&all, held);
    while ((held = held_line_take(&intake->unread)))
        held_line_add(&all, held);
    if (intake->alone)
        held_line_add(&all, intake->alone);
    intake->alone = NULL;
    intake_hand_back_all(intake, &all);
}
