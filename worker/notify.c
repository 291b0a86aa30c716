/* SPDX-License-Identifier: MIT */
/* The protocol is one datagram to a unix socket, so nothing is linked for it. A name that begins
 * with
 * @ is in the abstract namespace: its first byte is 0. */
#include "notify.h"

#include "text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_send(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path ? strlen(path) : 0;
    if (length < 2 || length >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
                 (const struct sockaddr *)&address, size);
    (void)close(fd);
}

static void notify_on_timer(uv_timer_t *timer) {
    (void)timer;
    notify_send("WATCHDOG=1");
}

/* The number in that variable, or 0. */
static uint64_t notify_number(const char *name) {
    const char *text = getenv(name);
    uint64_t number = 0;
    return text && text_to_uint(text, 0, UINT64_MAX / 2, &number) ? number : 0;
}

void notify_watch(uv_timer_t *timer, uv_loop_t *loop) {
    uint64_t every_ms = notify_number("WATCHDOG_USEC") / 2000;
    uint64_t pid = notify_number("WATCHDOG_PID"); /* 0: whoever reads it */
    uv_timer_init(loop, timer);
    uv_unref((uv_handle_t *)timer);
    if (every_ms > 0 && (pid == 0 || pid == (uint64_t)getpid()))
        uv_timer_start(timer, notify_on_timer, every_ms, every_ms);
}
