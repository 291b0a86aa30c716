/* SPDX-License-Identifier: MIT */
#pragma once
/* Where something listens: a host and its port, or the path of a socket. Copied with =. */
#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum link_transport { LINK_TCP, LINK_TLS, LINK_UNIX };

enum { LINK_ADDRESS_HOST = 256, LINK_ADDRESS_TEXT = 160 };

struct link_address {
    enum link_transport transport;
    uint16_t port;                /* TCP, TLS */
    char host[LINK_ADDRESS_HOST]; /* or the path; never empty */
};

/* What was given, as a message quotes it: printable, cut. */
struct link_address_quote {
    char text[64];
};
struct link_address_quote link_address_quote(const char *text);

/*
 * "host", "host:port", "[::1]:port", or "" for 127.0.0.1; into host and port, which is `port` where
 * the text names none. 0 or ERR_INVALID with `why`, and then the address is not to be used.
 */
int link_address_read(struct link_address *address, const char *text, uint16_t port, char *why,
                      size_t why_size) ERR_MUST_CHECK;

/* A host as a server tells it, so of any bytes. False: it cannot be one. */
bool link_address_set_host(struct link_address *address, const char *host, size_t size);

bool link_address_is(const struct link_address *a, const struct link_address *b);

/* "host:port", "[::1]:port" or the path, for messages: printable, cut to LINK_ADDRESS_TEXT - 1. */
void link_address_text(const struct link_address *address, char out[LINK_ADDRESS_TEXT]);
