/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One round of connecting: along the route from one address to the next, until somebody is there
 * who knows us, is the one we look for and is ready. All of it within limits of time.
 */
#include "link_dial.h"
#include "link_greet.h"
#include "link_login.h"
#include "link_route.h"

#include <uv.h>

/*
 * `wire` is open, greeted and the callee's; or it is NULL, `why` tells what the most telling
 * address said, and verdict is 0 or what waiting will not mend.
 */
typedef void link_attempt_fn(void *context, struct link_wire *wire, int verdict, const char *why);

struct link_attempt {
    struct link_login *login;
    unsigned timeout_ms; /* from the look-up of a host to its last answer */
    link_attempt_fn *done;
    void (*gone)(void *context); /* the attempt or one of its wires is no more */
    void *context;

    struct link_route route; /* of its stop, `target` is for messages, also when all is done */
    struct link_dial dial;
    struct link_wire *wire;    /* being greeted; NULL: none */
    enum link_greet_step step; /* that the next answer is to */
    int64_t slot;              /* of the key that we look for; -1: not told */
    uv_timer_t timer;
};

/* The caller has set login, timeout_ms, done, gone and context. `parts` counts this and wires. */
void link_attempt_init(struct link_attempt *attempt, uv_loop_t *loop, int *parts);

/* Calls `done` once, perhaps before it returns, unless it is stopped. */
void link_attempt_start(struct link_attempt *attempt);

/* Gives up whatever is under way. Harmless when nothing is. */
void link_attempt_stop(struct link_attempt *attempt);

/* Stops, and calls `gone` from the loop. */
void link_attempt_close(struct link_attempt *attempt);
