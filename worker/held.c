/* SPDX-License-Identifier: MIT */
/* The states' arrows, the list of all, and the lines in which a job stands. Nothing here blocks or
 * calls out. */
#include "held.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define HELD_BIT(state) (1u << (state))

static const unsigned held_arrows[HELD_STATES] = {
    [HELD_NEW] = HELD_BIT(HELD_PREPARING) | HELD_BIT(HELD_WAITING) | HELD_BIT(HELD_FINISHED) |
                 HELD_BIT(HELD_GONE),
    [HELD_PREPARING] = HELD_BIT(HELD_WAITING) | HELD_BIT(HELD_FINISHED) | HELD_BIT(HELD_GONE),
    [HELD_WAITING] = HELD_BIT(HELD_RUNNING) | HELD_BIT(HELD_FINISHED) | HELD_BIT(HELD_GONE),
    [HELD_RUNNING] = HELD_BIT(HELD_FINISHED),
    [HELD_FINISHED] = HELD_BIT(HELD_SENT) | HELD_BIT(HELD_GONE),
    [HELD_SENT] = HELD_BIT(HELD_FINISHED) | HELD_BIT(HELD_PREPARING) | HELD_BIT(HELD_GONE),
};

struct held *held_new(const struct queue_entry *entry) {
    struct held *held = mem_zero(1, sizeof *held);
    if (!held)
        return NULL;
    held->entry = *entry;
    held->fresh = entry->attempt == 1;
    return held;
}

void held_forget_session(struct held *held) {
    if (held->session)
        session_release(held->session);
    free(held->session);
    held->session = NULL;
}

void held_free(struct held *held) {
    assert(held->state == HELD_GONE);
    job_release(&held->job);
    held_forget_session(held);
    queue_outcome_release(&held->outcome);
    free(held);
}

void held_set_state(struct held *held, enum held_state state) {
    assert(held_arrows[held->state] & HELD_BIT(state));
    held->state = state;
}

const char *held_state_name(enum held_state state) {
    static const char *const names[HELD_STATES] = {
        [HELD_NEW] = "new",         [HELD_PREPARING] = "preparing", [HELD_WAITING] = "waiting",
        [HELD_RUNNING] = "running", [HELD_FINISHED] = "finished",   [HELD_SENT] = "sent",
        [HELD_GONE] = "gone",
    };
    return names[state];
}

void held_list_add(struct held_list *list, struct held *held) {
    held->before = list->last;
    held->after = NULL;
    if (list->last)
        list->last->after = held;
    else
        list->first = held;
    list->last = held;
    list->count++;
}

void held_list_remove(struct held_list *list, struct held *held) {
    if (held->before)
        held->before->after = held->after;
    else
        list->first = held->after;
    if (held->after)
        held->after->before = held->before;
    else
        list->last = held->before;
    held->before = held->after = NULL;
    list->count--;
}

struct held *held_list_find(const struct held_list *list, const char *ref) {
    struct held *held = list->first;
    while (held && strcmp(held->entry.ref, ref) != 0)
        held = held->after;
    return held;
}

void held_list_drop(struct held_list *list, struct held *held) {
    held_set_state(held, HELD_GONE);
    held_list_remove(list, held);
    held_free(held);
}

void held_line_add(struct held_line *line, struct held *held) {
    if (!line->first)
        line->end = &line->first;
    held->line = NULL;
    *line->end = held;
    line->end = &held->line;
    line->count++;
}

struct held *held_line_take(struct held_line *line) {
    struct held *held = line->first;
    if (!held)
        return NULL;
    line->first = held->line;
    held->line = NULL;
    line->count--;
    return held;
}
