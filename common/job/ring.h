/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Metrics of the last RING_SLOTS ticks of a run.
 *
 *   slot   0        1              4,999
 *        +--------+--------+ ... +--------+
 *        | t=5000 | t=5001 |     | t=4999 |     slot = tick mod RING_SLOTS
 *        +--------+--------+ ... +--------+
 *
 * first .. last are the ticks held, last - first < RING_SLOTS. How a slot looks in Redis is
 * proto's matter (PROTOCOL.md, "The metrics ring").
 */
#include "sim.h"

#define RING_SLOTS 5000u

struct ring {
    bool empty;
    uint32_t first, last;
    struct sim_metrics slot[RING_SLOTS];
};

/* Adds the metrics of `tick`; ticks must be added one after the other. */
void ring_add(struct ring *ring, uint32_t tick, const struct sim_metrics *metrics);
