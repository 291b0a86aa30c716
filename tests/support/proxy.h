/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Stands between a client and a unix socket, in a process of its own that dies with the test.
 * Frozen, it keeps every connection and passes nothing on: what a network does that loses its way.
 */
#include <sys/types.h>

struct proxy {
    pid_t pid;
    char path[104]; /* of its socket */
    char url[112];  /* unix://PATH */
};

/* Beside the socket `to`, as PATH.proxy; listens when it returns. */
void proxy_start(struct proxy *proxy, const char *to);

void proxy_freeze(const struct proxy *proxy);
void proxy_thaw(const struct proxy *proxy);

void proxy_stop(struct proxy *proxy);
