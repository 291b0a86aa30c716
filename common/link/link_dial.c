/* SPDX-License-Identifier: MIT */
/*
 * A name may stand for several addresses ("localhost" for ::1 and 127.0.0.1), of which Redis
 * listens at one; they are tried in turn, within the one time limit that the link sets. While the
 * connection opens, its `data` is the dial, or NULL when it was given up.
 */
#include "link_dial.h"

#include "link_lookup.h"
#include "link_poll.h"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void link_dial_next(struct link_dial *dial);

static void link_dial_failed(struct link_dial *dial, const char *why) {
    if (dial->address)
        link_dial_next(dial);
    else
        dial->done(dial->context, NULL, why);
}

static void link_dial_on_connect(const redisAsyncContext *connection, int status) {
    struct link_dial *dial = connection->data;
    if (!dial)
        return;
    redisAsyncContext *opened = dial->connection;
    dial->connection = NULL;
    opened->data = NULL;
    if (status == REDIS_OK) {
        dial->done(dial->context, opened, NULL);
        return;
    }
    char why[sizeof opened->c.errstr]; /* hiredis frees its own when we return */
    memcpy(why, opened->c.errstr, sizeof why);
    link_dial_failed(dial, why);
}

/* An idle link learns in half a minute that the other side is gone without a word. */
static void link_dial_keep_alive(int fd) {
    static const struct {
        int level, name, value;
    } options[] = {
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 15},
        {IPPROTO_TCP, TCP_KEEPINTVL, 5},
        {IPPROTO_TCP, TCP_KEEPCNT, 3},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        (void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                         sizeof options[i].value);
}

static void link_dial_on_gone(void *context) {
    struct link_dial *dial = context;
    --*dial->handles;
    dial->handle_gone(dial->context);
}

/* hiredis reports an error in an object that is good for nothing else. */
static redisAsyncContext *link_dial_open(const struct link_dial *dial, const char *address,
                                         char *why, size_t why_size) {
    redisAsyncContext *opened = dial->url->transport == LINK_UNIX
                                    ? redisAsyncConnectUnix(dial->url->path)
                                    : redisAsyncConnect(address, dial->url->port);
    if (opened && !opened->err)
        return opened;
    (void)snprintf(why, why_size, "%s", opened ? opened->c.errstr : err_text(ERR_NO_MEMORY));
    if (opened)
        redisAsyncFree(opened);
    return NULL;
}

/* `address` needs no lookup; it is not read for a socket's path. */
static void link_dial_try(struct link_dial *dial, const char *address) {
    char why[128];
    redisAsyncContext *opened = link_dial_open(dial, address, why, sizeof why);
    if (!opened) {
        link_dial_failed(dial, why);
        return;
    }
    int result = link_poll_attach(opened, dial->loop, link_dial_on_gone, dial);
    if (result < 0) {
        redisAsyncFree(opened);
        link_dial_failed(dial, err_text(result));
        return;
    }
    ++*dial->handles;
    if (dial->url->transport != LINK_UNIX)
        link_dial_keep_alive(opened->c.fd);
    dial->connection = opened;
    opened->data = dial;
    redisAsyncSetConnectCallback(opened, link_dial_on_connect);
}

static void link_dial_next(struct link_dial *dial) {
    char text[LINK_LOOKUP_TEXT];
    link_lookup_text(dial->address, text);
    dial->address = dial->address->ai_next;
    link_dial_try(dial, text);
}

static void link_dial_on_lookup(void *context, struct addrinfo *list, const char *why) {
    struct link_dial *dial = context;
    dial->lookup = NULL;
    dial->addresses = dial->address = list;
    if (list)
        link_dial_next(dial);
    else
        dial->done(dial->context, NULL, why);
}

void link_dial_start(struct link_dial *dial) {
    const struct link_url *url = dial->url;
    if (url->transport == LINK_UNIX || link_lookup_is_address(url->host)) {
        link_dial_try(dial, url->host);
        return;
    }
    int result = link_lookup_start(&dial->lookup, dial->loop, url->host, link_dial_on_lookup, dial);
    if (result < 0)
        dial->done(dial->context, NULL, err_text(result));
}

void link_dial_stop(struct link_dial *dial) {
    if (dial->lookup)
        link_lookup_abandon(dial->lookup);
    dial->lookup = NULL;
    if (dial->connection) {
        dial->connection->data = NULL;
        redisAsyncFree(dial->connection);
    }
    dial->connection = NULL;
    uv_freeaddrinfo(dial->addresses);
    dial->addresses = dial->address = NULL;
}
