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
            view->undelivered_bytes += queue_outcome_size(&held->outcome);
            continue;
        }
        int64_t started_ns = atomic_load_explicit(&held->started_ns, memory_order_relaxed);
        view->active[held->entry.lane]++;
        if (started_ns > 0 && now_ns - started_ns > view->longest_ns)
            view->longest_ns = now_ns - started_ns;
    }
}

/* --- adopted ---------------------------------------------------------------------------------- */

/* By Redis's clock, which the last claim has told. */
static int64_t claim_server_ms(const struct claim *claim, int64_t now_ns) {
    return claim->server_ms + (now_ns - claim->server_at_ns) / CLAIM_MS;
}

/* It begins at once: a round trip is longer than a short job. */
static void claim_adopt(struct claim *claim, const struct queue_given *given, int64_t now_ns) {
    if (held_list_find(claim->list, given->entry.ref))
        return; /* recover.c was faster, and is handing it back */
    if (!claim->open) {
        intake_refuse(claim->intake, given);
        return;
    }
    claim->adopted[claim->adopted_count++] = given->entry;
    intake_take(claim->intake, given, claim_server_ms(claim, now_ns), now_ns);
}

/* Those that claim did not know of when it was asked for what is free. */
static void claim_discount_adopted(const struct claim *claim, unsigned busy[JOB_LANES]) {
    for (size_t i = 0; i < claim->adopted_count; i++) {
        const struct held *held = held_list_find(claim->list, claim->adopted[i].ref);
        if (held && held->state < HELD_FINISHED)
            busy[held->entry.lane]--;
    }
}

static unsigned claim_judge_adopted(struct claim *claim, const struct link_reply *reply) {
    unsigned ours = 0;
    for (size_t i = 0; i < claim->adopted_count; i++) {
        enum queue_verdict verdict;
        struct held *held = held_list_find(claim->list, claim->adopted[i].ref);
        if (queue_read_verdict(reply, i, &verdict) == 0 && verdict == QUEUE_VERDICT_RUN) {
            ours++;
        } else if (held) {
            held->in_vain = true;
            intake_lose(claim->intake, held);
        }
    }
    claim->adopted_count = 0;
    return ours;
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
    claim->server_ms = claimed.server_ms;
    claim->server_at_ns = now_ns;
    unsigned adopted = claim_judge_adopted(claim, reply);
    unsigned got = claim_take_given(claim, reply, &claimed, now_ns);
    claim->meter->claims++;
    claim->meter->claimed += adopted + got;
    if (claim->intake->alone) /* behind it the claim has looked no further */
        got = claim->move.wanted;
    hunt_claimed(&claim->hunt, &claim->move, now_ns, got, claimed.paused);
}

/* A busy worker looks for lost jobs many times a second, and a beat renews the leases of all that
 * it holds: so it looks among its own, which needs one ahead, only now and then. (Some may be lost:
 * their answer never came, or there was no memory for them.) */
static enum queue_reclaim claim_reclaim(struct claim *claim, int64_t now_ns) {
    if (!claim->move.reclaim)
        return QUEUE_RECLAIM_NONE;
    if (now_ns < claim->own_ns || !beat_ahead(claim->beat))
        return QUEUE_RECLAIM_OTHERS;
    claim->own_ns = now_ns + claim->hunt.reclaim_every_ns;
    return QUEUE_RECLAIM_ALL;
}

static void claim_send(struct claim *claim, const struct hunt_view *view) {
    bool asks = claim->move.action != HUNT_WAIT; /* else only for a verdict */
    struct queue_claim request = {.worker = claim->worker,
                                  .slots = asks ? claim->hunt.slots : 0,
                                  .prefetch = claim->move.prefetch,
                                  .turn = claim->hunt.turn,
                                  .reclaim = claim_reclaim(claim, view->now_ns),
                                  .lease_ms = claim->lease_ms,
                                  .adopt_count = claim->adopted_count};
    for (int lane = 0; lane < JOB_LANES; lane++)
        request.busy[lane] = view->active[lane];
    claim_discount_adopted(claim, request.busy);
    for (size_t i = 0; i < claim->adopted_count; i++)
        request.adopt[i] = &claim->adopted[i];
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
        claim_adopt(claim, &given[i], clock_now_ns());
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
        claim->adopted_count = 0; /* without a verdict, since nothing is claimed any more */
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
    uv_close((uv_handle_t *)&claim->timer, NULL);
}
