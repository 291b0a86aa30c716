/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The flock as one writes it in an afternoon: plain C, libm's hypot, all pairs. What the engines
 * are measured against; its bytes are the C library's and the compiler's, so it is no engine.
 */
#include "sim.h"

/* One tick, and the metrics of the state before it. */
void flock_plain_tick(struct sim *sim, struct sim_metrics *metrics);
