/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Whether the oldest command in flight is late. Times in, decisions out: the caller has the clock,
 * the timer and the queue.
 */
#include <stdint.h>

struct link_watch {
    int64_t since_ns; /* when the oldest command became the oldest */
    int64_t due_ns;   /* when the timer rings; INT64_MAX: it is not set */
    int last_chance;  /* the oldest is late, but nothing was read since that was seen */
};

enum { LINK_WATCH_LATE = -2, LINK_WATCH_LEAVE = -1 };

/* The timer is not set. */
void link_watch_reset(struct link_watch *watch);

/*
 * Another command is the oldest, with that time to go: milliseconds to set the timer to, or
 * LINK_WATCH_LEAVE where it rings early enough as it is.
 */
int64_t link_watch_begin(struct link_watch *watch, int64_t now_ns, uint32_t timeout_ms);

/* The timer rang, and there is an oldest command: milliseconds to set it to, or LINK_WATCH_LATE. */
int64_t link_watch_look(struct link_watch *watch, int64_t now_ns, uint32_t timeout_ms);
