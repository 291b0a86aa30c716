/* SPDX-License-Identifier: MIT */
/*
 * A name may stand for several addresses ("localhost" for ::1 and 127.0.0.1), of which Redis
 * listens at one; they are tried in turn, within the one time limit that the link sets.
 */
#include "link_dial.h"

#include "link_lookup.h"
#include "link_wire.h"

#include <netdb.h>

static void link_dial_next(struct link_dial *dial);

static void link_dial_failed(struct link_dial *dial, const char *why) {
    if (dial->address)
        link_dial_next(dial);
    else
        dial->done(dial->context, NULL, why);
}

static void link_dial_on_opened(void *context) {
    struct link_dial *dial = context;
    struct link_wire *wire = dial->wire;
    dial->wire = NULL;
    dial->done(dial->context, wire, NULL);
}

static void link_dial_on_broke(void *context, const char *why) {
    struct link_dial *dial = context;
    link_wire_drop(dial->wire);
    dial->wire = NULL;
    link_dial_failed(dial, why);
}

/* Replies come when it is open, and then it is somebody else's. */
static const struct link_wire_hooks link_dial_hooks = {.opened = link_dial_on_opened,
                                                       .broke = link_dial_on_broke};

/* `address` needs no lookup; it is not read for a socket's path. */
static void link_dial_try(struct link_dial *dial, const char *address) {
    char why[128];
    const struct link_wire_setup setup = {.loop = dial->loop,
                                          .to = dial->to,
                                          .tls = dial->tls,
                                          .address = address,
                                          .gone = dial->wire_gone,
                                          .gone_context = dial->context};
    if (link_wire_open(&dial->wire, &setup, why, sizeof why) < 0) {
        link_dial_failed(dial, why);
        return;
    }
    ++*dial->wires;
    link_wire_listen(dial->wire, &link_dial_hooks, dial);
}

static void link_dial_next(struct link_dial *dial) {
    char text[LINK_LOOKUP_TEXT];
    link_lookup_text(dial->address, text);
    dial->address = dial->address->ai_next;
    link_dial_try(dial, text);
}

static void link_dial_on_lookup(void *context, struct addrinfo *list, const char *why) {
    struct link_dial *dial = context;
    dial->lookup = NULL;
    dial->addresses = dial->address = list;
    if (list)
        link_dial_next(dial);
    else
        dial->done(dial->context, NULL, why);
}

void link_dial_start(struct link_dial *dial) {
    const char *host = dial->to->host;
    if (dial->to->transport == LINK_UNIX || link_lookup_is_address(host)) {
        link_dial_try(dial, host);
        return;
    }
    int result = link_lookup_start(&dial->lookup, dial->loop, host, link_dial_on_lookup, dial);
    if (result < 0)
        dial->done(dial->context, NULL, err_text(result));
}

void link_dial_stop(struct link_dial *dial) {
    if (dial->lookup)
        link_lookup_abandon(dial->lookup);
    dial->lookup = NULL;
    if (dial->wire)
        link_wire_drop(dial->wire);
    dial->wire = NULL;
    uv_freeaddrinfo(dial->addresses);
    dial->addresses = dial->address = NULL;
}
