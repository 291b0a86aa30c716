/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A real susurration-worker as a child of the test, which it does not outlive. Its log goes to a
 * file in the Redis server's directory. What goes wrong in here fails the test.
 */
#include "redis_server.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker_process {
    pid_t pid; /* 0: not running */
    char log[128];
    int admin_port;
};

/*
 * Starts it with `options` ("--slots 2 --lease 2", parted by spaces; may be empty) on a free admin
 * port, and waits until it takes jobs.
 */
void worker_process_start(struct worker_process *worker, const struct redis_server *server,
                          const char *options);

/* The same without waiting. */
void worker_process_launch(struct worker_process *worker, const struct redis_server *server,
                           const char *options);

/* The same with a Redis at that URL; the log goes to that folder. */
void worker_process_launch_at(struct worker_process *worker, const char *url, const char *folder,
                              const char *options);

/* What workers run from now on instead of susurration-worker: a program that takes its options. */
void worker_process_program(const char *path);

/* The signal to it; and waiting for its end: its exit status, -1 if a signal ended it. */
void worker_process_signal(const struct worker_process *worker, int number);
int worker_process_wait(struct worker_process *worker);

/* Looks whether that signal has ended it. */
bool worker_process_died(struct worker_process *worker, int number);

/* SIGTERM and waiting; it must exit with 0. */
void worker_process_stop(struct worker_process *worker);

/* SIGKILL. */
void worker_process_kill(struct worker_process *worker);

/* Waits until a line of its log has both texts (the second may be ""). */
void worker_process_expect(const struct worker_process *worker, const char *text, const char *also);
bool worker_process_said(const struct worker_process *worker, const char *text, const char *also);

/* How many lines its log has. */
unsigned worker_process_lines(const struct worker_process *worker);

/* Waits until GET of a page says so: HTTP status, and a part of the answer. */
void worker_process_answers(const struct worker_process *worker, const char *path, int status,
                            const char *part);

/* Resident memory, in KiB. */
long worker_process_rss(const struct worker_process *worker);

/* The HTTP status of a request to its admin address, and the whole answer. */
int worker_process_http(const struct worker_process *worker, const char *method, const char *path,
                        char *answer, size_t answer_size);

/* Waits until /readyz says so. */
void worker_process_until_ready(const struct worker_process *worker);

/* Sleeps. */
void worker_process_pause(unsigned ms);
