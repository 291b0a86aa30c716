/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd without threads of its own: its epoll descriptor is one more thing that the loop
 * watches, and a timer keeps its time-outs. The socket is opened here and handed to it, because
 * only so can be told what was wrong with an address.
 */
#include "admin.h"

#include "text.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ADMIN_CONNECTIONS = 64,
    ADMIN_IDLE_S = 30,
    ADMIN_MEMORY = 16 << 10, /* of a connection */
    ADMIN_HOST_MAX = 256,
};

struct admin {
    struct admin_options options;
    char address[ADMIN_HOST_MAX + 16];
    struct MHD_Daemon *daemon;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles;
};

/* --- answers ---------------------------------------------------------------------------------- */

static unsigned admin_write_state(struct admin *admin,
                                  bool (*ask)(void *context, char *why, size_t why_size),
                                  struct mem_buffer *out) {
    char why[256] = "";
    bool is_well = ask(admin->options.context, why, sizeof why);
    const char *text = is_well ? "ok" : why;
    mem_buffer_add(out, text, strlen(text));
    mem_buffer_add(out, "\n", 1);
    return is_well ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
}

static unsigned admin_write_health(struct admin *admin, struct mem_buffer *out) {
    return admin_write_state(admin, admin->options.is_healthy, out);
}

static unsigned admin_write_readiness(struct admin *admin, struct mem_buffer *out) {
    return admin_write_state(admin, admin->options.is_ready, out);
}

static unsigned admin_write_metrics(struct admin *admin, struct mem_buffer *out) {
    admin->options.metrics(admin->options.context, out);
    return MHD_HTTP_OK;
}

static const struct admin_page {
    const char *path, *type;
    unsigned (*write)(struct admin *admin, struct mem_buffer *out); /* the HTTP status */
} admin_pages[] = {
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", admin_write_metrics},
    {"/healthz", "text/plain; charset=utf-8", admin_write_health},
    {"/readyz", "text/plain; charset=utf-8", admin_write_readiness},
};

static enum MHD_Result admin_send(struct MHD_Connection *connection, unsigned status,
                                  const char *type, const void *body, size_t size) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (result == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        result = MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result admin_send_text(struct MHD_Connection *connection, unsigned status,
                                       const char *text) {
    return admin_send(connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result admin_on_request(void *context, struct MHD_Connection *connection,
                                        const char *path, const char *method, const char *version,
                                        const char *body, size_t *body_size, void **state) {
    struct admin *admin = context;
    (void)version;
    (void)body;
    if (!*state) { /* only the head has been read; a body is read and ignored */
        *state = admin;
        return MHD_YES;
    }
    if (*body_size > 0) {
        *body_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return admin_send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    for (size_t i = 0; i < sizeof admin_pages / sizeof *admin_pages; i++) {
        const struct admin_page *page = &admin_pages[i];
        struct mem_buffer out = {0};
        if (strcmp(path, page->path) != 0)
            continue;
        unsigned status = page->write(admin, &out);
        enum MHD_Result result =
            out.failed ? MHD_NO : admin_send(connection, status, page->type, out.data, out.size);
        mem_buffer_release(&out);
        return result;
    }
    return admin_send_text(connection, MHD_HTTP_NOT_FOUND,
                           "there are /metrics, /healthz and /readyz\n");
}

/* --- the loop --------------------------------------------------------------------------------- */

static void admin_on_timer(uv_timer_t *timer);

static void admin_run(struct admin *admin) {
    MHD_UNSIGNED_LONG_LONG ms;
    MHD_run(admin->daemon);
    if (MHD_get_timeout(admin->daemon, &ms) == MHD_YES)
        uv_timer_start(&admin->timer, admin_on_timer, ms, 0);
    else
        uv_timer_stop(&admin->timer);
}

static void admin_on_timer(uv_timer_t *timer) {
    admin_run(timer->data);
}

static void admin_on_event(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    admin_run(poll->data);
}

static void admin_on_closed(uv_handle_t *handle) {
    struct admin *admin = handle->data;
    if (--admin->handles > 0)
        return;
    MHD_stop_daemon(admin->daemon);
    free(admin);
}

void admin_stop(struct admin *admin) {
    uv_close((uv_handle_t *)&admin->poll, admin_on_closed);
    uv_close((uv_handle_t *)&admin->timer, admin_on_closed);
}

const char *admin_address(const struct admin *admin) {
    return admin->address;
}

/* --- listening -------------------------------------------------------------------------------- */

/* "host:port" or "[v6]:port" into its two parts. */
static int admin_split(const char *address, char host[ADMIN_HOST_MAX], const char **port, char *why,
                       size_t why_size) {
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    const char *start = address;
    uint64_t number;
    if (length > 2 && address[0] == '[' && address[length - 1] == ']') {
        start++;
        length -= 2;
    }
    if (length == 0 || length >= ADMIN_HOST_MAX) {
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

static int admin_bind(const struct addrinfo *info) {
    int on = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, ADMIN_CONNECTIONS) == 0)
        return fd;
    int error = errno;
    (void)close(fd);
    errno = error;
    return -1;
}

/* The socket, or an ERR_ code. */
static int admin_listen(const char *address, char *why, size_t why_size) {
    char host[ADMIN_HOST_MAX];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found;
    int code = admin_split(address, host, &port, why, why_size);
    if (code != 0)
        return code;
    code = getaddrinfo(host, port, &hints, &found);
    if (code != 0) {
        (void)snprintf(why, why_size, "%s: %s", host, gai_strerror(code));
        return ERR_INVALID;
    }
    int fd = -1;
    for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
        fd = admin_bind(info);
    if (fd < 0)
        (void)snprintf(why, why_size, "%s: %s", address, strerror(errno));
    freeaddrinfo(found);
    return fd < 0 ? ERR_SYSTEM : fd;
}

static void admin_name(struct admin *admin, int fd) {
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    char host[ADMIN_HOST_MAX], port[16];
    (void)snprintf(admin->address, sizeof admin->address, "%s", admin->options.address);
    if (getsockname(fd, (struct sockaddr *)&name, &size) == 0 &&
        getnameinfo((struct sockaddr *)&name, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        (void)snprintf(admin->address, sizeof admin->address,
                       strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

/* Takes the socket over, also when it fails. */
static struct MHD_Daemon *admin_start_daemon(struct admin *admin, int fd) {
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, admin_on_request, admin, MHD_OPTION_LISTEN_SOCKET,
        (MHD_socket)fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)ADMIN_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)ADMIN_IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)ADMIN_MEMORY, MHD_OPTION_END);
    if (!daemon)
        (void)close(fd);
    return daemon;
}

int admin_start(struct admin **out, uv_loop_t *loop, const struct admin_options *options, char *why,
                size_t why_size) {
    int fd = admin_listen(options->address, why, why_size);
    if (fd < 0)
        return fd;
    struct admin *admin = mem_zero(1, sizeof *admin);
    if (!admin) {
        (void)close(fd);
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    admin->options = *options;
    admin_name(admin, fd);
    admin->daemon = admin_start_daemon(admin, fd);
    if (!admin->daemon) {
        free(admin);
        (void)snprintf(why, why_size, "the HTTP server did not start");
        return ERR_SYSTEM;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(admin->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    uv_poll_init(loop, &admin->poll, info->epoll_fd);
    uv_timer_init(loop, &admin->timer);
    admin->poll.data = admin->timer.data = admin;
    admin->handles = 2;
    uv_unref((uv_handle_t *)&admin->poll);
    uv_unref((uv_handle_t *)&admin->timer);
    uv_poll_start(&admin->poll, UV_READABLE, admin_on_event);
    *out = admin;
    return 0;
}
