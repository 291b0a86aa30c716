/* SPDX-License-Identifier: MIT */
#pragma once
/* Lets a hiredis connection live on a libuv loop. */
#include "err.h"

#include <uv.h>

struct redisAsyncContext;

/*
 * Watches the connection's socket until hiredis frees the connection; then closes its handles and
 * calls `gone` from the loop. 0, ERR_NO_MEMORY or ERR_SYSTEM (then nothing was attached).
 */
int link_poll_attach(struct redisAsyncContext *connection, uv_loop_t *loop,
                     void (*gone)(void *context), void *context) ERR_MUST_CHECK;
