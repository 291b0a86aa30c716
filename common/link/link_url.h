/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Where Redis is and how to log in, as one text:
 *   redis://[user[:password]@]host[:port][/db][?db=N]     host may be [::1]; rediss:// likewise,
 * TLS unix://[user:password@]/path[?db=N] User, password and path may be percent-encoded. A
 * password alone stands behind a colon (redis://:secret@host).
 */
#include "err.h"

#include <stddef.h>
#include <stdint.h>

enum link_transport { LINK_TCP, LINK_TLS, LINK_UNIX };

struct link_url {
    enum link_transport transport;
    const char *host; /* TCP, TLS; never empty */
    const char *path; /* UNIX: absolute, short enough for a socket address */
    uint16_t port;    /* TCP, TLS */
    uint32_t db;
    const char *user;     /* NULL: the default user */
    const char *password; /* NULL: not given; may be empty */
    /* TLS only; NULL: not given */
    const char *cacert;      /* whom to trust (PEM); else the system's certificates */
    const char *cert, *key;  /* who we are (PEM) */
    const char *server_name; /* whom the server's certificate must name; else the host */
    char target[160];        /* host:port or path, for messages: no secret in it */
    char *storage;           /* owned; the texts above lie in it */
};

/*
 * 0, ERR_INVALID or ERR_NO_MEMORY; then `why` says which part is wrong (never the password itself)
 * and nothing has to be released.
 */
int link_url_parse(struct link_url *url, const char *text, char *why,
                   size_t why_size) ERR_MUST_CHECK;

/* Harmless on a zeroed one. */
void link_url_release(struct link_url *url);
