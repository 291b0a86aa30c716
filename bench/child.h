/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The programs that a benchmark runs beside itself: a redis-server of its own on a port of
 * 127.0.0.1, and a worker. They die with the benchmark. What goes wrong ends it with a message.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int port;      /* Redis: its port */
    char dir[64];  /* Redis: its directory */
    char url[64];  /* Redis: redis://127.0.0.1:PORT */
    char log[128]; /* the worker's; empty: thrown away */
};

/* A Redis without snapshots, with an append-only file if `append_only` (everysec). Answers when
 * this returns. */
void child_start_redis(struct child *redis, bool append_only);

/* A worker at the queue `queue` of that Redis. It may not be ready yet. */
void child_start_worker(struct child *worker, const struct child *redis, const char *program,
                        const char *queue, unsigned slots);

/* SIGTERM, and waits; the Redis's directory is removed. */
void child_stop(struct child *child);

/* Processor time so far, seconds; resident memory now, and the most that it has been, KiB. */
double child_cpu_s(const struct child *child);
long child_memory_kib(const struct child *child);
long child_peak_kib(const struct child *child);
