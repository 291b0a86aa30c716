/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * An HTTP server on a libuv loop: libmicrohttpd without threads of its own. Its epoll descriptor is
 * one more thing that the loop watches, and a timer keeps its time-outs. All on the loop's thread;
 * it does not keep the loop alive.
 */
#include "err.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct http;

struct http_options {
    const char *address;  /* HOST:PORT, [V6]:PORT; port 0: a free one */
    unsigned connections; /* at most; others wait in the system's backlog */
    unsigned idle_s;      /* after which a silent connection is closed */
    size_t memory;        /* of a connection: its buffers and the heads of its requests */
    bool suspends;        /* `answer` may call MHD_suspend_connection */
    MHD_AccessHandlerCallback answer;
    /* When a request is over, however it ended; NULL: nobody cares. */
    MHD_RequestCompletedCallback completed;
    void *context; /* of both */
};

/*
 * Listens. On an error nothing is left, and `why` says which part of the address is wrong or what
 * the system says: ERR_INVALID, ERR_SYSTEM (address in use ...), ERR_NO_MEMORY.
 */
int http_start(struct http **http, uv_loop_t *loop, const struct http_options *options, char *why,
               size_t why_size) ERR_MUST_CHECK;

/* "127.0.0.1:9464": with the port that it really got. */
const char *http_address(const struct http *http);

/* Goes on with a suspended connection, in the next turn of the loop. */
void http_resume(struct http *http, struct MHD_Connection *connection);

/*
 * Open connections are cut; none may be suspended any more. Calls `closed` (may be NULL) from the
 * loop, after which nothing calls back and http is gone.
 */
void http_stop(struct http *http, void (*closed)(void *context), void *context);
