/* SPDX-License-Identifier: MIT */
/*
 * fork and exec of the real redis-server. Readiness is asked over the socket and not read from its
 * log; raw sockets, so that a test of the link does not lean on the link. The child asks the kernel
 * to be killed with its parent: a test that fails never reaches its cleanup.
 */
#include "redis_server.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    REDIS_ARGS_MAX = 64,
    REDIS_READY_TRIES = 2000,
    REDIS_READY_PAUSE_MS = 5,
    REDIS_UNTIL_TRIES = 3000,
    REDIS_UNTIL_PAUSE_MS = 10,
};

int redis_server_free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static int redis_server_connect(const struct redis_server *server) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", server->path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* The first line of the answer, or false when there is no connection or it breaks. */
static bool redis_server_try(const struct redis_server *server, const char *command, char *reply,
                             size_t reply_size) {
    int fd = redis_server_connect(server);
    if (fd < 0)
        return false;
    bool sent = write(fd, command, strlen(command)) == (ssize_t)strlen(command) &&
                write(fd, "\r\n", 2) == 2;
    size_t used = 0;
    char byte = '\0';
    while (sent && read(fd, &byte, 1) == 1 && byte != '\r')
        if (used + 1 < reply_size)
            reply[used++] = byte;
    reply[used] = '\0';
    close(fd);
    return byte == '\r';
}

void redis_server_ask(const struct redis_server *server, const char *command, char *reply,
                      size_t reply_size) {
    bool answered = redis_server_try(server, command, reply, reply_size);
    ck_assert_msg(answered, "redis-server does not answer %s", command);
}

void redis_server_until(const struct redis_server *server, const char *command, const char *want) {
    const struct timespec pause = {.tv_nsec = REDIS_UNTIL_PAUSE_MS * 1000000L};
    char reply[64] = "";
    for (int i = 0; i < REDIS_UNTIL_TRIES; i++) {
        redis_server_ask(server, command, reply, sizeof reply);
        if (strncmp(reply, want, strlen(want)) == 0)
            return;
        nanosleep(&pause, NULL);
    }
    ck_abort_msg("%s: \"%s\", and not \"%s\"; see %s/redis.log", command, reply, want, server->dir);
}

static void redis_server_exec(const struct redis_server *server) {
    char port[16];
    (void)snprintf(port, sizeof port, "%d", server->port);
    const char *const ours[] = {"--port",       port,         "--bind",       "127.0.0.1",
                                "--unixsocket", server->path, "--dir",        ".",
                                "--save",       "",           "--appendonly", "no",
                                "--logfile",    "redis.log",  "--daemonize",  "no"};
    const char *args[REDIS_ARGS_MAX] = {"redis-server", "redis.conf"};
    size_t count = access("redis.conf", R_OK) == 0 ? 2 : 1;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        args[count++] = ours[i];
    for (size_t i = 0; server->extra && server->extra[i] && count < REDIS_ARGS_MAX - 1; i++)
        args[count++] = server->extra[i];
    args[count] = NULL;
    /* execvp takes its arguments without const for history's sake, and does not write to them. */
    char *argv[REDIS_ARGS_MAX];
    memcpy(argv, args, sizeof argv);
    execvp("redis-server", argv);
}

void redis_server_launch(struct redis_server *server) {
    pid_t parent = getpid();
    ck_assert_int_eq(server->pid, 0);
    unlink(server->path);
    server->pid = fork();
    ck_assert_int_ge(server->pid, 0);
    if (server->pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent && chdir(server->dir) == 0)
            redis_server_exec(server);
        _exit(127);
    }
}

void redis_server_wait_ready(struct redis_server *server) {
    const struct timespec pause = {.tv_nsec = REDIS_READY_PAUSE_MS * 1000000L};
    char reply[64];
    for (int i = 0; i < REDIS_READY_TRIES; i++) {
        if (redis_server_try(server, "PING", reply, sizeof reply) &&
            strncmp(reply, "-LOADING", 8) != 0)
            return;
        int status;
        if (waitpid(server->pid, &status, WNOHANG) == server->pid)
            ck_abort_msg("redis-server ended with status %d, see %s/redis.log", status,
                         server->dir);
        nanosleep(&pause, NULL);
    }
    ck_abort_msg("redis-server does not answer, see %s/redis.log", server->dir);
}

void redis_server_prepare(struct redis_server *server, bool tcp, const char *const *extra) {
    *server = (struct redis_server){.extra = extra, .dir = "/tmp/susurration-redis-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(server->dir));
    (void)snprintf(server->path, sizeof server->path, "%s/redis.sock", server->dir);
    (void)snprintf(server->url, sizeof server->url, "unix://%s", server->path);
    if (tcp) {
        server->port = redis_server_free_port();
        (void)snprintf(server->tcp_url, sizeof server->tcp_url, "redis://127.0.0.1:%d",
                       server->port);
    }
}

void redis_server_start(struct redis_server *server, bool tcp, const char *const *extra) {
    redis_server_prepare(server, tcp, extra);
    redis_server_again(server);
}

void redis_server_again(struct redis_server *server) {
    redis_server_launch(server);
    redis_server_wait_ready(server);
}

static void redis_server_end(struct redis_server *server, int signal) {
    ck_assert_int_gt(server->pid, 0);
    ck_assert_int_eq(kill(server->pid, signal), 0);
    ck_assert_int_eq(waitpid(server->pid, NULL, 0), server->pid);
    server->pid = 0;
}

void redis_server_stop(struct redis_server *server) {
    redis_server_end(server, SIGTERM);
}

void redis_server_kill(struct redis_server *server) {
    redis_server_end(server, SIGKILL);
}

void redis_server_freeze(struct redis_server *server) {
    ck_assert_int_eq(kill(server->pid, SIGSTOP), 0);
    ck_assert_int_eq(waitpid(server->pid, NULL, WUNTRACED), server->pid);
}

void redis_server_thaw(struct redis_server *server) {
    ck_assert_int_eq(kill(server->pid, SIGCONT), 0);
}

static int redis_server_unlink(const char *path, const struct stat *status, int type,
                               struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

void redis_server_remove(struct redis_server *server) {
    if (server->pid > 0)
        redis_server_kill(server);
    ck_assert_int_eq(nftw(server->dir, redis_server_unlink, 8, FTW_DEPTH | FTW_PHYS), 0);
}
