/* SPDX-License-Identifier: MIT */
#pragma once
/* Telling systemd how the service is (sd_notify(3)), where it wants to know; else nothing is done.
 */
#include <uv.h>

/* To NOTIFY_SOCKET: one or more lines, "READY=1", "STOPPING=1", "STATUS=...". */
void notify_send(const char *state);

/*
 * Where WATCHDOG_USEC is set for this process (sd_watchdog_enabled(3)): "WATCHDOG=1" twice in that
 * time, for as long as the loop turns. The timer is the caller's, who closes it.
 */
void notify_watch(uv_timer_t *timer, uv_loop_t *loop);
