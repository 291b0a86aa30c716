/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Listens to a sentinel while the link is at a master, for the news that another one is the master
 * now. The old one may live on and take writes for ten seconds before the sentinels make a replica
 * of it, and all of them would be lost.
 *
 *      OFF --start--> DIALS ----------> LISTENS
 *       ^               ^ \               |  switched
 *       |               |  v refused, broken, silent for too long
 *       +----stop----  RESTS  (50 ms to 5 s; then the next sentinel)
 */
#include "backoff.h"
#include "link_address.h"
#include "link_dial.h"
#include "link_login.h"

#include <uv.h>

enum link_lookout_state {
    LINK_LOOKOUT_OFF,
    LINK_LOOKOUT_RESTS,
    LINK_LOOKOUT_DIALS,
    LINK_LOOKOUT_LISTENS,
};

struct link_lookout {
    struct link_login *login;
    unsigned timeout_ms;                                            /* of silence */
    void (*switched)(void *context, const struct link_address *to); /* the master is another one */
    void (*gone)(void *context); /* the lookout or one of its wires is no more */
    void *context;

    enum link_lookout_state state;
    size_t at; /* which of the URL's sentinels */
    struct link_dial dial;
    struct link_address to; /* that is dialled */
    struct link_wire *wire; /* LISTENS; else NULL */
    bool heard;             /* it has said something since it was last asked whether it lives */
    struct backoff backoff;
    uv_timer_t timer; /* RESTS: then dial. DIALS, LISTENS: then it has been silent for too long */
};

/* The caller has set login, timeout_ms, switched, gone and context. `parts` counts this and its
 * wires. */
void link_lookout_init(struct link_lookout *lookout, uv_loop_t *loop, int *parts);

/*
 * Until it is stopped: at the sentinel of this index, and when that is gone, at the next.
 * `switched` comes from the loop, each time that a sentinel says so.
 */
void link_lookout_start(struct link_lookout *lookout, size_t first);

/* Harmless when it is not started. */
void link_lookout_stop(struct link_lookout *lookout);

/* Stops, and calls `gone` from the loop. */
void link_lookout_close(struct link_lookout *lookout);
