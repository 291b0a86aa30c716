/* SPDX-License-Identifier: MIT */
#pragma once
/* Host names to addresses without holding up the loop. */
#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct link_lookup;

/*
 * `why` is NULL on success; then the list is the callee's, for uv_freeaddrinfo. The lookup is gone
 * when this is called.
 */
typedef void link_lookup_fn(void *context, struct addrinfo *list, const char *why);

/* Calls `done` from the loop. 0, ERR_NO_MEMORY or ERR_SYSTEM. */
int link_lookup_start(struct link_lookup **lookup, uv_loop_t *loop, const char *host,
                      link_lookup_fn *done, void *context) ERR_MUST_CHECK;

/* `done` will not be called. The loop lives until the system's resolver returns. */
void link_lookup_abandon(struct link_lookup *lookup);

/* An address as text that needs no lookup ("127.0.0.1", "fe80::1%eth0"). */
enum { LINK_LOOKUP_TEXT = 64 };
bool link_lookup_is_address(const char *host);
void link_lookup_text(const struct addrinfo *address, char *out); /* LINK_LOOKUP_TEXT bytes */
