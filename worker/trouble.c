/* SPDX-License-Identifier: MIT */
/*
 * During one outage the same request may be refused in several ways in turn, and others in the same
 * way; so what was told is known by its words and not by its kind. After a reconnect all is well
 * only when a beat was answered: a replica takes the connection, and refuses to be written to.
 */
#include "trouble.h"

#include "clock.h"
#include "err.h"
#include "log.h"
#include "queue.h"

#include <stdio.h>
#include <string.h>

/* Requests that fail come again sooner. What has not failed for so long is not asked for any more.
 */
#define TROUBLE_OLD_NS INT64_C(15000000000)

static const char *const trouble_messages[TROUBLE_KINDS] = {
    [TROUBLE_LINK] = "no connection to Redis",
    [TROUBLE_FUNCTIONS] = "the Redis functions are not there",
    [TROUBLE_CLAIM] = "Redis refuses requests",
    [TROUBLE_READ] = "Redis refuses requests",
    [TROUBLE_BEAT] = "Redis refuses requests",
    [TROUBLE_DELIVER] = "Redis refuses requests",
    [TROUBLE_SESSION] = "Redis refuses requests",
};

/* Once. */
static void trouble_tell(struct trouble *trouble, enum trouble_kind kind) {
    for (unsigned i = 0; i < trouble->told_count && i < TROUBLE_TOLD; i++)
        if (strcmp(trouble->told[i], trouble->why) == 0)
            return;
    memcpy(trouble->told[trouble->told_count++ % TROUBLE_TOLD], trouble->why, TROUBLE_WHY_MAX);
    LOG_WRITE(LOG_LEVEL_WARNING, trouble_messages[kind], LOG_TEXT("why", trouble->why));
}

void trouble_begin(struct trouble *trouble, enum trouble_kind kind, const char *why) {
    trouble->kinds |= 1u << kind;
    trouble->last_ns[kind] = clock_now_ns();
    if (!why)
        return;
    trouble->last = kind;
    (void)snprintf(trouble->why, sizeof trouble->why, "%s", why);
    trouble_tell(trouble, kind);
}

static void trouble_forget_old(struct trouble *trouble) {
    int64_t now_ns = clock_now_ns();
    for (int kind = TROUBLE_CLAIM; kind < TROUBLE_KINDS; kind++)
        if (now_ns - trouble->last_ns[kind] > TROUBLE_OLD_NS)
            trouble->kinds &= ~(1u << kind);
}

void trouble_end(struct trouble *trouble, enum trouble_kind kind) {
    if (trouble->kinds == 0)
        return;
    trouble->kinds &= ~(1u << kind);
    trouble_forget_old(trouble);
    if (trouble->kinds != 0)
        return;
    trouble->told_count = 0;
    trouble->why[0] = '\0';
    LOG_WRITE(LOG_LEVEL_INFO, "Redis serves this worker", LOG_TEXT("worker", trouble->worker));
    trouble->over(trouble->context);
}

void trouble_answered(struct trouble *trouble, enum trouble_kind kind, int code,
                      const struct link_reply *reply) {
    enum queue_answer answer = queue_answer(reply);
    if (answer == QUEUE_ANSWER_DOWN)
        return;
    if (code == 0) {
        trouble_end(trouble, kind);
        return;
    }
    char why[TROUBLE_WHY_MAX];
    (void)snprintf(why, sizeof why, "%s%s",
                   answer == QUEUE_ANSWER_OK ? "an answer that the protocol does not know"
                                             : queue_answer_text(reply),
                   answer == QUEUE_ANSWER_DENIED
                       ? "; PROTOCOL.md, Rights, has what the user of a worker needs"
                       : "");
    trouble->meter->refused += answer != QUEUE_ANSWER_OK;
    trouble_begin(trouble, kind, why);
    if (answer == QUEUE_ANSWER_NO_FUNCTIONS)
        trouble->missing(trouble->context);
}

bool trouble_text(const struct trouble *trouble, char *text, size_t size) {
    if (trouble->kinds == 0)
        return false;
    if (trouble->why[0])
        (void)snprintf(text, size, "%s: %s", trouble_messages[trouble->last], trouble->why);
    else
        (void)snprintf(text, size, "Redis has not answered yet");
    return true;
}
