/* SPDX-License-Identifier: MIT */
#pragma once
/* From a URL to an open connection: look up the host, try one address after the other. */
#include "link_url.h"

#include <uv.h>

struct addrinfo;
struct link_lookup;
struct redisAsyncContext;

/*
 * `connection` is open and the callee's (its `data` and its disconnect callback are free to use),
 * or it is NULL and `why` says what went wrong with the last address. Not a place to free it in.
 */
typedef void link_dial_fn(void *context, struct redisAsyncContext *connection, const char *why);

struct link_dial {
    uv_loop_t *loop;
    const struct link_url *url;
    link_dial_fn *done;
    void *context;
    int *handles; /* how many handles of libuv are open for this and for connections handed out */
    void (*handle_gone)(void *context); /* after each decrement */

    struct link_lookup *lookup;           /* NULL: none is under way */
    struct addrinfo *addresses;           /* owned; NULL: none were looked up */
    struct addrinfo *address;             /* the next one to try */
    struct redisAsyncContext *connection; /* being opened; NULL: none */
};

/* Calls `done` once, perhaps before it returns, unless it is stopped. */
void link_dial_start(struct link_dial *dial);

/* Gives up whatever is under way. Harmless when nothing is. */
void link_dial_stop(struct link_dial *dial);
