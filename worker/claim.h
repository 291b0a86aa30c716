/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Where jobs come from: calls of claim on the worker's link, blocking reads on a link of their own.
 * hunt.c decides which; at most one of the two is under way, so places are never given twice. What
 * a read has brought begins at once, and goes to the next claim for its verdict: should it be
 * paused or cancelled, the run was in vain, and the fence keeps its result out. On the loop's
 * thread.
 *
 *        +--------- claim: there may be more ----------+
 *        v                                             |
 *      IDLE --- claim ---> CLAIMING --- answer --------+---> IDLE
 *        |                                                    ^
 *        `----- read ----> READING ---- answer, unblocked ----'
 */
#include "beat.h"
#include "hunt.h"
#include "intake.h"

#include <uv.h>

enum claim_state { CLAIM_IDLE, CLAIM_CLAIMING, CLAIM_READING, CLAIM_STATES };

struct claim {
    enum claim_state state;
    struct queue *queue;  /* on the worker's link */
    struct queue *reader; /* on the other one */
    const char *worker;
    unsigned lease_ms;
    struct hunt hunt;
    struct held_list *list;
    struct slots *slots;
    struct intake *intake;
    struct beat *beat;
    struct meter *meter;
    struct trouble *trouble;
    bool open; /* false: take nothing new, and hand back what still comes */

    struct hunt_move move;                 /* that is under way */
    int64_t own_ns;                        /* when to look for lost jobs among its own again */
    struct queue_entry adopted[JOB_LANES]; /* what a read has brought, until the verdict */
    size_t adopted_count;
    int64_t server_ms, server_at_ns; /* Redis's clock at the last claim, and ours */
    int64_t connection;              /* the reader's number; 0: unknown */
    bool unblocking;                 /* asked to end the read */
    uv_timer_t timer;                /* only wakes the loop */
};

/* The other fields are the caller's to fill; hunt_init too. */
void claim_init(struct claim *claim, uv_loop_t *loop);
void claim_close(struct claim *claim);

/* The reader's link has come up, or gone down. */
void claim_reader_up(struct claim *claim);
void claim_reader_down(struct claim *claim);

/* Asks for jobs if it is time to, or ends a read that watches too little; the worker calls it once
 * a turn of the loop while Redis is ready. */
void claim_settle(struct claim *claim, int64_t now_ns);

/* Nothing is under way, nothing waits for its verdict. */
bool claim_is_idle(const struct claim *claim);
