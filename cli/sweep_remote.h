/* SPDX-License-Identifier: MIT */
#pragma once
/* A sweep through the queue. */
#include "remote.h"
#include "sweep.h"

/*
 * Runs all of it as jobs of the queue, a bounded number at a time. `wait_s` is how long it may take
 * until the next result comes; 0: as long as Redis is there. The exit code, 0 when all is written.
 */
int sweep_remote(struct sweep *sweep, struct remote *remote, unsigned wait_s);
