/* SPDX-License-Identifier: MIT */
#pragma once
/* One connection: commands in, replies out, until it breaks. It knows no logins and no time limits.
 */
#include "err.h"
#include "link.h"
#include "link_url.h"

#include <uv.h>

struct link_wire;

/* All are called from the loop. In each of them the wire may be dropped. */
struct link_wire_hooks {
    void (*opened)(void *context); /* commands may be sent from now on */
    /* In the order of the commands; but a server can also send what nobody asked for. */
    void (*reply)(void *context, const struct link_reply *reply);
    void (*broke)(void *context, const char *why); /* nothing comes behind it but the drop */
};

/*
 * Begins to connect, to url->path or to `address` (no host name) at url->port. `gone` is called
 * from the loop when the wire was dropped and is no more. 0, ERR_DOWN, ERR_NO_MEMORY or
 * ERR_UNSUPPORTED with `why`; then there is no wire and `gone` is not called.
 */
int link_wire_open(struct link_wire **wire, uv_loop_t *loop, const struct link_url *url,
                   const char *address, void (*gone)(void *context), void *gone_context, char *why,
                   size_t why_size) ERR_MUST_CHECK;

/* Whom to call. Before the loop runs, and again whenever the wire changes hands. */
void link_wire_listen(struct link_wire *wire, const struct link_wire_hooks *hooks, void *context);

/* Only when open. What is sent in one turn of the loop leaves together. 0 or ERR_NO_MEMORY. */
int link_wire_send(struct link_wire *wire, size_t argc, const char *const *argv,
                   const size_t *argv_size) ERR_MUST_CHECK;

/* Closes it; no hook is called any more. To be called once for each wire. */
void link_wire_drop(struct link_wire *wire);
