/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A server that says what a test wants Redis to say: on a unix socket or a port of 127.0.0.1, on
 * the test's own loop. It reads commands as Redis does, and answers each from a table, else like a
 * healthy Redis 7.
 */
#include <stddef.h>
#include <uv.h>

struct fake_rule {
    const char *command; /* its first words, as they are sent; NULL ends the table */
    const char *reply;   /* raw protocol; "=...": the rest as a text; "": silence; NULL: hang up */
};

struct fake_redis {
    union fake_socket {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } listener;
    int port;                      /* 0: a unix socket */
    const struct fake_rule *rules; /* may be changed at any time; NULL: none */
    const char *welcome;           /* said to each new connection before anything; NULL: nothing */
    int connections, commands;     /* so far */
    const char *count;             /* as in a rule: the command that is counted; NULL: none */
    int counted;
    int closed; /* listener */
    char dir[64];
    char url[112];
};

void fake_redis_start(struct fake_redis *fake, uv_loop_t *loop);
void fake_redis_start_tcp(struct fake_redis *fake, uv_loop_t *loop);

/* Stops listening and removes the socket; connections end with their clients. */
void fake_redis_stop(struct fake_redis *fake);
