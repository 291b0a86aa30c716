/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The names of everything a queue keeps in Redis: flock:{QUEUE}:NAME. The braces are a Redis
 * Cluster hash tag, so that one queue lives in one slot. Nobody else puts a key name together
 * (functions.lua must where only the job tells the name; it derives it from the keys given to it).
 */
#include <stddef.h>

/* What every function takes as its first keys, in this order. */
#define KEYS_FIXED_NAMES(X)                                                                        \
    X(INTERACTIVE, "jobs:interactive") /* stream, group `workers`, field `job` */                  \
    X(BATCH, "jobs:batch")             /* likewise */                                              \
    X(IDS, "ids")                      /* hash: job id -> ref, while it waits or runs */           \
    X(RUNNING, "running")              /* hash: ref -> progress, msgpack */                        \
    X(CANCELLED, "cancelled")          /* set: refs whose worker is to be told */                  \
    X(WORKERS, "workers")              /* sorted set: worker by time of its last beat */           \
    X(DEAD, "dead")                    /* stream: dead letters */                                  \
    X(STATS, "stats")                  /* hash: counters */                                        \
    X(CONFIG, "config")                /* hash: pause and limits */                                \
    X(TRACES, "traces")                /* sorted set: trace ids by time */

/* What there is one of for each id. */
#define KEYS_NAMED_NAMES(X)                                                                        \
    X(RESULT, "result:")   /* string: the result of a job, msgpack */                              \
    X(REPLY, "reply:")     /* list: results for who asked by reply_to */                           \
    X(SESSION, "session:") /* hash: rev, tick, body */                                             \
    X(RING, "ring:")       /* string: the metrics ring of a session or a trace */                  \
    X(TRACE, "trace:")     /* string: a stored claim, msgpack */                                   \
    X(WORKER, "worker:")   /* string: what a worker says of itself, msgpack */

enum keys_fixed {
#define KEYS_FIXED_NAME(key, name) KEYS_##key,
    KEYS_FIXED_NAMES(KEYS_FIXED_NAME)
#undef KEYS_FIXED_NAME
        KEYS_FIXED
};

enum keys_named {
#define KEYS_NAMED_NAME(key, name) KEYS_##key,
    KEYS_NAMED_NAMES(KEYS_NAMED_NAME)
#undef KEYS_NAMED_NAME
        KEYS_NAMED
};

/* The longest name and its end: queue and id have at most 64 characters. */
#define KEYS_MAX 160u

/*
 * Write the name, terminated, and return its length. `queue` and `id` must be legal ids
 * (job_id_is_legal): that was checked where they came in, and here it is asserted.
 */
size_t keys_fixed(const char *queue, enum keys_fixed key, char out[KEYS_MAX]);
size_t keys_named(const char *queue, enum keys_named key, const char *id, char out[KEYS_MAX]);
