/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A job that this worker holds, from the claim until its end is known.
 *
 *             .---------- its session was changed by another: once more -----------.
 *             v                                                                    |
 *   NEW -> PREPARING -> WAITING -> RUNNING -> FINISHED <-> SENT -> GONE            |
 *    |         |           |                     ^           |                     |
 *    |         `-----------+---------------------'           `---------------------'
 *    `---------------------'
 *
 *   NEW        claimed, not looked at yet
 *   PREPARING  its session is being read, or its start is being declared
 *   WAITING    in line for a slot
 *   RUNNING    in a slot
 *   FINISHED   to be sent: its result, or that it is handed back
 *   SENT       that is under way; no answer: FINISHED again
 *   GONE       Redis has it, or it is another's by now; freed next
 *
 * A lost job goes to GONE from wherever it is, but never from RUNNING: the slot gives it back
 * first. The loop's thread owns it in every state but RUNNING, in which it is the slot's and only
 * `order`, `done` and `started_ns` may be touched. Both hand-overs go through the lock of slots.c.
 */
#include "job.h"
#include "mem.h"
#include "queue_work.h"
#include "result.h"
#include "session.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum held_state {
    HELD_NEW,
    HELD_PREPARING,
    HELD_WAITING,
    HELD_RUNNING,
    HELD_FINISHED,
    HELD_SENT,
    HELD_GONE,
    HELD_STATES,
};

/* Whether a beat is to tell Redis that it has started before it does. */
enum held_declare {
    HELD_DECLARE_NO,
    HELD_DECLARE_WANTED,
    HELD_DECLARE_SENT /* with the beat that is under way */
};

/* What a running job is told; it looks once a tick. */
enum held_order {
    HELD_GO_ON,
    HELD_CANCEL, /* end with a result `cancelled` */
    HELD_ABANDON /* end without one */
};

/* What becomes of it when it is FINISHED. */
enum held_end {
    HELD_COMPLETE, /* its result is delivered */
    HELD_HAND_BACK /* somebody else runs it; not counted as a loss */
};

struct held {
    struct held *before, *after; /* in the list of all */
    struct held *line;           /* next in whatever line it stands */

    _Atomic enum held_state state; /* others may glance at it; only its owner may rely on it */
    struct queue_entry entry;      /* lane, id, attempt */
    bool fresh;                    /* no run of it was lost: only then does ttl_ms count */
    bool next;                     /* claimed ahead: Redis does not know it as started */
    bool alone;                    /* it was lost before: nothing else may run beside it */
    bool fenced_out;               /* Redis says that it is another's */
    bool in_vain;                  /* begun before its verdict, which was not `run` */
    enum held_declare declare;

    struct job job;
    struct session *session;  /* owned: as read for it; NULL: there is none */
    uint64_t expect_revision; /* what complete compares with */

    /* Times. Monotonic, in ns, but for what the server counts. */
    int64_t claimed_ns;
    int64_t queued_ms;   /* from enqueue to claim, by the server's clock */
    int64_t server_ms;   /* the server's clock at claimed_ns */
    int64_t deadline_ns; /* end of the budget; 0: not started yet */
    int64_t run_ns;      /* time in slots so far, all rounds together */

    atomic_int order;          /* enum held_order */
    atomic_llong started_ns;   /* of the present round; 0: not started */
    atomic_ullong done, total; /* ticks */

    enum held_end end;
    enum result_status status;
    enum fault_code fault;
    char message[FAULT_MESSAGE_MAX + 1];
    struct queue_outcome outcome; /* encoded, ready to be sent */
    unsigned refusals;            /* times that Redis did not like it */
    bool unsure;                  /* it was sent once without an answer */
    /* The attempt that was named to Redis last. Where entry.attempt is another by now, `lost` is an
     * answer about the one before. */
    unsigned beat_attempt, sent_attempt;
};

/* A new one, NEW, zeroed but for the entry; NULL without memory. */
struct held *held_new(const struct queue_entry *entry);

void held_free(struct held *held); /* GONE */

/* Frees what was read of its session. */
void held_forget_session(struct held *held);

/* The only writer of `state`; asserts that the drawing has this arrow. */
void held_set_state(struct held *held, enum held_state state);
const char *held_state_name(enum held_state state);

/* All that are held, in the order in which they came. */
struct held_list {
    struct held *first, *last;
    unsigned count;
};
void held_list_add(struct held_list *list, struct held *held);
void held_list_remove(struct held_list *list, struct held *held);
struct held *held_list_find(const struct held_list *list, const char *ref);

/* The end of a job: GONE, out of the list, freed. It must stand in no line. */
void held_list_drop(struct held_list *list, struct held *held);

/* First in, first out. */
struct held_line {
    struct held *first, **end; /* end NULL: never used */
    unsigned count;
};
void held_line_add(struct held_line *line, struct held *held);
struct held *held_line_take(struct held_line *line); /* NULL: empty */
