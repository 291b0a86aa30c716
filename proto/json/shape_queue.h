/* SPDX-License-Identifier: MIT */
#pragma once
/* How a queue looks as JSON to those who watch it, from the answers of queue.h. */
#include "jot.h"
#include "queue.h"

/*
 * Parts of an answer to queue_status: members version, server_ms, dead, traces, paused; interactive
 * and batch; stats and config; lists of workers and of running jobs.
 */
void shape_counts(struct jot *jot, const struct link_reply *status);
void shape_lanes(struct jot *jot, const struct link_reply *status);
void shape_stats(struct jot *jot, const struct link_reply *status);
void shape_workers(struct jot *jot, const char *key, const struct link_reply *status);
void shape_running(struct jot *jot, const char *key, const struct link_reply *status);

/* The limits that hold: those of `config`, and the defaults of the others. */
void shape_limits(struct jot *jot, const char *key, const struct link_reply *status);

/* How many workers are alive. */
unsigned shape_alive(const struct link_reply *status);

/* An answer to queue_dead, a list; the jobs' own bytes are left out. */
void shape_dead(struct jot *jot, const char *key, const struct link_reply *dead);
