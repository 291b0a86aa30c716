/* SPDX-License-Identifier: MIT */
#pragma once
/* How long to wait before the next attempt: 50 ms, doubling to 5 s; half of it is random. */
#include <stdint.h>

enum { LINK_BACKOFF_LEAST_MS = 50, LINK_BACKOFF_MOST_MS = 5000 };

struct link_backoff {
    uint32_t next_ms; /* the longest that the next wait can be */
};

void link_backoff_reset(struct link_backoff *backoff);

/* To its longest at once: trying again soon would not help. */
void link_backoff_exhaust(struct link_backoff *backoff);

/* next_ms / 2 .. next_ms, chosen by `dice` (any number); the next wait is twice as long. */
uint32_t link_backoff_take(struct link_backoff *backoff, uint32_t dice);
