/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Where Redis is and how to log in, as one text:
 *
 *   redis://[user[:password]@]host[:port][/db][?db=N]
 *   unix://[user:password@]/path[?db=N]
 *   redis+sentinel://[user[:password]@]host[:port][,host[:port]...]/MASTER[/db][?SETTING=...]
 *   redis+cluster://[user[:password]@]host[:port][,host[:port]...]
 *
 * and with TLS rediss://, rediss+sentinel://, rediss+cluster://. User and password are those of
 * Redis; sentinels take the settings sentinel_user and sentinel_password. User, password, path,
 * MASTER and settings may be percent-encoded; an IPv6 address stands in brackets. A password alone
 * stands behind a colon (redis://:secret@host).
 */
#include "err.h"
#include "link_address.h"

enum link_topology {
    LINK_SINGLE,   /* the address is Redis's */
    LINK_SENTINEL, /* the addresses are sentinels', who know where the master is */
    LINK_CLUSTER,  /* the addresses are some nodes of a Redis Cluster */
};

enum { LINK_URL_ADDRESSES = 16 };

struct link_url {
    enum link_transport transport;
    enum link_topology topology;
    struct link_address address[LINK_URL_ADDRESSES];
    size_t count; /* of addresses, at least 1; of LINK_SINGLE 1 */
    uint32_t db;
    const char *user;     /* NULL: the default user */
    const char *password; /* NULL: not given; may be empty */
    /* SENTINEL only */
    const char *master;                            /* what sentinels call it; never empty */
    const char *sentinel_user, *sentinel_password; /* NULL: not given */
    /* TLS only; NULL: not given */
    const char *cacert;      /* whom to trust (PEM); else the system's certificates */
    const char *cert, *key;  /* who we are (PEM) */
    const char *server_name; /* whom each server's certificate must name; else the dialled host */
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
