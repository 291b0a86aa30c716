/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The one connection to Redis that worker, front and command all use: hiredis on a libuv loop, seen
 * by nobody else. It connects, authenticates, watches every command's time, and when the connection
 * breaks it fails what was waiting and tries again with backoff and jitter until it is closed.
 *
 *            link_open
 *                |
 *                v        connected, AUTH, SELECT, HELLO checks passed
 *        +-> CONNECTING ------------------------------------> UP
 *        |       | refused, timed out                         | broken, timed out,
 *        |       v                                            | LOADING, READONLY, MASTERDOWN
 *        +---- WAITING (backoff 50 ms doubling to 5 s,  <-----+
 *                       half of it jitter)
 *
 * All functions and callbacks run on the loop's thread.
 */
#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct link;
struct link_reply; /* valid during its callback only */

/*
 * NULL reply: the connection broke or the watch-dog fired; whether Redis carried the command out is
 * unknown. Called exactly once for each accepted command, also by link_close.
 */
typedef void link_reply_fn(void *context, const struct link_reply *reply);

/* `up`: true on each (re)connect, when commands may be sent; false when it broke, with the reason.
 */
typedef void link_state_fn(void *context, bool up, const char *reason);

struct link_options {
    /*
     * redis://[user[:password]@]host[:port][/db], unix:///path[?db=N], also
     * unix://user:password@/path. Percent-encoding in user and password. rediss:// (TLS) gives
     * ERR_UNSUPPORTED where hiredis lacks it.
     */
    const char *url;
    const char *password_file;   /* NULL: none; else its first line is the password */
    const char *client_name;     /* CLIENT SETNAME; NULL: none */
    unsigned connect_timeout_ms; /* 0: 2,000 */
    unsigned
        command_timeout_ms; /* 0: 5,000; a command in flight for longer breaks the connection */
    link_state_fn *state;   /* may be NULL */
    void *context;
};

/*
 * Checks the options and begins to connect. On an error nothing was opened and `why` (of why_size
 * bytes) says what is wrong with which part of the URL. Errors later come through `state`.
 */
int link_open(struct link **link, uv_loop_t *loop, const struct link_options *options, char *why,
              size_t why_size) ERR_MUST_CHECK;

/* Fails what is waiting, closes, calls `closed` (may be NULL) from the loop, after which link is
 * gone. */
void link_close(struct link *link, void (*closed)(void *context), void *context);

bool link_is_up(const struct link *link);

/* Why the last connection attempt failed or broke; empty while up. */
const char *link_reason(const struct link *link);

/*
 * Sends one command. Arguments are copied. `timeout_ms` 0: the link's own; else for this command
 * alone (a blocking one). ERR_DOWN when the link is not up (nothing sent, no callback),
 * ERR_NO_MEMORY.
 */
int link_send(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) ERR_MUST_CHECK;

/*
 * For programs that do one thing after another: runs the loop until the link is up or deadline_ms
 * have passed (0, ERR_TIMEOUT, ERR_AUTH); and sends one command and runs the loop until `done` was
 * called.
 */
int link_wait_up(struct link *link, unsigned deadline_ms) ERR_MUST_CHECK;
int link_call(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) ERR_MUST_CHECK;

/* --- replies -------------------------------------------------------------------------------------
 */

enum link_type { LINK_NIL, LINK_TEXT, LINK_INTEGER, LINK_LIST, LINK_STATUS, LINK_ERROR };

enum link_type link_reply_type(const struct link_reply *reply); /* of NULL: LINK_NIL */

/* The bytes of a text, status or error (terminated too); NULL with size 0 for other types. */
const char *link_reply_text(const struct link_reply *reply, size_t *size);

/* An integer, or a text that is one; `otherwise` if it is neither. */
int64_t link_reply_integer(const struct link_reply *reply, int64_t otherwise);

/* Elements of a list; 0 and NULL for other types and out of range. */
size_t link_reply_count(const struct link_reply *reply);
const struct link_reply *link_reply_item(const struct link_reply *reply, size_t index);

/* True for an error reply whose first word is `code` ("NOSCRIPT", "QUEUEFULL"). */
bool link_reply_is_error(const struct link_reply *reply, const char *code);
