/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Tells systemd how the service is (sd_notify(3)), where NOTIFY_SOCKET says that it wants to know;
 * else does nothing. `state` is one or more lines: "READY=1", "STOPPING=1", "WATCHDOG=1",
 * "STATUS=...".
 */
void notify_send(const char *state);
