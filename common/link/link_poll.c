/* SPDX-License-Identifier: MIT */
/*
 * hiredis asks through hooks to be told when its socket can be read or written. Its own adapter for
 * libuv is not used, for two reasons:
 *
 * - libuv reports a socket error (a refused connection, a reset) as a status and stops watching;
 *   that adapter returns on a status, so the break is never seen. Here hiredis is made to read or
 *   write once more and meets the error itself.
 * - it waits for "writable" before every batch of commands: two system calls and a turn of the loop
 *   each. A socket is nearly always writable, so here an idle handle writes at once when the loop
 *   comes round, all that was sent in this turn together, and only a full socket is watched. An
 * idle handle and not a prepare handle, because libuv never blocks while one is active: no command
 * can be left behind, whatever kind of callback sent it.
 *
 * Handles may be freed only from their close callback, so the memory outlives the connection.
 */
#include "link_poll.h"

#include "mem.h"

#include <assert.h>
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdlib.h>

struct link_poll {
    uv_poll_t poll;
    uv_idle_t flush;
    redisAsyncContext *connection; /* NULL once hiredis let go */
    int events;                    /* that the poll handle watches for */
    bool writing;                  /* hiredis is writing: if it asks for more, the socket is full */
    int handles;                   /* not closed yet */
    void (*gone)(void *context);
    void *context;
};

static void link_poll_on_event(uv_poll_t *poll, int status, int events);

static void link_poll_watch(struct link_poll *self, int events) {
    if (events == self->events)
        return;
    self->events = events;
    int result =
        events ? uv_poll_start(&self->poll, events, link_poll_on_event) : uv_poll_stop(&self->poll);
    assert(result == 0); /* fails only for a handle that is being closed */
    (void)result;
}

static bool link_poll_is_connected(const struct link_poll *self) {
    return self->connection->c.flags & REDIS_CONNECTED;
}

static void link_poll_write(struct link_poll *self) {
    self->writing = true;
    redisAsyncHandleWrite(self->connection);
    self->writing = false;
}

static void link_poll_on_flush(uv_idle_t *flush) {
    struct link_poll *self = flush->data;
    uv_idle_stop(flush);
    link_poll_write(self);
}

static void link_poll_on_broken(struct link_poll *self) {
    int wanted = self->events;
    self->events = 0; /* libuv has stopped the handle */
    if (link_poll_is_connected(self))
        redisAsyncHandleRead(self->connection);
    else
        link_poll_write(self);
    if (self->connection)
        link_poll_watch(self, wanted | self->events);
}

static void link_poll_on_event(uv_poll_t *poll, int status, int events) {
    struct link_poll *self = poll->data;
    if (status < 0) {
        link_poll_on_broken(self);
        return;
    }
    if (events & UV_READABLE)
        redisAsyncHandleRead(self->connection);
    if (self->connection && (events & UV_WRITABLE))
        link_poll_write(self);
}

static void link_poll_add_read(void *hook) {
    struct link_poll *self = hook;
    link_poll_watch(self, self->events | UV_READABLE);
}

static void link_poll_del_read(void *hook) {
    struct link_poll *self = hook;
    link_poll_watch(self, self->events & ~UV_READABLE);
}

static void link_poll_add_write(void *hook) {
    struct link_poll *self = hook;
    if (self->writing || !link_poll_is_connected(self))
        link_poll_watch(self, self->events | UV_WRITABLE);
    else if (!(self->events & UV_WRITABLE))
        uv_idle_start(&self->flush, link_poll_on_flush);
}

static void link_poll_del_write(void *hook) {
    struct link_poll *self = hook;
    uv_idle_stop(&self->flush);
    link_poll_watch(self, self->events & ~UV_WRITABLE);
}

static void link_poll_on_closed(uv_handle_t *handle) {
    struct link_poll *self = handle->data;
    if (--self->handles > 0)
        return;
    self->gone(self->context);
    free(self);
}

/* hiredis closes the socket right after this, so libuv must have let go of it: uv_close does. */
static void link_poll_cleanup(void *hook) {
    struct link_poll *self = hook;
    self->connection = NULL;
    uv_close((uv_handle_t *)&self->poll, link_poll_on_closed);
    uv_close((uv_handle_t *)&self->flush, link_poll_on_closed);
}

int link_poll_attach(redisAsyncContext *connection, uv_loop_t *loop, void (*gone)(void *context),
                     void *context) {
    struct link_poll *self = mem_zero(1, sizeof *self);
    if (!self)
        return ERR_NO_MEMORY;
    if (uv_poll_init(loop, &self->poll, connection->c.fd) < 0) {
        free(self);
        return ERR_SYSTEM;
    }
    uv_idle_init(loop, &self->flush);
    self->poll.data = self->flush.data = self;
    self->handles = 2;
    self->connection = connection;
    self->gone = gone;
    self->context = context;
    connection->ev.data = self;
    connection->ev.addRead = link_poll_add_read;
    connection->ev.delRead = link_poll_del_read;
    connection->ev.addWrite = link_poll_add_write;
    connection->ev.delWrite = link_poll_del_write;
    connection->ev.cleanup = link_poll_cleanup;
    return 0;
}
