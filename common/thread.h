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
