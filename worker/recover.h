/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * When a connection breaks, the answer to a claim or a read may be lost on the way, and with it the
 * entries that Redis has given to this worker: nobody would renew their leases, and each would
 * count as a loss. So after each reconnect, of either link, Redis is asked what this worker has,
 * and what the worker knows nothing of is handed back, uncounted. On the loop's thread.
 */
#include "intake.h"

struct recover {
    struct queue *queue;
    const char *worker;
    const struct held_list *list;
    struct intake *intake;
};

/* Asks; before the first claim or read on the new connection. */
void recover_begin(struct recover *recover);
