/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A queue in Redis as the command uses it: one thing after the other. Every function says what is
 * wrong on standard error and gives the exit code that the command then ends with; 0 is success.
 */
#include "args.h"
#include "queue.h"
#include "result.h"

#include <jansson.h>

struct remote;

/* True when the command line or the environment names a Redis. */
bool remote_is_wanted(const struct args *args);

/*
 * Connects to the Redis and the queue that the options name. Without one: REPORT_USAGE. Close it
 * only after success.
 */
int remote_open(struct remote **remote, const struct args *args);
void remote_close(struct remote *remote);

/* For requests of proto/queue.h: they have been answered when they return. */
struct queue *remote_queue(struct remote *remote);

/*
 * Of what a request returned, and of its answer: 0 if the answer can be taken apart, else the exit
 * code after a message.
 */
int remote_check_sent(struct remote *remote, int status);
int remote_check_answer(struct remote *remote, const struct link_reply *reply);

/* 32 random hexadecimal digits, a legal id that nobody else draws; out holds 33 bytes. */
void remote_draw_id(char *out);

/*
 * Gives the job a fresh id and asks for its result in this remote's own reply list, then waits for
 * it up to --wait seconds. On success *result is the caller's to release.
 */
int remote_run(struct remote *remote, struct job *job, struct result *result);

/* What became of a job that was sent. */
enum remote_sent {
    REMOTE_SENT, /* it waits or runs */
    REMOTE_DONE, /* there is a result already: this is it */
    REMOTE_FULL, /* the queue takes no more now */
};

/*
 * The two halves, for many jobs at once. Submitting one a second time is harmless; *result is set
 * for REMOTE_DONE only. remote_next waits up to wait_ms for any result; *got false: none came.
 */
int remote_submit(struct remote *remote, const struct job *job, enum remote_sent *sent,
                  struct result *result);
int remote_next(struct remote *remote, unsigned wait_ms, bool *got, struct result *result);

/* The name for `reply_to` of jobs that remote_next shall give. */
const char *remote_reply_to(const struct remote *remote);

/* The state of queue and workers (PROTOCOL.md, "status") as a tree, the caller's to drop. */
int remote_status(struct remote *remote, json_t **tree);

/* After some waiting: says once if no worker lives on the queue, or if it is paused. */
int remote_explain_wait(struct remote *remote);
