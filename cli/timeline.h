/* SPDX-License-Identifier: MIT */
#pragma once
/* The metrics of a session or trace, a row a tick. */
#include "remote.h"

extern const struct option_group timeline_group; /* --from --to */

/*
 * Prints the ticks that --from and --to name, both included, of the ring of that id, whose last
 * tick is `last`. The exit code.
 */
int timeline_show(const struct args *args, struct remote *remote, const char *id, uint32_t last);
