/* SPDX-License-Identifier: MIT */
#pragma once
/* From a held job to what is to be delivered of it: run, and encode. In a slot's thread. */
#include "engine.h"
#include "fault.h"
#include "held.h"

/* Of the process: read by all slots, written by none. */
struct work {
    const struct engine *engine;
    char worker[JOB_ID_MAX + 1];
};

/*
 * Runs a held job and fills its outcome. Afterwards held->end is HELD_COMPLETE; or HELD_HAND_BACK,
 * with nothing encoded, when it was abandoned before it came to its end. `now_ns` (clock_now_ns in
 * service) is the clock of the budget.
 */
void work_run(const struct work *work, struct held *held, int64_t (*now_ns)(void));

/* Makes the outcome of a job that cannot be run, with that fault. Any thread that owns it. */
void work_reject(const struct work *work, struct held *held, const struct fault *fault);
