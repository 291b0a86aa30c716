/* SPDX-License-Identifier: MIT */
#pragma once
/* The memory of a run: whatever the model's engine keeps between its ticks. */
#include "flock_work.h"

struct engine_work {
    struct flock_work flock;
};
