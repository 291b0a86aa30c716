/* SPDX-License-Identifier: MIT */
/*
 * A connection of its own, since a sentinel publishes:
 *
 *   message, +switch-master, "NAME old-host old-port new-host new-port"
 *
 * Nothing depends on it. Where no sentinel can be heard, the link learns of the change when the old
 * master is gone or refuses to write.
 */
#include "link_lookout.h"

#include "link_referral.h"
#include "link_wire.h"

static void link_lookout_on_timer(uv_timer_t *timer);

static void link_lookout_set_state(struct link_lookout *lookout, enum link_lookout_state state,
                                   uint64_t ms) {
    lookout->state = state;
    uv_timer_start(&lookout->timer, link_lookout_on_timer, ms, 0);
}

static void link_lookout_drop(struct link_lookout *lookout) {
    link_dial_stop(&lookout->dial);
    if (lookout->wire)
        link_wire_drop(lookout->wire);
    lookout->wire = NULL;
}

/* This sentinel is of no use: to the next one, after a while. */
static void link_lookout_leave(struct link_lookout *lookout) {
    link_lookout_drop(lookout);
    lookout->at++;
    link_lookout_set_state(lookout, LINK_LOOKOUT_RESTS,
                           backoff_take(&lookout->backoff, backoff_dice()));
}

static void link_lookout_dial(struct link_lookout *lookout) {
    const struct link_url *url = &lookout->login->url;
    lookout->to = url->address[lookout->at % url->count];
    lookout->heard = false;
    link_lookout_set_state(lookout, LINK_LOOKOUT_DIALS, lookout->timeout_ms);
    link_dial_start(&lookout->dial);
}

static void link_lookout_on_timer(uv_timer_t *timer) {
    static const char *const ping[] = {"PING"};
    struct link_lookout *lookout = timer->data;
    if (lookout->state == LINK_LOOKOUT_RESTS) {
        link_lookout_dial(lookout);
        return;
    }
    if (!lookout->heard || link_wire_send(lookout->wire, 1, ping, NULL) < 0) {
        link_lookout_leave(lookout);
        return;
    }
    lookout->heard = false;
    link_lookout_set_state(lookout, LINK_LOOKOUT_LISTENS, lookout->timeout_ms);
}

static void link_lookout_on_reply(void *context, const struct link_reply *reply) {
    struct link_lookout *lookout = context;
    struct link_address to = {.port = 0};
    if (link_reply_type(reply) == LINK_ERROR) {
        link_lookout_leave(lookout);
        return;
    }
    lookout->heard = true;
    backoff_reset(&lookout->backoff);
    if (link_referral_read_switch(reply, lookout->login->sentinel.master, &lookout->to, &to) == 0)
        lookout->switched(lookout->context, &to);
}

static void link_lookout_on_broke(void *context, const char *why) {
    (void)why;
    link_lookout_leave(context);
}

static const struct link_wire_hooks link_lookout_hooks = {.reply = link_lookout_on_reply,
                                                          .broke = link_lookout_on_broke};

static void link_lookout_on_dialled(void *context, struct link_wire *wire, const char *why) {
    static const char *const subscribe[] = {"SUBSCRIBE", "+switch-master"};
    struct link_lookout *lookout = context;
    const char *argv[LINK_GREET_ARGS_MAX];
    size_t argc = link_greet_command(&lookout->login->sentinel, LINK_GREET_AUTH, argv);
    (void)why;
    if (!wire) {
        link_lookout_leave(lookout);
        return;
    }
    lookout->wire = wire;
    link_wire_listen(wire, &link_lookout_hooks, lookout);
    link_lookout_set_state(lookout, LINK_LOOKOUT_LISTENS, lookout->timeout_ms);
    /* Without memory it stays silent, and the timer ends it. */
    if (argc == 0 || link_wire_send(wire, argc, argv, NULL) == 0)
        (void)!link_wire_send(wire, 2, subscribe, NULL);
}

void link_lookout_start(struct link_lookout *lookout, size_t first) {
    lookout->at = first;
    backoff_reset(&lookout->backoff);
    link_lookout_dial(lookout);
}

void link_lookout_stop(struct link_lookout *lookout) {
    uv_timer_stop(&lookout->timer);
    link_lookout_drop(lookout);
    lookout->state = LINK_LOOKOUT_OFF;
}

/* --- beginning and end -----------------------------------------------------------------------*/

static void link_lookout_on_gone(void *context) {
    struct link_lookout *lookout = context;
    lookout->gone(lookout->context);
}

static void link_lookout_on_closed(uv_handle_t *timer) {
    link_lookout_on_gone(timer->data);
}

void link_lookout_init(struct link_lookout *lookout, uv_loop_t *loop, int *parts) {
    lookout->dial = (struct link_dial){.loop = loop,
                                       .to = &lookout->to,
                                       .tls = lookout->login->tls,
                                       .done = link_lookout_on_dialled,
                                       .context = lookout,
                                       .wires = parts,
                                       .wire_gone = link_lookout_on_gone};
    uv_timer_init(loop, &lookout->timer);
    lookout->timer.data = lookout;
    ++*parts;
}

void link_lookout_close(struct link_lookout *lookout) {
    link_lookout_stop(lookout);
    uv_close((uv_handle_t *)&lookout->timer, link_lookout_on_closed);
}
