/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The one connection to Redis that worker, front and command all use: hiredis on a libuv loop, seen
 * by nobody else. It connects, authenticates, watches every command's time, and when the connection
 * breaks it fails what was waiting and tries again with backoff and jitter until it is closed.
 * Where sentinels or a cluster know who is in charge, each attempt asks them; and while the link is
 * up it listens to a sentinel.
 *
 *      link_open
 *          |
 *          v  at once
 *       WAITING <----------------------+---------------------------+
 *          |                           |                           |
 *          |  backoff 50 ms doubling   |  nobody there who will    |  broken, timed out,
 *          |  to 5 s, half of it       |  do: refused, timed out,  |  LOADING, READONLY,
 *          v  jitter                   |  wrong password, too old  |  MASTERDOWN, CLUSTERDOWN,
 *      CONNECTING ---------------------+----------------> UP ------+  MOVED, not the master
 *        address after address: connected, AUTH, SELECT, version,
 *        role, place of the key and readiness checked
 *
 *      link_close leads from each of them to CLOSING, and from there nowhere.
 *
 * All functions and callbacks run on the loop's thread. An open link keeps the loop alive.
 */
#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct link;
struct link_reply; /* valid during its callback only */

/*
 * NULL reply: the connection broke, the watch-dog fired, or a cluster has MOVED the slot; whether
 * Redis carried the command out is unknown. Called exactly once for each accepted command, also by
 * link_close.
 */
typedef void link_reply_fn(void *context, const struct link_reply *reply);

/*
 * `up`: true on each (re)connect, when commands may be sent. False, with the reason, when the
 * connection broke (after the commands in flight were answered with NULL) and when an attempt to
 * connect failed for another reason than the one before.
 */
typedef void link_state_fn(void *context, bool up, const char *reason);

struct link_options {
    /*
     * redis://[user[:password]@]host[:port][/db], unix:///path[?db=N], also
     * unix://user:password@/path. Percent-encoding in user, password and path. rediss:// is
     * redis:// with TLS, and takes ?cacert=FILE&cert=FILE&key=FILE&server_name=NAME; where hiredis
     * is without TLS (before 1.0) it gives ERR_UNSUPPORTED.
     *
     * redis+sentinel://...host[:port],host[:port]/MASTER[/db]: the master that these sentinels
     * name; they get sentinel_user and sentinel_password behind the ?.
     * redis+cluster://...host,host: a Redis Cluster with these nodes among others. Likewise
     * rediss+sentinel, rediss+cluster.
     */
    const char *url;
    /* NULL: none; else its first line is the password, read anew for every connection. It wins. */
    const char *password_file;
    const char *client_name; /* CLIENT SETNAME; NULL: none. Printable ASCII without spaces */
    /*
     * A key like all that commands will name; NULL: none. In a Redis Cluster the link is to the
     * node that serves its slot; without it, to whichever node answers, until a command is MOVED.
     */
    const char *slot_key;
    /*
     * 0: 2,000; from the look-up of the host to the last check. Of several addresses to ask each
     * has a quarter of it; whoever they name has all of it.
     */
    unsigned connect_timeout_ms;
    /*
     * 0: 5,000. When the oldest command in flight has had no answer for so long (since it was sent,
     * or since the one before it was answered), the connection counts as broken.
     */
    unsigned command_timeout_ms;
    link_state_fn *state; /* may be NULL */
    void *context;
};

/*
 * Checks the options and begins to connect, from the loop. On an error (ERR_INVALID,
 * ERR_UNSUPPORTED, ERR_NO_MEMORY) nothing was opened and `why` (of why_size bytes) says what is
 * wrong with which part. Errors later come through `state`. Where SIGPIPE would end the process, it
 * is ignored from here on.
 */
int link_open(struct link **link, uv_loop_t *loop, const struct link_options *options, char *why,
              size_t why_size) ERR_MUST_CHECK;

/*
 * At any moment, also from inside a callback, but once. Answers what is in flight with NULL (before
 * it returns), closes, and calls `closed` (may be NULL) from the loop, after which link is gone.
 */
void link_close(struct link *link, void (*closed)(void *context), void *context);

bool link_is_up(const struct link *link);

/* Why the last connection attempt failed or broke; empty while up. */
const char *link_reason(const struct link *link);

/*
 * Sends one command; all that is sent in one turn of the loop leaves together. Arguments are
 * copied; argv_size NULL: they are terminated texts. `done` NULL: nobody cares. `timeout_ms` 0: the
 * link's own; else for this command alone (a blocking one). On an error there is no callback:
 * ERR_DOWN when the link is not up, ERR_NO_MEMORY, ERR_INVALID without arguments, ERR_UNSUPPORTED
 * for commands without exactly one answer (SUBSCRIBE, MONITOR and their kin).
 */
int link_send(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) ERR_MUST_CHECK;

/*
 * For programs that do one thing after another; not from inside a callback of the loop.
 *
 * link_wait_up runs the loop until the link is up (0) or deadline_ms have passed (ERR_TIMEOUT), or
 * it is clear that waiting will not help: ERR_AUTH (user or password refused), ERR_UNSUPPORTED
 * (Redis is too old), ERR_REFUSED (no such database); ERR_DOWN if a callback closed the link.
 * link_reason says more.
 *
 * link_call sends one command and runs the loop until `done` was called: 0 with a reply (also an
 * error reply), ERR_DOWN with NULL; or an error of link_send, and then `done` was not called.
 */
int link_wait_up(struct link *link, unsigned deadline_ms) ERR_MUST_CHECK;
int link_call(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) ERR_MUST_CHECK;

/* --- replies ---------------------------------------------------------------------------------*/

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
