/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * From an entry that has come to this worker to a job in line for a slot: decode it, read its
 * session, and for one that must run alone wait until everything else is done and tell Redis of its
 * start. What cannot be run goes to `finished` at once. On the loop's thread.
 */
#include "slots.h"
#include "trouble.h"
#include "work.h"

struct intake {
    struct queue *queue;
    struct slots *slots;
    const struct work *work;
    struct held_list *list;
    struct trouble *trouble;

    struct held_line ready;   /* WAITING, for the next intake_settle to hand over */
    struct held_line unread;  /* PREPARING: their session is to be read */
    struct held_line reading; /* PREPARING: asked for, in the order of the answers to come */
    struct queue_entry newest[JOB_LANES]; /* of those taken; ref empty: none yet */
    struct held *alone;    /* NEW, until nothing else is held; PREPARING while it is declared */
    bool some_lost;        /* intake_lose was called */
    int64_t rest_until_ns; /* sessions are not asked for before; 0: none */

    void (*finished)(void *context, struct held *held); /* FINISHED */
    void *context;
};

/*
 * Takes over an entry; `given->job` is read here and not kept. One that this worker holds already
 * (its lease was over, and it came to the same worker again) goes on, or if it is to run alone by
 * now, ends there and begins again.
 */
void intake_take(struct intake *intake, const struct queue_given *given, int64_t server_ms,
                 int64_t now_ns);

/* An entry that is handed back unopened. */
void intake_refuse(struct intake *intake, const struct queue_given *given);

/* Its session has changed since it was read: SENT -> PREPARING. */
void intake_again(struct intake *intake, struct held *held);

/* A beat has told Redis that the job has started (held->declare); nothing for any other job. */
void intake_declared(struct intake *intake, struct held *held);

/* That job is another's by now. It ends as soon as it is in nobody else's hands, without a result.
 */
void intake_lose(struct intake *intake, struct held *held);

/* Does whatever can be done now; the worker calls it once a turn of the loop. */
void intake_settle(struct intake *intake, int64_t now_ns);

/* Gives up what was claimed ahead and still waits for a slot, to `finished`, to be handed back:
 * other workers may have places. */
void intake_yield(struct intake *intake);

/* Gives up what has not begun to run, for the end of the worker: all to `finished`, to be handed
 * back. */
void intake_give_up(struct intake *intake);
