/* SPDX-License-Identifier: MIT */
#include "ring.h"

void ring_add(struct ring *ring, uint32_t tick, const struct sim_metrics *metrics) {
    if (ring->empty)
        ring->first = tick;
    else if (tick - ring->first >= RING_SLOTS)
        ring->first = tick - RING_SLOTS + 1;
    ring->empty = false;
    ring->last = tick;
    ring->slot[tick % RING_SLOTS] = *metrics;
}
