/* SPDX-License-Identifier: MIT */
/*
 * One connection at a time, and beside it the queue of what was sent: Redis answers in order, so
 * the oldest entry belongs to the next reply. When a connection ends, for whatever reason, it is
 * dropped first (and then says nothing more), and then the queue is answered from here. So every
 * command is answered exactly once, and what callbacks do meanwhile (send, close) meets a link in a
 * definite state.
 *
 * One timer is enough: WAITING it rings for the next attempt, UP it is the watch-dog of the oldest
 * command. An attempt has its own.
 */
#include "link.h"

#include "backoff.h"
#include "clock.h"
#include "link_attempt.h"
#include "link_greet.h"
#include "link_login.h"
#include "link_lookout.h"
#include "link_queue.h"
#include "link_referral.h"
#include "link_watch.h"
#include "link_wire.h"
#include "mem.h"
#include "text.h"

#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LINK_CONNECT_TIMEOUT_MS = 2000,
    LINK_COMMAND_TIMEOUT_MS = 5000,
    LINK_REASON_MAX = 400,
};

enum link_state { LINK_WAITING, LINK_CONNECTING, LINK_UP, LINK_CLOSING };

/* Somebody inside link_wait_up, and what to return: LINK_WAIT_ON until that is known. */
struct link_wait {
    int result;
};
enum { LINK_WAIT_ON = 1 };

struct link {
    enum link_state state;
    uv_loop_t *loop;
    struct link_login login;
    unsigned command_timeout_ms;
    link_state_fn *notify;
    void *context;

    struct link_attempt attempt; /* CONNECTING: under way */
    struct link_wire *wire;      /* UP; else NULL */
    struct link_lookout lookout; /* UP, by sentinels: started */

    struct link_queue queue;
    struct link_watch watch; /* UP: of the queue's oldest */

    uv_timer_t timer;
    uv_timer_t patience; /* of link_wait_up */
    struct link_wait *wait;
    int64_t up_since_ns;
    struct backoff backoff;
    int verdict;                    /* what waiting will not mend, else 0 */
    char reason[LINK_REASON_MAX];   /* empty while up */
    char reported[LINK_REASON_MAX]; /* the last one that `notify` was told, since it was up */

    int parts; /* that are not gone yet: two timers, attempt, lookout, and the wires that were made
                */
    void (*closed)(void *context);
    void *closed_context;
};

static const unsigned link_next_states[] = {
    [LINK_WAITING] = 1u << LINK_CONNECTING | 1u << LINK_CLOSING,
    [LINK_CONNECTING] = 1u << LINK_UP | 1u << LINK_WAITING | 1u << LINK_CLOSING,
    [LINK_UP] = 1u << LINK_WAITING | 1u << LINK_CLOSING,
    [LINK_CLOSING] = 0,
};

static void link_set_state(struct link *link, enum link_state next) {
    assert(link_next_states[link->state] >> next & 1u);
    link->state = next;
    uv_timer_stop(&link->timer); /* it meant something for the old state */
    link_watch_reset(&link->watch);
}

static void link_on_timer(uv_timer_t *timer);

static void link_set_timer(struct link *link, uint64_t ms) {
    uv_timer_start(&link->timer, link_on_timer, ms, 0);
}

/* --- the end of a connection -----------------------------------------------------------------*/

static void link_drop(struct link *link) {
    link_attempt_stop(&link->attempt);
    link_lookout_stop(&link->lookout);
    if (link->wire)
        link_wire_drop(link->wire);
    link->wire = NULL;
}

static void link_wait_end(struct link *link, int result) {
    if (!link->wait)
        return;
    link->wait->result = result;
    link->wait = NULL;
    uv_timer_stop(&link->patience);
}

static void link_report(struct link *link) {
    if (link->state != LINK_WAITING || strcmp(link->reason, link->reported) == 0)
        return;
    memcpy(link->reported, link->reason, sizeof link->reported);
    if (link->notify)
        link->notify(link->context, false, link->reason);
}

/* The attempt or the connection is over. Callbacks run in here, and may close the link. */
__attribute__((format(printf, 3, 4))) static void link_fail(struct link *link, int verdict,
                                                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(link->reason, sizeof link->reason, format, arguments);
    va_end(arguments);
    link->verdict = verdict;
    if (link->state == LINK_UP)
        backoff_held(&link->backoff, clock_now_ns() - link->up_since_ns);
    if (verdict < 0)
        backoff_exhaust(&link->backoff);
    link_drop(link);
    link_set_state(link, LINK_WAITING);
    link_set_timer(link, backoff_take(&link->backoff, backoff_dice()));
    if (verdict < 0)
        link_wait_end(link, verdict);
    link_queue_fail(&link->queue);
    link_report(link);
}

/* Whom we are connected to, for messages. */
static const char *link_target(const struct link *link) {
    return link->attempt.route.stop.target;
}

/* --- commands --------------------------------------------------------------------------------*/

static void link_watch_oldest(struct link *link) {
    if (link->state != LINK_UP || link->queue.count == 0)
        return;
    unsigned timeout_ms = link_queue_oldest(&link->queue)->timeout_ms;
    int64_t ring_ms = link_watch_begin(&link->watch, clock_now_ns(), timeout_ms);
    if (ring_ms != LINK_WATCH_LEAVE)
        link_set_timer(link, (uint64_t)ring_ms);
}

static void link_look(struct link *link) {
    link->watch.due_ns = INT64_MAX;
    if (link->queue.count == 0)
        return;
    unsigned timeout_ms = link_queue_oldest(&link->queue)->timeout_ms;
    int64_t ring_ms = link_watch_look(&link->watch, clock_now_ns(), timeout_ms);
    if (ring_ms != LINK_WATCH_LATE)
        link_set_timer(link, (uint64_t)ring_ms);
    else
        link_fail(link, 0, "%s left a command without an answer for %u ms", link_target(link),
                  timeout_ms);
}

/* The words are the server's, and may be any. */
static void link_fail_useless(struct link *link, const struct link_reply *reply) {
    char shown[LINK_REASON_MAX / 2];
    size_t size;
    const char *text = link_reply_text(reply, &size);
    text_printable(text, size, shown, sizeof shown);
    link_fail(link, 0, "%s is of no use now: %s", link_target(link), shown);
}

/*
 * What was asked for is served elsewhere by now. Whoever asked gets no answer, like those behind
 * it, and the next attempt begins where we are sent.
 */
static void link_move(struct link *link, const struct link_reply *reply) {
    struct link_route *route = &link->attempt.route;
    struct link_address to = {.port = 0};
    if (link_referral_read_moved(reply, &route->stop.address, &to) == 0)
        (void)link_route_refer(route, &to);
    link_fail_useless(link, reply);
}

static void link_on_reply(void *context, const struct link_reply *reply) {
    struct link *link = context;
    const struct link_wire *wire = link->wire;
    if (link->queue.count == 0) {
        link_fail(link, 0, "%s sent a reply that nobody asked for", link_target(link));
        return;
    }
    if (link_referral_is_moved(reply)) {
        link_move(link, reply);
        return;
    }
    struct link_pending pending = link_queue_pop(&link->queue);
    link_watch_oldest(link);
    if (pending.done)
        pending.done(pending.context, reply);
    if (link->wire == wire && link->state == LINK_UP && link_greet_is_useless(reply))
        link_fail_useless(link, reply);
}

static void link_on_broke(void *context, const char *why) {
    struct link *link = context;
    link_fail(link, 0, "the connection to %s broke: %s", link_target(link), why);
}

/* `opened` was for the attempt. */
static const struct link_wire_hooks link_hooks = {.reply = link_on_reply, .broke = link_on_broke};

/* The queue holds one reply for a command; these have none or many. */
static bool link_is_unanswerable(const char *name, size_t size) {
    static const char *const names[] = {"SUBSCRIBE",    "PSUBSCRIBE",   "SSUBSCRIBE", "UNSUBSCRIBE",
                                        "PUNSUBSCRIBE", "SUNSUBSCRIBE", "MONITOR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (size == strlen(names[i]) && strncasecmp(name, names[i], size) == 0)
            return true;
    return false;
}

int link_send(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) {
    if (link->state != LINK_UP)
        return ERR_DOWN;
    if (argc == 0)
        return ERR_INVALID;
    if (link_is_unanswerable(argv[0], argv_size ? argv_size[0] : strlen(argv[0])))
        return ERR_UNSUPPORTED;
    if (link_queue_reserve(&link->queue) < 0)
        return ERR_NO_MEMORY;
    if (link_wire_send(link->wire, argc, argv, argv_size) < 0)
        return ERR_NO_MEMORY;
    link_queue_push(
        &link->queue,
        (struct link_pending){done, context, timeout_ms ? timeout_ms : link->command_timeout_ms});
    if (link->queue.count == 1)
        link_watch_oldest(link);
    return 0;
}

/* --- from waiting to up ----------------------------------------------------------------------*/

static void link_on_attempted(void *context, struct link_wire *wire, int verdict, const char *why) {
    struct link *link = context;
    if (!wire) {
        link_fail(link, verdict, "%s", why);
        return;
    }
    link->wire = wire;
    link_wire_listen(wire, &link_hooks, link);
    link_set_state(link, LINK_UP);
    if (link->login.url.topology == LINK_SENTINEL)
        link_lookout_start(&link->lookout, link->attempt.route.first);
    link->up_since_ns = clock_now_ns();
    link->verdict = 0;
    link->reason[0] = link->reported[0] = '\0';
    link_wait_end(link, 0);
    if (link->notify)
        link->notify(link->context, true, "");
}

/* Sentinels tell early where to go, and only afterwards publish that it is so. */
static void link_on_switched(void *context, const struct link_address *to) {
    struct link *link = context;
    if (!link_address_is(to, &link->attempt.route.stop.address))
        link_fail(link, 0, "%s is not the master any more", link_target(link));
}

static void link_on_timer(uv_timer_t *timer) {
    struct link *link = timer->data;
    if (link->state == LINK_UP) {
        link_look(link);
        return;
    }
    link_set_state(link, LINK_CONNECTING);
    link_attempt_start(&link->attempt);
}

/* --- opening and closing ---------------------------------------------------------------------*/

static void link_free(struct link *link) {
    link_queue_release(&link->queue);
    link_login_release(&link->login);
    free(link);
}

/* A timer or a wire is no more. */
static void link_on_gone(void *context) {
    struct link *link = context;
    if (--link->parts > 0)
        return;
    void (*closed)(void *) = link->closed;
    void *closed_context = link->closed_context;
    link_free(link);
    if (closed)
        closed(closed_context);
}

static void link_on_timer_closed(uv_handle_t *handle) {
    link_on_gone(handle->data);
}

/* A connection that breaks while we write must be an error code and not the end of the process. */
static void link_ignore_pipe_signal(void) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &action, NULL);
    }
}

int link_open(struct link **opened, uv_loop_t *loop, const struct link_options *options, char *why,
              size_t why_size) {
    struct link *link = mem_zero(1, sizeof *link);
    if (!link) {
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    int result = link_login_init(&link->login, options, why, why_size);
    if (result < 0) {
        free(link);
        return result;
    }
    link->loop = loop;
    link->notify = options->state;
    link->context = options->context;
    link->command_timeout_ms =
        options->command_timeout_ms ? options->command_timeout_ms : LINK_COMMAND_TIMEOUT_MS;
    unsigned connect_timeout_ms =
        options->connect_timeout_ms ? options->connect_timeout_ms : LINK_CONNECT_TIMEOUT_MS;
    link->attempt = (struct link_attempt){.login = &link->login,
                                          .timeout_ms = connect_timeout_ms,
                                          .done = link_on_attempted,
                                          .gone = link_on_gone,
                                          .context = link};
    link->lookout = (struct link_lookout){.login = &link->login,
                                          .timeout_ms = connect_timeout_ms,
                                          .switched = link_on_switched,
                                          .gone = link_on_gone,
                                          .context = link};
    link_watch_reset(&link->watch);
    link_ignore_pipe_signal();
    uv_timer_init(loop, &link->timer);
    uv_timer_init(loop, &link->patience);
    link->timer.data = link->patience.data = link;
    link->parts = 2;
    link_attempt_init(&link->attempt, loop, &link->parts);
    link_lookout_init(&link->lookout, loop, &link->parts);
    link_set_timer(link, 0); /* from the loop, so that no callback comes before we return */
    *opened = link;
    return 0;
}

void link_close(struct link *link, void (*closed)(void *context), void *context) {
    link->closed = closed;
    link->closed_context = context;
    link_drop(link);
    link_set_state(link, LINK_CLOSING);
    link_wait_end(link, ERR_DOWN);
    link_attempt_close(&link->attempt);
    link_lookout_close(&link->lookout);
    uv_close((uv_handle_t *)&link->timer, link_on_timer_closed);
    uv_close((uv_handle_t *)&link->patience, link_on_timer_closed);
    link_queue_fail(&link->queue);
}

bool link_is_up(const struct link *link) {
    return link->state == LINK_UP;
}

const char *link_reason(const struct link *link) {
    return link->reason;
}

/* --- one thing after another -----------------------------------------------------------------*/

static void link_on_patience(uv_timer_t *patience) {
    link_wait_end(patience->data, ERR_TIMEOUT);
}

int link_wait_up(struct link *link, unsigned deadline_ms) {
    if (link->state == LINK_UP || link->verdict < 0)
        return link->verdict;
    struct link_wait wait = {LINK_WAIT_ON};
    uv_loop_t *loop = link->loop;
    assert(!link->wait);
    link->wait = &wait;
    uv_update_time(loop); /* it is as old as the loop's last turn */
    uv_timer_start(&link->patience, link_on_patience, deadline_ms, 0);
    while (wait.result == LINK_WAIT_ON) /* afterwards the link may be gone */
        uv_run(loop, UV_RUN_ONCE);
    return wait.result;
}

struct link_call {
    link_reply_fn *done;
    void *context;
    int result;
};

static void link_on_called(void *context, const struct link_reply *reply) {
    struct link_call *call = context;
    call->result = reply ? 0 : ERR_DOWN;
    if (call->done)
        call->done(call->context, reply);
}

int link_call(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
              size_t argc, const char *const *argv, const size_t *argv_size) {
    struct link_call call = {done, context, LINK_WAIT_ON};
    uv_loop_t *loop = link->loop;
    int result = link_send(link, link_on_called, &call, timeout_ms, argc, argv, argv_size);
    if (result < 0)
        return result;
    while (call.result == LINK_WAIT_ON)
        uv_run(loop, UV_RUN_ONCE);
    return call.result;
}
