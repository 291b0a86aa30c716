/* SPDX-License-Identifier: MIT */
/*
 * At each stop all that is to be said is sent at once, and the answers, which come in order, are
 * judged one by one. A stop that will not do is left for the next; the last one's wire is handed on
 * as it is.
 */
#include "link_attempt.h"

#include "link_referral.h"
#include "link_wire.h"

#include <stdarg.h>
#include <stdio.h>

static void link_attempt_next(struct link_attempt *attempt);

static const char *link_attempt_target(const struct link_attempt *attempt) {
    return attempt->route.stop.target;
}

void link_attempt_stop(struct link_attempt *attempt) {
    uv_timer_stop(&attempt->timer);
    link_dial_stop(&attempt->dial);
    if (attempt->wire)
        link_wire_drop(attempt->wire);
    attempt->wire = NULL;
}

__attribute__((format(printf, 3, 4))) static void
link_attempt_fail(struct link_attempt *attempt, int verdict, const char *format, ...) {
    char why[LINK_ROUTE_WHY];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    link_route_failed(&attempt->route, verdict, attempt->wire != NULL, why);
    link_attempt_stop(attempt);
    link_attempt_next(attempt);
}

static void link_attempt_refer(struct link_attempt *attempt, const struct link_address *to) {
    if (!link_route_refer(&attempt->route, to)) {
        link_attempt_fail(attempt, 0, "%s sends us on, like those before it",
                          link_attempt_target(attempt));
        return;
    }
    link_attempt_stop(attempt);
    link_attempt_next(attempt);
}

/* --- the greeting ----------------------------------------------------------------------------*/

static struct link_greet *link_attempt_greet(struct link_attempt *attempt) {
    return attempt->route.stop.is_sentinel ? &attempt->login->sentinel : &attempt->login->greet;
}

/* What they say of somebody else. */
static void link_attempt_go_on(struct link_attempt *attempt, const struct link_reply *reply) {
    const struct link_stop *stop = &attempt->route.stop;
    struct link_address to = {.port = 0};
    int result = stop->is_sentinel ? link_referral_read_master(reply, &stop->address, &to)
                                   : link_referral_read_moved(reply, &stop->address, &to);
    if (result == 0)
        link_attempt_refer(attempt, &to);
    else if (result == ERR_REFUSED)
        link_attempt_fail(attempt, ERR_REFUSED, "%s knows no master \"%s\"", stop->target,
                          attempt->login->greet.master);
    else
        link_attempt_fail(attempt, 0, "%s does not say where to go instead", stop->target);
}

static void link_attempt_learn(struct link_attempt *attempt, const struct link_reply *reply) {
    struct link_address node[LINK_ROUTE_NODES];
    size_t count = link_referral_read_nodes(reply, attempt->slot, &attempt->route.stop.address,
                                            node, LINK_ROUTE_NODES);
    if (count > 0)
        link_route_learn(&attempt->route, node, count);
}

static void link_attempt_arrive(struct link_attempt *attempt) {
    struct link_wire *wire = attempt->wire;
    attempt->wire = NULL;
    link_attempt_stop(attempt);
    link_route_arrived(&attempt->route);
    attempt->done(attempt->context, wire, 0, "");
}

/* To the next step that has something to say; true: there is none. */
static bool link_attempt_skip(struct link_attempt *attempt) {
    const char *argv[LINK_GREET_ARGS_MAX];
    while (attempt->step < LINK_GREET_STEPS &&
           link_greet_command(link_attempt_greet(attempt), attempt->step, argv) == 0)
        attempt->step++;
    return attempt->step == LINK_GREET_STEPS;
}

static void link_attempt_on_reply(void *context, const struct link_reply *reply) {
    static const char *const words[] = {
        [-ERR_DOWN] = "not ready: ",
        [-ERR_AUTH] = "login refused: ",
        [-ERR_REFUSED] = "refused: ",
        [-ERR_UNSUPPORTED] = "",
    };
    struct link_attempt *attempt = context;
    char why[LINK_ROUTE_WHY / 2];
    int verdict = link_greet_judge(attempt->step, reply, why, sizeof why);
    if (verdict < 0) {
        link_attempt_fail(attempt, verdict == ERR_DOWN ? 0 : verdict, "%s: %s%s",
                          link_attempt_target(attempt), words[-verdict], why);
        return;
    }
    if (verdict == LINK_GREET_ELSEWHERE) {
        link_attempt_go_on(attempt, reply);
        return;
    }
    if (attempt->step == LINK_GREET_SLOT)
        attempt->slot = link_reply_integer(reply, -1);
    else if (attempt->step == LINK_GREET_NODES)
        link_attempt_learn(attempt, reply);
    attempt->step++;
    if (link_attempt_skip(attempt))
        link_attempt_arrive(attempt);
}

static void link_attempt_on_broke(void *context, const char *why) {
    struct link_attempt *attempt = context;
    link_attempt_fail(attempt, 0, "the connection to %s broke: %s", link_attempt_target(attempt),
                      why);
}

/* `opened` was for the one who dialled. */
static const struct link_wire_hooks link_attempt_hooks = {.reply = link_attempt_on_reply,
                                                          .broke = link_attempt_on_broke};

static void link_attempt_on_dialled(void *context, struct link_wire *wire, const char *why) {
    struct link_attempt *attempt = context;
    if (!wire) {
        link_attempt_fail(attempt, 0, "cannot connect to %s: %s", link_attempt_target(attempt),
                          why);
        return;
    }
    struct link_greet *greet = link_attempt_greet(attempt);
    attempt->wire = wire;
    attempt->slot = -1;
    attempt->step = (enum link_greet_step)0;
    link_wire_listen(wire, &link_attempt_hooks, attempt);
    for (int step = 0; step < LINK_GREET_STEPS; step++) {
        const char *argv[LINK_GREET_ARGS_MAX];
        size_t argc = link_greet_command(greet, (enum link_greet_step)step, argv);
        if (argc > 0 && link_wire_send(wire, argc, argv, NULL) < 0) {
            link_attempt_fail(attempt, 0, "%s was not greeted: %s", link_attempt_target(attempt),
                              err_text(ERR_NO_MEMORY));
            return;
        }
    }
    (void)link_attempt_skip(attempt);
}

/* --- from stop to stop -----------------------------------------------------------------------*/

static void link_attempt_on_timer(uv_timer_t *timer) {
    struct link_attempt *attempt = timer->data;
    link_attempt_fail(attempt, 0, "%s did not %s within %u ms", link_attempt_target(attempt),
                      attempt->wire         ? "answer"
                      : attempt->login->tls ? "accept a TLS connection"
                                            : "accept a connection",
                      link_route_patience_ms(&attempt->route, attempt->timeout_ms));
}

static void link_attempt_next(struct link_attempt *attempt) {
    struct link_route *route = &attempt->route;
    if (!link_route_next(route)) {
        attempt->done(attempt->context, NULL, route->verdict, route->why);
        return;
    }
    link_login_refresh(attempt->login);
    uv_timer_start(&attempt->timer, link_attempt_on_timer,
                   link_route_patience_ms(route, attempt->timeout_ms), 0);
    link_dial_start(&attempt->dial);
}

void link_attempt_start(struct link_attempt *attempt) {
    link_route_begin(&attempt->route);
    link_attempt_next(attempt);
}

/* --- beginning and end -----------------------------------------------------------------------*/

static void link_attempt_on_gone(void *context) {
    struct link_attempt *attempt = context;
    attempt->gone(attempt->context);
}

static void link_attempt_on_closed(uv_handle_t *timer) {
    link_attempt_on_gone(timer->data);
}

void link_attempt_init(struct link_attempt *attempt, uv_loop_t *loop, int *parts) {
    link_route_init(&attempt->route, &attempt->login->url);
    attempt->dial = (struct link_dial){.loop = loop,
                                       .to = &attempt->route.stop.address,
                                       .tls = attempt->login->tls,
                                       .done = link_attempt_on_dialled,
                                       .context = attempt,
                                       .wires = parts,
                                       .wire_gone = link_attempt_on_gone};
    uv_timer_init(loop, &attempt->timer);
    attempt->timer.data = attempt;
    ++*parts;
}

void link_attempt_close(struct link_attempt *attempt) {
    link_attempt_stop(attempt);
    uv_close((uv_handle_t *)&attempt->timer, link_attempt_on_closed);
}
