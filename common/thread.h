/* SPDX-License-Identifier: MIT */
#pragma once
#include "err.h"

#include <pthread.h>

/* Bytes. A run has its engine's 260 kB on it, the thread sanitizer 800 kB of its own. */
#define THREAD_STACK (2u << 20)

/*
 * Starts a thread that may simulate. 0 or ERR_SYSTEM. Its stack has THREAD_STACK bytes whatever the
 * C library's default is (128 kB with musl) or `ulimit -s` says.
 */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context) ERR_MUST_CHECK;

/*
 * For a calling thread that computes: when it is woken it no longer takes the processor from one
 * that answers somebody (SCHED_BATCH, sched(7)), and its share stays the same. Whoever has chosen
 * another policy than the ordinary one keeps it.
 */
void thread_give_way(void);
