/* SPDX-License-Identifier: MIT */
/* See drain.h. The loop's thread. */
#include "drain.h"

#include "log.h"

#define DRAIN_S INT64_C(1000000000)

/* For the last results and the farewell, when the patience is over. */
#define DRAIN_GRACE_NS (2 * DRAIN_S)

enum { DRAIN_TURN_MS = 100 };

static void drain_on_timer(uv_timer_t *timer) {
    (void)timer; /* the loop has turned, and that was all */
}

void drain_init(struct drain *drain, uv_loop_t *loop) {
    uv_timer_init(loop, &drain->timer);
    uv_unref((uv_handle_t *)&drain->timer);
}

void drain_close(struct drain *drain) {
    uv_close((uv_handle_t *)&drain->timer, NULL);
}

void drain_begin(struct drain *drain, int64_t now_ns, unsigned patience_s) {
    drain->abandon_ns = now_ns + patience_s * DRAIN_S;
    drain->give_up_ns = drain->abandon_ns + DRAIN_GRACE_NS;
    uv_timer_start(&drain->timer, drain_on_timer, 0, DRAIN_TURN_MS);
    LOG_WRITE(LOG_LEVEL_INFO, "finishing", LOG_INT("jobs", drain->list->count),
              LOG_INT("patience_s", patience_s));
}

void drain_hurry(struct drain *drain, int64_t now_ns) {
    LOG_WRITE(LOG_LEVEL_INFO, "stopping at once", LOG_INT("jobs", drain->list->count));
    drain->abandon_ns = now_ns;
    drain->give_up_ns = now_ns + DRAIN_GRACE_NS;
}

/* Once a turn: a slot may have begun a job since the last one. */
static void drain_abandon(struct drain *drain) {
    unsigned count = 0;
    for (struct held *held = drain->list->first; held; held = held->after)
        if (held->state < HELD_FINISHED)
            count += atomic_exchange(&held->order, HELD_ABANDON) != HELD_ABANDON;
    if (count > 0)
        LOG_WRITE(LOG_LEVEL_WARNING, "stopping what still runs", LOG_INT("jobs", count));
}

static void drain_on_left(void *context, const struct link_reply *reply) {
    struct drain *drain = context;
    (void)reply; /* the registry forgets a silent worker anyway */
    drain->leaving = false;
    drain->left = true;
}

static void drain_leave(struct drain *drain) {
    if (!drain->leaving)
        drain->leaving = queue_leave(drain->queue, drain->worker, drain_on_left, drain) == 0;
}

bool drain_settle(struct drain *drain, int64_t now_ns, bool link_is_up) {
    intake_give_up(drain->intake);
    if (now_ns >= drain->abandon_ns)
        drain_abandon(drain);
    if (now_ns >= drain->give_up_ns) {
        LOG_WRITE(LOG_LEVEL_WARNING, "ending with jobs that another worker will take over",
                  LOG_INT("jobs", drain->list->count));
        return true;
    }
    if (drain->list->count > 0 || !claim_is_idle(drain->claim))
        return false;
    if (!link_is_up)
        return true;
    if (!drain->left)
        drain_leave(drain);
    return drain->left;
}
