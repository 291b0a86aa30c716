/* SPDX-License-Identifier: MIT */
/* See claim.h. What the worker holds is counted afresh for each decision: the list is short, and a
 * count that is kept in many places is wrong in one of them. */
#include "claim.h"

#include "clock.h"
#include "log.h"

#include <assert.h>
#include <string.h>

#define CLAIM_MS INT64_C(1000000)

static const unsigned claim_arrows[CLAIM_STATES] = {
    [CLAIM_IDLE] = 1u << CLAIM_CLAIMING | 1u << CLAIM_READING,
    [CLAIM_CLAIMING] = 1u << CLAIM_IDLE,
    [CLAIM_READING] = 1u << CLAIM_IDLE,
};

static void claim_set_state(struct claim *claim, enum claim_state state) {
    assert(claim_arrows[claim->state] & 1u << state);
    claim->state = state;
}

static void claim_on_timer(uv_timer_t *timer) {
    (void)timer; /* the loop has turned, and that was all */
}

static void claim_look(const struct claim *claim, int64_t now_ns, struct hunt_view *view) {
    *view = (struct hunt_view){.now_ns = now_ns};
    for (const struct held *held = claim->list->first; held; held = held->after) {
        view->alone = view->alone || held->alone;
        if (held->state >= HELD_FINISHED) {
            view->undelivered++;
            continue;
        }
        int64_t started_ns = atomic_load_explicit(&held->started_ns, memory_order_relaxed);
        view->active[held->entry.lane]++;
        if (started_ns > 0 && now_ns - started_ns > view->longest_ns)
            view->longest_ns = now_ns - started_ns;
    }
}

/* --- adopted ---------------------------------------------------------------------------------- */

static void claim_forget_adopted(struct claim *claim) {
    for (size_t i = 0; i < claim->adopted_count; i++)
        mem_buffer_release(&claim->adopted[i].bytes);
    claim->adopted_count = 0;
}

/* False without memory for its bytes. */
static bool claim_adopt(struct claim *claim, const struct queue_given *given) {
    struct claim_adopted *adopted = &claim->adopted[claim->adopted_count++];
    *adopted = (struct claim_adopted){.given = *given};
    mem_buffer_add(&adopted->bytes, given->job, given->job_size);
    if (given->job)
        adopted->given.job = given->job_size ? (const char *)adopted->bytes.data : "";
    return !adopted->bytes.failed;
}

/* At the end of the worker there is no claim to give a verdict. */
static void claim_refuse_adopted(struct claim *claim) {
    for (size_t i = 0; i < claim->adopted_count; i++)
        intake_refuse(claim->intake, &claim->adopted[i].given);
    claim_forget_adopted(claim);
}

static unsigned claim_take_adopted(struct claim *claim, const struct link_reply *reply,
                                   int64_t server_ms, int64_t now_ns) {
    unsigned taken = 0;
    enum queue_verdict verdict;
    for (size_t i = 0; i < claim->adopted_count; i++) {
        if (queue_read_verdict(reply, i, &verdict) != 0 || verdict != QUEUE_VERDICT_RUN)
            continue;
        if (claim->open)
            intake_take(claim->intake, &claim->adopted[i].given, server_ms, now_ns);
        else
            intake_refuse(claim->intake, &claim->adopted[i].given);
        taken++;
    }
    claim_forget_adopted(claim);
    return taken;
}

/* --- claims ----------------------------------------------------------------------------------- */

static unsigned claim_take_given(struct claim *claim, const struct link_reply *reply,
                                 const struct queue_claimed *claimed, int64_t now_ns) {
    struct queue_given given;
    unsigned taken = 0;
    for (size_t i = 0; i < claimed->given; i++) {
        if (queue_read_given(reply, i, &given) != 0) {
            LOG_WRITE(LOG_LEVEL_ERROR, "claim gave an entry that is none", LOG_INT("at", i));
            continue;
        }
        if (claim->open)
            intake_take(claim->intake, &given, claimed->server_ms, now_ns);
        else
            intake_refuse(claim->intake, &given);
        taken++;
    }
    return taken;
}

static void claim_on_claimed(void *context, const struct link_reply *reply) {
    struct claim *claim = context;
    struct queue_claimed claimed;
    int64_t now_ns = clock_now_ns();
    claim_set_state(claim, CLAIM_IDLE);
    int code = queue_read_claim(reply, &claimed);
    trouble_answered(claim->trouble, TROUBLE_CLAIM, code, reply);
    if (code != 0) {
        hunt_failed(&claim->hunt, now_ns);
        return;
    }
    unsigned adopted = claim_take_adopted(claim, reply, claimed.server_ms, now_ns);
    unsigned got = adopted + claim_take_given(claim, reply, &claimed, now_ns);
    claim->meter->claims++;
    claim->meter->claimed += got;
    if (claim->intake->alone) /* behind it the claim has looked no further */
        got = claim->move.wanted;
    hunt_claimed(&claim->hunt, &claim->move, now_ns, got, claimed.paused);
}

static void claim_send(struct claim *claim, const struct hunt_view *view) {
    bool asks = claim->move.action != HUNT_WAIT; /* else only for a verdict */
    struct queue_claim request = {.worker = claim->worker,
                                  .slots = asks ? claim->hunt.slots : 0,
                                  .prefetch = claim->move.prefetch,
                                  .turn = claim->hunt.turn,
                                  .reclaim = claim->move.reclaim,
                                  .lease_ms = claim->lease_ms,
                                  .adopt_count = claim->adopted_count};
    for (int lane = 0; lane < JOB_LANES; lane++)
        request.busy[lane] = view->active[lane];
    for (size_t i = 0; i < claim->adopted_count; i++)
        request.adopt[i] = &claim->adopted[i].given.entry;
    if (queue_claim(claim->queue, &request, claim_on_claimed, claim) == 0)
        claim_set_state(claim, CLAIM_CLAIMING);
    else
        hunt_failed(&claim->hunt, view->now_ns);
}

/* --- reads ------------------------------------------------------------------------------------ */

static void claim_on_read(void *context, const struct link_reply *reply) {
    struct claim *claim = context;
    struct queue_given given[JOB_LANES];
    size_t count;
    claim_set_state(claim, CLAIM_IDLE);
    claim->unblocking = false;
    int code = queue_read_watch(claim->reader, reply, given, &count);
    trouble_answered(claim->trouble, TROUBLE_READ, code, reply);
    if (code != 0) {
        hunt_failed(&claim->hunt, clock_now_ns());
        return;
    }
    claim->meter->reads++;
    for (size_t i = 0; i < count; i++)
        if (!claim_adopt(claim, &given[i])) {
            claim->adopted_count--;
            intake_refuse(claim->intake, &given[i]);
        }
    hunt_read(&claim->hunt);
}

static void claim_read(struct claim *claim, int64_t now_ns) {
    if (queue_watch(claim->reader, claim->worker, claim->move.lane, claim->move.wait_ms,
                    claim_on_read, claim) == 0)
        claim_set_state(claim, CLAIM_READING);
    else
        hunt_failed(&claim->hunt, now_ns);
}

/* The read ends by itself within a second; without the right to end it sooner, that has to do. */
static void claim_unblock(struct claim *claim) {
    if (claim->unblocking || claim->connection == 0)
        return;
    claim->unblocking = queue_unblock(claim->queue, claim->connection, NULL, NULL) == 0;
}

static void claim_on_connection(void *context, const struct link_reply *reply) {
    struct claim *claim = context;
    claim->connection = link_reply_integer(reply, 0);
}

void claim_reader_up(struct claim *claim) {
    if (queue_connection(claim->reader, claim_on_connection, claim) != 0)
        claim->connection = 0;
}

void claim_reader_down(struct claim *claim) {
    claim->connection = 0;
}

/* --- all together ----------------------------------------------------------------------------- */

/* While a read is under way: does it still watch all that there is room for? (To look for lost jobs
 * there is time when it ends.) */
static bool claim_watches_enough(const struct claim *claim, const struct hunt_view *view) {
    struct hunt hunt = claim->hunt;
    struct hunt_move move;
    hunt.reclaim_ns = INT64_MAX;
    hunt_decide(&hunt, view, &move);
    return move.action == HUNT_WAIT ||
           (move.action == HUNT_READ && move.lane[JOB_BATCH] <= claim->move.lane[JOB_BATCH]);
}

static void claim_wait(struct claim *claim, int64_t now_ns) {
    if (claim->move.again_ns <= now_ns)
        return;
    uint64_t ms = (uint64_t)((claim->move.again_ns - now_ns) / CLAIM_MS) + 1;
    uv_timer_start(&claim->timer, claim_on_timer, ms, 0);
}

static void claim_next(struct claim *claim, const struct hunt_view *view) {
    hunt_decide(&claim->hunt, view, &claim->move);
    bool rests = claim->move.action == HUNT_WAIT && claim->move.again_ns > view->now_ns;
    if (claim->move.action == HUNT_CLAIM || (claim->adopted_count > 0 && !rests))
        claim_send(claim, view);
    else if (claim->move.action == HUNT_READ)
        claim_read(claim, view->now_ns);
    else
        claim_wait(claim, view->now_ns);
}

void claim_settle(struct claim *claim, int64_t now_ns) {
    struct hunt_view view;
    if (claim->state == CLAIM_CLAIMING)
        return;
    claim_look(claim, now_ns, &view);
    if (hunt_yields(&view))
        intake_yield(claim->intake);
    if (claim->state == CLAIM_IDLE && claim->open)
        claim_next(claim, &view);
    else if (claim->state == CLAIM_IDLE)
        claim_refuse_adopted(claim);
    else if (!claim->open || !claim_watches_enough(claim, &view))
        claim_unblock(claim);
}

bool claim_is_idle(const struct claim *claim) {
    return claim->state == CLAIM_IDLE && claim->adopted_count == 0;
}

void claim_init(struct claim *claim, uv_loop_t *loop) {
    uv_timer_init(loop, &claim->timer);
    uv_unref((uv_handle_t *)&claim->timer);
}

void claim_close(struct claim *claim) {
    claim_forget_adopted(claim);
    uv_close((uv_handle_t *)&claim->timer, NULL);
}
