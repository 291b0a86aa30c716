/* SPDX-License-Identifier: MIT */
/* The random half keeps many workers that lost the same Redis from coming back in step. */
#include "link_backoff.h"

void link_backoff_reset(struct link_backoff *backoff) {
    backoff->next_ms = LINK_BACKOFF_LEAST_MS;
}

void link_backoff_exhaust(struct link_backoff *backoff) {
    backoff->next_ms = LINK_BACKOFF_MOST_MS;
}

uint32_t link_backoff_take(struct link_backoff *backoff, uint32_t dice) {
    uint32_t wait_ms = backoff->next_ms;
    backoff->next_ms = wait_ms < LINK_BACKOFF_MOST_MS / 2 ? 2 * wait_ms : LINK_BACKOFF_MOST_MS;
    return wait_ms / 2 + dice % (wait_ms - wait_ms / 2 + 1);
}
