/* SPDX-License-Identifier: MIT */
/*
 * The answers show what was before any claim that is sent after the questions, so nothing that
 * comes later can be mistaken for lost. A read on the other link may have brought an entry that the
 * answers show and that has not arrived here: that one is handed back too, and not taken when it
 * comes, or lost by its verdict.
 */
#include "recover.h"

#include "log.h"

#include <string.h>

/* A run that this worker was told to have lost, or is yet to be told so, may still be in its slot:
 * that is not the one that Redis means. */
static bool recover_is_held(const struct held_list *list, const struct queue_entry *entry) {
    const struct held *held = list->first;
    while (held && (held->fenced_out || held->entry.attempt != entry->attempt ||
                    strcmp(held->entry.ref, entry->ref) != 0))
        held = held->after;
    return held;
}

static void recover_take(struct recover *recover, enum job_lane lane,
                         const struct link_reply *reply) {
    struct queue_given given = {0};
    unsigned lost = 0;
    for (size_t i = 0; queue_read_holding(reply, i, lane, &given.entry) == 0; i++) {
        if (recover_is_held(recover->list, &given.entry))
            continue;
        intake_refuse(recover->intake, &given);
        lost++;
    }
    if (lost > 0)
        LOG_WRITE(LOG_LEVEL_WARNING, "handing back what got lost on the way here",
                  LOG_INT("entries", lost));
}

static void recover_on_interactive(void *context, const struct link_reply *reply) {
    recover_take(context, JOB_INTERACTIVE, reply);
}

static void recover_on_batch(void *context, const struct link_reply *reply) {
    recover_take(context, JOB_BATCH, reply);
}

/* What cannot be asked now is asked after the next reconnect. */
static void recover_ask(struct recover *recover, enum job_lane lane, bool next,
                        link_reply_fn *answered) {
    if (queue_holdings(recover->queue, recover->worker, lane, next, answered, recover) != 0)
        LOG_WRITE(LOG_LEVEL_DEBUG, "could not ask what this worker has",
                  LOG_INT("lane", (int)lane));
}

void recover_begin(struct recover *recover) {
    for (int next = 0; next < 2; next++) {
        recover_ask(recover, JOB_INTERACTIVE, next, recover_on_interactive);
        recover_ask(recover, JOB_BATCH, next, recover_on_batch);
    }
}
