/* SPDX-License-Identifier: MIT */
#pragma once
/* From a name to an open connection: look up the host, try what it stands for one by one. */
#include "link_address.h"

#include <uv.h>

struct addrinfo;
struct link_lookup;
struct link_tls;
struct link_wire;

/* `wire` is open and the callee's; or it is NULL, and `why` says what the last address answered. */
typedef void link_dial_fn(void *context, struct link_wire *wire, const char *why);

struct link_dial {
    uv_loop_t *loop;
    const struct link_address *to; /* read when it starts, and until the wire is open */
    const struct link_tls *tls;    /* NULL: without */
    link_dial_fn *done;
    void (*wire_gone)(void *context); /* one of the wires that were made is no more */
    void *context;
    int *wires; /* counts each wire that is made */

    struct link_lookup *lookup; /* NULL: none is under way */
    struct addrinfo *addresses; /* owned; NULL: none were looked up */
    struct addrinfo *address;   /* the next one to try */
    struct link_wire *wire;     /* being opened; NULL: none */
};

/* Calls `done` once, perhaps before it returns, unless it is stopped. */
void link_dial_start(struct link_dial *dial);

/* Gives up whatever is under way. Harmless when nothing is. */
void link_dial_stop(struct link_dial *dial);
