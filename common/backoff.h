/* SPDX-License-Identifier: MIT */
#pragma once
/* How long to wait before the next attempt: 50 ms, doubling to 5 s; half of it is random. */
#include <stdint.h>

enum { BACKOFF_LEAST_MS = 50, BACKOFF_MOST_MS = 5000, BACKOFF_HELD_MS = 1000 };

/* Zeroed: no attempt has failed yet. */
struct backoff {
    uint32_t past_ms; /* the longest that the last wait could be; 0: there was none */
};

void backoff_reset(struct backoff *backoff);

/* To its longest at once: trying again soon would not help. */
void backoff_exhaust(struct backoff *backoff);

/* What was waited for has held so long, and is over. BACKOFF_HELD_MS end the series; after less it
 * goes on, or what breaks at once would be tried without rest. */
void backoff_held(struct backoff *backoff, int64_t held_ns);

/* Between half of that and all of it, chosen by `dice` (any number); the next wait is twice as
 * long. */
uint32_t backoff_take(struct backoff *backoff, uint32_t dice);

/* A number for it that no other process has at the same moment. */
uint32_t backoff_dice(void);
