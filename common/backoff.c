/* SPDX-License-Identifier: MIT */
/* The random half keeps many workers that lost the same Redis from coming back in step. */
#include "backoff.h"

#include "clock.h"

#include <sys/random.h>

void backoff_reset(struct backoff *backoff) {
    backoff->past_ms = 0;
}

void backoff_exhaust(struct backoff *backoff) {
    backoff->past_ms = BACKOFF_MOST_MS;
}

void backoff_held(struct backoff *backoff, int64_t held_ns) {
    if (held_ns >= BACKOFF_HELD_MS * INT64_C(1000000))
        backoff_reset(backoff);
}

/* The longest that the next wait can be. */
static uint32_t backoff_most(const struct backoff *backoff) {
    if (backoff->past_ms == 0)
        return BACKOFF_LEAST_MS;
    return backoff->past_ms < BACKOFF_MOST_MS / 2 ? 2 * backoff->past_ms : BACKOFF_MOST_MS;
}

uint32_t backoff_take(struct backoff *backoff, uint32_t dice) {
    uint32_t most_ms = backoff_most(backoff);
    backoff->past_ms = most_ms;
    return most_ms / 2 + dice % (most_ms - most_ms / 2 + 1);
}

uint32_t backoff_dice(void) {
    uint32_t dice = (uint32_t)clock_now_ns();
    ssize_t got = getrandom(&dice, sizeof dice, GRND_NONBLOCK);
    (void)got; /* early in the system's start there is none: then the clock has to do */
    return dice;
}
