/* SPDX-License-Identifier: MIT */
#pragma once
/* One connection: commands in, replies out, until it breaks. It knows no logins and no time limits.
 */
#include "err.h"
#include "link.h"
#include "link_address.h"

#include <uv.h>

struct link_tls;
struct link_wire;

/* Where to, and how. The wire keeps no pointer to this, but to what it points to. */
struct link_wire_setup {
    uv_loop_t *loop;
    const struct link_address *to; /* TLS: the certificate must name this host */
    const struct link_tls *tls;    /* NULL: without */
    const char *address;           /* of the host; not read for a socket's path */
    void (*gone)(void *context);   /* from the loop, when the wire was dropped and is no more */
    void *gone_context;
};

/* All are called from the loop. In each of them the wire may be dropped. */
struct link_wire_hooks {
    void (*opened)(void *context); /* commands may be sent from now on */
    /* In the order of the commands; but a server can also send what nobody asked for. */
    void (*reply)(void *context, const struct link_reply *reply);
    void (*broke)(void *context, const char *why); /* nothing comes behind it but the drop */
};

/* Begins to connect. 0, ERR_DOWN or ERR_NO_MEMORY with `why`; then there is no wire to be gone. */
int link_wire_open(struct link_wire **wire, const struct link_wire_setup *setup, char *why,
                   size_t why_size) ERR_MUST_CHECK;

/* Whom to call. Before the loop runs, and again whenever the wire changes hands. */
void link_wire_listen(struct link_wire *wire, const struct link_wire_hooks *hooks, void *context);

/* Only when open. What is sent in one turn of the loop leaves together. 0 or ERR_NO_MEMORY. */
int link_wire_send(struct link_wire *wire, size_t argc, const char *const *argv,
                   const size_t *argv_size) ERR_MUST_CHECK;

/* Closes it; no hook is called any more. To be called once for each wire. */
void link_wire_drop(struct link_wire *wire);
