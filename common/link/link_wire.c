/* SPDX-License-Identifier: MIT */
/*
 * hiredis connects, parses and moves bytes; when to do so is decided here. Its own layer for event
 * loops (async.h) is not used: a reply that nobody asked for ends the whole process in it, by
 * assertion; it allocates for every command; and its adapter for libuv overlooks socket errors,
 * which libuv reports as a status. With the queue of commands in link.c there was nothing left for
 * it to do.
 *
 * Writing does not wait for "writable", which would cost two system calls and a turn of the loop a
 * batch. A socket is nearly always writable, so an idle handle writes at once when the loop comes
 * round, all that was sent in this turn together, and only a full socket is watched. An idle handle
 * and not a prepare handle, because libuv never blocks while one is active: no command can be left
 * behind, whatever kind of callback sent it.
 *
 * A dropped wire lives on until its handles' close callbacks: so a hook may drop it in the middle
 * of a batch of replies, and the socket is closed when libuv has certainly let go of it.
 */
#include "link_wire.h"

#include "link_output.h"
#include "link_reply.h"
#include "link_tls.h"
#include "mem.h"

#include <assert.h>
#include <errno.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* So much is handed to hiredis at a time: it moves the rest of it after each partial write. */
enum { LINK_WIRE_SLICE = 1 << 16, LINK_WIRE_WHY = 160 };

struct link_wire {
    redisContext *redis;                 /* owned */
    redisReplyObjectFunctions functions; /* of its reader */
    uv_poll_t poll;
    uv_idle_t flush;
    int events; /* that `poll` watches for */
    enum { LINK_WIRE_CONNECTING, LINK_WIRE_SHAKING_HANDS, LINK_WIRE_OPEN } phase;
    const struct link_tls *tls;          /* NULL: without */
    const struct link_address *to;       /* until it is open */
    struct ssl_st *session;              /* hiredis's; NULL: without TLS, or before it */
    struct link_output output;           /* what hiredis was not given yet */
    int drained;                         /* hiredis has sent all that it was given */
    const struct link_wire_hooks *hooks; /* NULL: nobody listens, because it broke or was dropped */
    void *context;
    int handles; /* not closed yet */
    void (*gone)(void *context);
    void *gone_context;
};

static void link_wire_on_event(uv_poll_t *poll, int status, int events);

static void link_wire_watch(struct link_wire *wire, int events) {
    if (events == wire->events)
        return;
    wire->events = events;
    int result = uv_poll_start(&wire->poll, events, link_wire_on_event);
    assert(result == 0); /* fails only for a handle that is being closed */
    (void)result;
}

static void link_wire_break(struct link_wire *wire, const char *why) {
    const struct link_wire_hooks *hooks = wire->hooks;
    wire->hooks = NULL;
    wire->events = 0;
    uv_poll_stop(&wire->poll);
    uv_idle_stop(&wire->flush);
    hooks->broke(wire->context, why);
}

/* hiredis said that it failed. It sees those of TLS as failures to read and write, without words.
 */
static void link_wire_failed(struct link_wire *wire) {
    char why[LINK_WIRE_WHY];
    (void)snprintf(why, sizeof why, "%s", wire->redis->errstr);
    if (wire->session)
        link_tls_explain(wire->session, why, sizeof why);
    link_wire_break(wire, why);
}

static void link_wire_read(struct link_wire *wire) {
    void *reply = NULL;
    int result = redisBufferRead(wire->redis);
    while (result == REDIS_OK) {
        result = redisGetReplyFromReader(wire->redis, &reply);
        if (result != REDIS_OK || !reply)
            break;
        wire->hooks->reply(wire->context, reply);
        freeReplyObject(reply);
        if (!wire->hooks)
            return;
    }
    if (result != REDIS_OK)
        link_wire_failed(wire);
}

/* What Redis said before it hung up (too many clients) tells more than that it hung up. */
static void link_wire_last_words(struct link_wire *wire) {
    char why[sizeof wire->redis->errstr];
    int error = wire->redis->err;
    memcpy(why, wire->redis->errstr, sizeof why);
    wire->redis->err = 0;
    link_wire_read(wire);
    if (!wire->hooks)
        return;
    wire->redis->err = error;
    memcpy(wire->redis->errstr, why, sizeof why);
    link_wire_failed(wire);
}

/* As much as the socket takes. */
static int link_wire_push_out(struct link_wire *wire) {
    struct link_output *output = &wire->output;
    int result;
    do {
        size_t left = output->end - output->start;
        size_t slice = left < LINK_WIRE_SLICE ? left : LINK_WIRE_SLICE;
        if (slice > 0 && wire->drained) {
            result = redisAppendFormattedCommand(wire->redis, output->data + output->start, slice);
            if (result != REDIS_OK)
                return result;
            link_output_sent(output, slice);
        }
        result = redisBufferWrite(wire->redis, &wire->drained);
    } while (result == REDIS_OK && wire->drained && output->end > 0);
    return result;
}

static void link_wire_write(struct link_wire *wire) {
    uv_idle_stop(&wire->flush);
    if (link_wire_push_out(wire) != REDIS_OK)
        link_wire_last_words(wire);
    else
        link_wire_watch(wire, wire->drained ? UV_READABLE : UV_READABLE | UV_WRITABLE);
}

static void link_wire_opened(struct link_wire *wire) {
    wire->phase = LINK_WIRE_OPEN;
    link_wire_watch(wire, UV_READABLE);
    wire->hooks->opened(wire->context);
}

static void link_wire_shake_hands(struct link_wire *wire) {
    char why[LINK_WIRE_WHY];
    int result = link_tls_shake_hands(wire->session, why, sizeof why);
    if (result < 0)
        link_wire_break(wire, why);
    else if (result > 0)
        link_wire_watch(wire, result);
    else
        link_wire_opened(wire);
}

/* The socket has become writable or failed: which of them, it knows itself. */
static void link_wire_finish_connect(struct link_wire *wire, int status) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(wire->redis->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    if (error || status < 0) {
        link_wire_break(wire, error ? strerror(error) : uv_strerror(status));
        return;
    }
    if (!wire->tls) {
        link_wire_opened(wire);
        return;
    }
    char why[LINK_WIRE_WHY];
    wire->phase = LINK_WIRE_SHAKING_HANDS;
    if (link_tls_begin(wire->tls, wire->to->host, wire->redis, &wire->session, why, sizeof why) < 0)
        link_wire_break(wire, why);
    else
        link_wire_shake_hands(wire);
}

static void link_wire_move(struct link_wire *wire, int events) {
    if (events & UV_READABLE)
        link_wire_read(wire);
    if (wire->hooks && (events & UV_WRITABLE))
        link_wire_write(wire);
}

static void link_wire_on_event(uv_poll_t *poll, int status, int events) {
    struct link_wire *wire = poll->data;
    if (status < 0) {
        /* libuv has stopped the handle. Reading meets the error; if not, writing sets it up again.
         */
        wire->events = 0;
        events = UV_READABLE | UV_WRITABLE;
    }
    if (wire->phase == LINK_WIRE_CONNECTING)
        link_wire_finish_connect(wire, status);
    else if (wire->phase == LINK_WIRE_SHAKING_HANDS)
        link_wire_shake_hands(wire);
    else
        link_wire_move(wire, events);
}

static void link_wire_on_flush(uv_idle_t *flush) {
    link_wire_write(flush->data);
}

/* An idle connection learns in half a minute that the other side is gone without a word. */
static void link_wire_tune(int fd) {
    static const struct {
        int level, name, value;
    } options[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 15}, {IPPROTO_TCP, TCP_KEEPINTVL, 5},
        {IPPROTO_TCP, TCP_KEEPCNT, 3},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        (void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                         sizeof options[i].value);
}

/* hiredis reports an error in an object that is good for nothing else. */
static int link_wire_connect(redisContext **redis, const struct link_address *to,
                             const char *address, char *why, size_t why_size) {
    bool unix_socket = to->transport == LINK_UNIX;
    redisContext *made =
        unix_socket ? redisConnectUnixNonBlock(to->host) : redisConnectNonBlock(address, to->port);
    if (!made || made->err) {
        (void)snprintf(why, why_size, "%s", made ? made->errstr : err_text(ERR_NO_MEMORY));
        if (made)
            redisFree(made);
        return made ? ERR_DOWN : ERR_NO_MEMORY;
    }
    if (!unix_socket)
        link_wire_tune(made->fd);
    *redis = made;
    return 0;
}

int link_wire_open(struct link_wire **opened, const struct link_wire_setup *setup, char *why,
                   size_t why_size) {
    struct link_wire *wire = mem_zero(1, sizeof *wire);
    if (!wire) {
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    int result = link_wire_connect(&wire->redis, setup->to, setup->address, why, why_size);
    if (result < 0) {
        free(wire);
        return result;
    }
    link_reply_guard(wire->redis->reader, &wire->functions);
    result = uv_poll_init(setup->loop, &wire->poll, wire->redis->fd);
    assert(result == 0); /* a socket of ours can be watched, and nobody watches it yet */
    uv_idle_init(setup->loop, &wire->flush);
    wire->poll.data = wire->flush.data = wire;
    wire->tls = setup->tls;
    wire->to = setup->to;
    wire->drained = 1;
    wire->handles = 2;
    wire->gone = setup->gone;
    wire->gone_context = setup->gone_context;
    link_wire_watch(wire, UV_WRITABLE);
    *opened = wire;
    return 0;
}

void link_wire_listen(struct link_wire *wire, const struct link_wire_hooks *hooks, void *context) {
    wire->hooks = hooks;
    wire->context = context;
}

int link_wire_send(struct link_wire *wire, size_t argc, const char *const *argv,
                   const size_t *argv_size) {
    if (link_output_add(&wire->output, argc, argv, argv_size) < 0)
        return ERR_NO_MEMORY;
    if (!(wire->events & UV_WRITABLE))
        uv_idle_start(&wire->flush, link_wire_on_flush);
    return 0;
}

static void link_wire_on_closed(uv_handle_t *handle) {
    struct link_wire *wire = handle->data;
    if (--wire->handles > 0)
        return;
    void (*gone)(void *) = wire->gone;
    void *context = wire->gone_context;
    redisFree(wire->redis);
    link_output_release(&wire->output);
    free(wire);
    gone(context);
}

void link_wire_drop(struct link_wire *wire) {
    wire->hooks = NULL;
    uv_close((uv_handle_t *)&wire->poll, link_wire_on_closed);
    uv_close((uv_handle_t *)&wire->flush, link_wire_on_closed);
}
