/* SPDX-License-Identifier: MIT */
/* Pairs of sockets and one poll. Bytes are passed on by blocking writes: tests send little. */
#include "proxy.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptor 0 of the poll listens; 2n + 1 and 2n + 2 are the two ends of a pair, -1: free. */
enum { PROXY_PAIRS = 32, PROXY_FDS = 2 * PROXY_PAIRS + 1, PROXY_BYTES = 1 << 16 };

static int proxy_socket(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    (void)snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static void proxy_accept(struct pollfd fds[PROXY_FDS], const char *to) {
    struct sockaddr_un address;
    int client = accept(fds[0].fd, NULL, NULL), server = proxy_socket(to, &address), at = 1;
    while (at < PROXY_FDS && fds[at].fd >= 0)
        at += 2;
    if (client < 0 || at >= PROXY_FDS ||
        connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
        close(client);
        close(server);
        return;
    }
    fds[at].fd = client;
    fds[at + 1].fd = server;
}

static void proxy_move(struct pollfd fds[PROXY_FDS], int at) {
    static char bytes[PROXY_BYTES];
    int other = at % 2 ? at + 1 : at - 1;
    ssize_t got = read(fds[at].fd, bytes, sizeof bytes), put = 0, sent = 0;
    while (got > 0 && put >= 0 && sent < got) {
        put = write(fds[other].fd, bytes + sent, (size_t)(got - sent));
        sent += put;
    }
    if (got > 0 && put >= 0)
        return;
    close(fds[at].fd);
    close(fds[other].fd);
    fds[at].fd = fds[other].fd = -1;
}

static void proxy_run(int listener, const char *to) {
    struct pollfd fds[PROXY_FDS];
    for (int i = 0; i < PROXY_FDS; i++)
        fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    fds[0].fd = listener;
    signal(SIGPIPE, SIG_IGN);
    while (poll(fds, PROXY_FDS, -1) >= 0) {
        for (int at = 1; at < PROXY_FDS; at++)
            if (fds[at].fd >= 0 && fds[at].revents)
                proxy_move(fds, at);
        if (fds[0].revents)
            proxy_accept(fds, to);
    }
}

void proxy_start(struct proxy *proxy, const char *to) {
    struct sockaddr_un address;
    pid_t parent = getpid();
    (void)snprintf(proxy->path, sizeof proxy->path, "%s.proxy", to);
    (void)snprintf(proxy->url, sizeof proxy->url, "unix://%s", proxy->path);
    int listener = proxy_socket(proxy->path, &address);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, PROXY_PAIRS), 0);
    proxy->pid = fork();
    ck_assert_int_ge(proxy->pid, 0);
    if (proxy->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            proxy_run(listener, to);
        _exit(1);
    }
    close(listener);
}

void proxy_freeze(const struct proxy *proxy) {
    ck_assert_int_eq(kill(proxy->pid, SIGSTOP), 0);
    ck_assert_int_eq(waitpid(proxy->pid, NULL, WUNTRACED), proxy->pid);
}

void proxy_thaw(const struct proxy *proxy) {
    ck_assert_int_eq(kill(proxy->pid, SIGCONT), 0);
}

void proxy_stop(struct proxy *proxy) {
    ck_assert_int_eq(kill(proxy->pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(proxy->pid, NULL, 0), proxy->pid);
    ck_assert_int_eq(unlink(proxy->path), 0);
}
