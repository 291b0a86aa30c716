/* SPDX-License-Identifier: MIT */
#pragma once
/* How a queue looks as JSON to those who watch it, from the answers of queue.h. */
#include "jot.h"
#include "queue.h"

/* The members of an answer to queue_status: lanes, counters, limits, workers, what runs. */
void shape_status_members(struct jot *jot, const struct link_reply *status);

/* Its workers alone, a list; and how many of them are alive. */
void shape_workers(struct jot *jot, const char *key, const struct link_reply *status);
unsigned shape_alive(const struct link_reply *status);

/* An answer to queue_dead, a list; the jobs' own bytes are left out. */
void shape_dead(struct jot *jot, const char *key, const struct link_reply *dead);
