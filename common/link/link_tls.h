/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * TLS for a connection to Redis: the server's certificate must be signed by someone we trust and be
 * made out to the host that we asked for (or to the one name that the URL gives for all). Built
 * where hiredis can carry it (1.0 and later) and OpenSSL's headers are there.
 */
#include "err.h"
#include "link_url.h"

#include <stddef.h>

struct link_tls; /* what all connections share: whom we trust, who we are */
struct redisContext;
struct ssl_st;

/* Reads url's certificate files. 0; ERR_UNSUPPORTED, ERR_INVALID or ERR_NO_MEMORY with `why`. */
int link_tls_new(struct link_tls **tls, const struct link_url *url, char *why,
                 size_t why_size) ERR_MUST_CHECK;
void link_tls_free(struct link_tls *tls); /* harmless on NULL */

/*
 * Puts TLS over an open connection to `host`. *session is the connection's and lives as long as it.
 * 0, or ERR_DOWN with `why`.
 */
int link_tls_begin(const struct link_tls *tls, const char *host, struct redisContext *redis,
                   struct ssl_st **session, char *why, size_t why_size) ERR_MUST_CHECK;

/*
 * One step of the handshake: 0 when it is done, UV_READABLE or UV_WRITABLE: call again when the
 * socket is that; ERR_DOWN with `why`.
 */
int link_tls_shake_hands(struct ssl_st *session, char *why, size_t why_size) ERR_MUST_CHECK;

/* After a failure of hiredis, which has no words for those of TLS: a better reason, if there is. */
void link_tls_explain(const struct ssl_st *session, char *why, size_t why_size);
