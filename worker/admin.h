/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The worker's own small HTTP server: /metrics, /healthz, /readyz. It answers at once from what the
 * loop's thread knows, and runs on that thread.
 */
#include "err.h"
#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct admin;

struct admin_options {
    const char *address; /* HOST:PORT, [V6]:PORT; port 0: a free one */
    void (*metrics)(void *context, struct mem_buffer *out); /* appends Prometheus text */
    /* True, or false and why in a few words. */
    bool (*is_healthy)(void *context, char *why, size_t why_size);
    bool (*is_ready)(void *context, char *why, size_t why_size);
    void *context;
};

/*
 * Listens. On an error nothing is left, and `why` says which part of the address is wrong or what
 * the system says: ERR_INVALID, ERR_SYSTEM (address in use ...), ERR_NO_MEMORY.
 */
int admin_start(struct admin **admin, uv_loop_t *loop, const struct admin_options *options,
                char *why, size_t why_size) ERR_MUST_CHECK;

/* "127.0.0.1:9464": with the port that it really got. */
const char *admin_address(const struct admin *admin);

/* Open connections are cut. */
void admin_stop(struct admin *admin);
