/* SPDX-License-Identifier: MIT */
/*
 * The socket is opened here and handed to libmicrohttpd, because only so can be told what was wrong
 * with an address.
 */
#include "http.h"

#include "mem.h"
#include "text.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HTTP_HOST_MAX = 256 };

struct http {
    char address[HTTP_HOST_MAX + 16];
    struct MHD_Daemon *daemon;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles;
    void (*closed)(void *context);
    void *context; /* of closed */
};

/* --- the loop --------------------------------------------------------------------------------- */

static void http_on_timer(uv_timer_t *timer);

static void http_run(struct http *http) {
    MHD_UNSIGNED_LONG_LONG ms;
    MHD_run(http->daemon);
    if (MHD_get_timeout(http->daemon, &ms) == MHD_YES)
        uv_timer_start(&http->timer, http_on_timer, ms, 0);
    else
        uv_timer_stop(&http->timer);
}

static void http_on_timer(uv_timer_t *timer) {
    http_run(timer->data);
}

static void http_on_event(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    http_run(poll->data);
}

/* Not at once: whoever resumes may be called by libmicrohttpd, and many resume in one turn. */
void http_resume(struct http *http, struct MHD_Connection *connection) {
    MHD_resume_connection(connection);
    uv_timer_start(&http->timer, http_on_timer, 0, 0);
}

static void http_on_closed(uv_handle_t *handle) {
    struct http *http = handle->data;
    if (--http->handles > 0)
        return;
    MHD_stop_daemon(http->daemon);
    if (http->closed)
        http->closed(http->context);
    free(http);
}

void http_stop(struct http *http, void (*closed)(void *context), void *context) {
    http->closed = closed;
    http->context = context;
    MHD_run(http->daemon); /* what has been answered leaves */
    uv_close((uv_handle_t *)&http->poll, http_on_closed);
    uv_close((uv_handle_t *)&http->timer, http_on_closed);
}

const char *http_address(const struct http *http) {
    return http->address;
}

/* --- listening -------------------------------------------------------------------------------- */

/* "host:port" or "[v6]:port" into its two parts. */
static int http_split(const char *address, char host[HTTP_HOST_MAX], const char **port, char *why,
                      size_t why_size) {
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    const char *start = address;
    uint64_t number;
    if (length > 2 && address[0] == '[' && address[length - 1] == ']') {
        start++;
        length -= 2;
    }
    if (length == 0 || length >= HTTP_HOST_MAX) {
        (void)snprintf(why, why_size, "\"%s\" is not HOST:PORT", address);
        return ERR_INVALID;
    }
    if (!text_to_uint(colon + 1, 0, 65535, &number)) {
        (void)snprintf(why, why_size, "the port is a number from 0 to 65535, not \"%s\"",
                       colon + 1);
        return ERR_INVALID;
    }
    memcpy(host, start, length);
    host[length] = '\0';
    *port = colon + 1;
    return 0;
}

static int http_bind(const struct addrinfo *info) {
    int on = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int error = errno;
    (void)close(fd);
    errno = error;
    return -1;
}

/* The socket, or an ERR_ code. */
static int http_listen(const char *address, char *why, size_t why_size) {
    char host[HTTP_HOST_MAX];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found;
    int code = http_split(address, host, &port, why, why_size);
    if (code != 0)
        return code;
    code = getaddrinfo(host, port, &hints, &found);
    if (code != 0) {
        (void)snprintf(why, why_size, "%s: %s", host, gai_strerror(code));
        return ERR_INVALID;
    }
    int fd = -1;
    for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
        fd = http_bind(info);
    if (fd < 0)
        (void)snprintf(why, why_size, "%s: %s", address, strerror(errno));
    freeaddrinfo(found);
    return fd < 0 ? ERR_SYSTEM : fd;
}

/* As it turned out: the host as a number, the port that the system gave. */
static void http_name(struct http *http, const char *asked, int fd) {
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    char host[HTTP_HOST_MAX], port[16];
    (void)snprintf(http->address, sizeof http->address, "%s", asked);
    if (getsockname(fd, (struct sockaddr *)&name, &size) == 0 &&
        getnameinfo((struct sockaddr *)&name, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        (void)snprintf(http->address, sizeof http->address, strchr(host, ':') ? "[%s]:%s" : "%s:%s",
                       host, port);
}

/* Takes the socket over, also when it fails. */
static struct MHD_Daemon *http_start_daemon(const struct http_options *options, int fd) {
    unsigned flags = MHD_USE_EPOLL | (options->suspends ? (unsigned)MHD_ALLOW_SUSPEND_RESUME : 0);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, options->answer, options->context, MHD_OPTION_LISTEN_SOCKET,
        (MHD_socket)fd, MHD_OPTION_CONNECTION_LIMIT, options->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        options->memory, MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
        MHD_OPTION_END);
    if (!daemon)
        (void)close(fd);
    return daemon;
}

int http_start(struct http **out, uv_loop_t *loop, const struct http_options *options, char *why,
               size_t why_size) {
    int fd = http_listen(options->address, why, why_size);
    if (fd < 0)
        return fd;
    struct http *http = mem_zero(1, sizeof *http);
    if (!http) {
        (void)close(fd);
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    http_name(http, options->address, fd);
    http->daemon = http_start_daemon(options, fd);
    if (!http->daemon) {
        free(http);
        (void)snprintf(why, why_size, "the HTTP server did not start");
        return ERR_SYSTEM;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    uv_poll_init(loop, &http->poll, info->epoll_fd);
    uv_timer_init(loop, &http->timer);
    http->poll.data = http->timer.data = http;
    http->handles = 2;
    uv_unref((uv_handle_t *)&http->poll);
    uv_unref((uv_handle_t *)&http->timer);
    uv_poll_start(&http->poll, UV_READABLE, http_on_event);
    *out = http;
    return 0;
}
