/* SPDX-License-Identifier: MIT */
/*
 * Replies come in order, so a command's time runs from when it became the oldest: the one behind a
 * blocking command is not late because of it. The timer is seldom touched: it rings too early
 * rather than being set anew for each of 100,000 commands, and a look then tells how long is left.
 *
 * Late by the clock may mean that we slept and the reply lies in the socket, unread. So the first
 * look that finds it late asks for one more turn of the loop.
 */
#include "link_watch.h"

enum { LINK_WATCH_NS_PER_MS = 1000000 };

void link_watch_reset(struct link_watch *watch) {
    *watch = (struct link_watch){.due_ns = INT64_MAX};
}

int64_t link_watch_begin(struct link_watch *watch, int64_t now_ns, uint32_t timeout_ms) {
    int64_t due_ns = now_ns + (int64_t)timeout_ms * LINK_WATCH_NS_PER_MS;
    watch->since_ns = now_ns;
    watch->last_chance = 0;
    if (due_ns >= watch->due_ns)
        return LINK_WATCH_LEAVE;
    watch->due_ns = due_ns;
    return timeout_ms;
}

int64_t link_watch_look(struct link_watch *watch, int64_t now_ns, uint32_t timeout_ms) {
    int64_t due_ns = watch->since_ns + (int64_t)timeout_ms * LINK_WATCH_NS_PER_MS;
    if (due_ns > now_ns) {
        watch->due_ns = due_ns;
        return (due_ns - now_ns) / LINK_WATCH_NS_PER_MS + 1;
    }
    if (watch->last_chance)
        return LINK_WATCH_LATE;
    watch->last_chance = 1;
    watch->due_ns = now_ns;
    return 1;
}
