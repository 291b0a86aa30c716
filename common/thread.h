/* SPDX-License-Identifier: MIT */
#pragma once
#include "err.h"

#include <pthread.h>

#define THREAD_STACK (1u << 20) /* bytes; a run has its engine's 220 kB on it */

/*
 * Starts a thread that may simulate. 0 or ERR_SYSTEM. Its stack has THREAD_STACK bytes whatever the
 * C library's default is (128 kB with musl) or `ulimit -s` says.
 */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context) ERR_MUST_CHECK;
