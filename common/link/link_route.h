/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Where to dial next. A round visits the URL's addresses in turn, each until it is clear that it
 * will not do, and follows whom they name:
 *
 *      who served us last, if the URL does not name it
 *        |
 *        v             refers us to
 *      address 1 of 3 -------------> another one -> ... (3 of them at most)
 *        |                              |
 *        v   it is not there, it refuses us, ...
 *      address 2 of 3 ...
 *        |
 *        v
 *      what we learnt of other nodes
 *
 * The next round begins at the address that led to somebody who served us. No I/O and no clock.
 */
#include "link_address.h"
#include "link_url.h"

enum { LINK_ROUTE_NODES = 16, LINK_ROUTE_TARGET = 240, LINK_ROUTE_WHY = 360 };

struct link_stop {
    struct link_address address;
    bool is_sentinel;               /* to be asked for the master; else to be Redis */
    bool is_referred;               /* somebody sent us here */
    char target[LINK_ROUTE_TARGET]; /* for messages, with what it is and who sent us */
};

struct link_route {
    const struct link_url *url;
    struct link_stop stop; /* where we are, or were last */

    struct link_address next; /* before all others */
    bool has_next;
    char teller[LINK_ADDRESS_TEXT + 16]; /* who sent us to `next`; empty: it served us last */

    struct link_address node[LINK_ROUTE_NODES]; /* learnt */
    size_t nodes;

    size_t first;  /* the URL's address that the round begins with */
    size_t asked;  /* of the URL's addresses, and then of the nodes, in this round */
    unsigned hops; /* since the last one that nobody sent us to */

    /* Of the stops of this round that would not do, the one that tells most. */
    int weight; /* -1: none yet */
    size_t failures;
    int verdict;
    char why[LINK_ROUTE_WHY];
};

void link_route_init(struct link_route *route, const struct link_url *url);

/* A new round; what we were told and learnt before stays. */
void link_route_begin(struct link_route *route);

/* The next stop of the round, in route->stop; false: there is none, and route->why says why. */
bool link_route_next(struct link_route *route);

/* How long it may take at this stop, of the time that the whole of a single one may take. */
unsigned link_route_patience_ms(const struct link_route *route, unsigned timeout_ms);

/* The stop, or later the one that served us, sends us to `to`. False: we have been sent enough. */
bool link_route_refer(struct link_route *route, const struct link_address *to);

/* The stop will not do; verdict as in link_greet_judge; is_there: somebody took the connection. */
void link_route_failed(struct link_route *route, int verdict, bool is_there, const char *why);

/* The stop will do. */
void link_route_arrived(struct link_route *route);

/* Others that may serve us one day, in place of those learnt before. */
void link_route_learn(struct link_route *route, const struct link_address *node, size_t count);
