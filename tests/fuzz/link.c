/* SPDX-License-Identifier: MIT */
/*
 * A whole link, over a real socket, to a server that says whatever the input says. However the
 * connection ends, every command is answered once, no state is told twice, and the loop is empty
 * afterwards. The first two bytes choose: options, how the bytes are cut, what callbacks do. Whom a
 * server sends us to is nobody, and no packet leaves.
 */
#include "fuzz.h"

#include "link.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    GREETED = 1,         /* the server greets properly before it says what the input says */
    LOGIN = 2,           /* with a password and a database */
    CLOSE_IN_REPLY = 4,  /* the link is closed from inside its first reply */
    SEND_IN_REPLY = 8,   /* each reply sends one more command, a few times */
    CLOSE_IN_STATE = 16, /* the link is closed when it is told that it is up */
    TURNS = 1000,        /* of the loop, at most, until the connection is over */
    SENT = 3,
    SENT_MORE = 5,
};

struct probe {
    struct link *link; /* NULL: closed */
    uint8_t flags;
    int ups, downs, sent, answered, unanswered, closed;
};

static uv_loop_t loop;
static int listener = -1;
static char path[64], url[100];

/* In place of the system's, for hiredis and libuv too. (Under this name glibc's header has it.) */
int nearby_connect(int fd, const struct sockaddr *address, socklen_t size) __asm__("connect");

int nearby_connect(int fd, const struct sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_UNIX)
        return (int)syscall(SYS_connect, fd, address, size);
    errno = ECONNREFUSED;
    return -1;
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                struct addrinfo **found) {
    (void)host;
    (void)port;
    (void)hints;
    *found = NULL;
    return EAI_NONAME;
}

static void clean(void) {
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
}

static void prepare(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/susurration-fuzz-XXXXXX";
    assert(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/socket", folder);
    (void)snprintf(url, sizeof url, "unix://%s", path);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert(listener >= 0);
    assert(bind(listener, (const struct sockaddr *)&address, sizeof address) == 0);
    assert(listen(listener, 16) == 0 && uv_loop_init(&loop) == 0);
    (void)atexit(clean);
}

static void on_closed(void *context) {
    struct probe *probe = context;
    probe->closed++;
}

static void close_link(struct probe *probe) {
    struct link *link = probe->link;
    probe->link = NULL;
    if (link)
        link_close(link, on_closed, probe);
}

static void on_reply(void *context, const struct link_reply *reply);

static void send_one(struct probe *probe) {
    static const char *const argv[] = {"GET", "key"};
    int code = link_send(probe->link, on_reply, probe, 0, 2, argv, NULL);
    assert(code == 0 || code == ERR_DOWN);
    assert((code == 0) == link_is_up(probe->link));
    probe->sent += code == 0;
}

static void on_reply(void *context, const struct link_reply *reply) {
    struct probe *probe = context;
    probe->answered++;
    probe->unanswered += reply == NULL;
    assert(probe->answered <= probe->sent);
    assert(reply || !probe->link || !link_is_up(probe->link));
    if (probe->link && reply && (probe->flags & SEND_IN_REPLY) && probe->sent < SENT + SENT_MORE)
        send_one(probe);
    if (probe->flags & CLOSE_IN_REPLY)
        close_link(probe);
}

static void check_words(const char *text) {
    for (; *text; text++)
        assert(*text >= ' ' && *text <= '~');
}

static void on_state(void *context, bool up, const char *reason) {
    struct probe *probe = context;
    assert(probe->link && link_is_up(probe->link) == up);
    assert((reason[0] == '\0') == up);
    check_words(reason);
    probe->ups += up;
    probe->downs += !up;
    for (int i = 0; up && i < SENT; i++)
        send_one(probe);
    if (up && (probe->flags & CLOSE_IN_STATE))
        close_link(probe);
}

static void say(int fd, const void *bytes, size_t size) {
    ssize_t said = send(fd, bytes, size, MSG_NOSIGNAL);
    (void)said; /* the link may have hung up */
}

static void greet(int fd, const struct probe *probe) {
    static const char login[] = "+OK\r\n+OK\r\n";
    static const char greeting[] = "$19\r\nredis_version:7.0.15\r\n+PONG\r\n";
    if (!(probe->flags & GREETED))
        return;
    if (probe->flags & LOGIN)
        say(fd, login, sizeof login - 1);
    say(fd, greeting, sizeof greeting - 1);
}

static void serve(struct probe *probe, const uint8_t *data, size_t size, size_t piece) {
    int fd = accept(listener, NULL, NULL);
    assert(fd >= 0);
    greet(fd, probe);
    for (size_t at = 0; at < size && !probe->downs; at += piece) {
        say(fd, data + at, size - at < piece ? size - at : piece);
        (void)uv_run(&loop, UV_RUN_NOWAIT);
    }
    (void)shutdown(fd, SHUT_WR);
    for (int turn = 0; turn < TURNS && probe->link && !probe->downs; turn++)
        (void)uv_run(&loop, UV_RUN_ONCE);
    assert(!probe->link || probe->downs);
    (void)close(fd);
}

/* On a busy machine the link's next attempt may come before it is closed. */
static void forget_connections(void) {
    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;)
        (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct probe probe = {.flags = size > 0 ? data[0] : 0};
    size_t head = size < 2 ? size : 2, piece = size > 1 ? data[1] * 4u + 1 : 1;
    char why[200] = "";
    if (listener < 0)
        prepare();
    struct link_options options = {.url = url, .state = on_state, .context = &probe};
    char login[120];
    if (probe.flags & LOGIN) {
        (void)snprintf(login, sizeof login, "unix://:secret@%s?db=1", path);
        options.url = login;
    }
    assert(link_open(&probe.link, &loop, &options, why, sizeof why) == 0);
    (void)uv_run(&loop, UV_RUN_NOWAIT); /* it dials */
    serve(&probe, data + head, size - head, piece);
    close_link(&probe);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(probe.closed == 1 && probe.answered == probe.sent);
    assert(probe.ups <= 1 && probe.downs <= 1);
    forget_connections();
    return 0;
}
