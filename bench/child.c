/* SPDX-License-Identifier: MIT */
/* fork and exec; figures from /proc. The worker logs to a file, as it would in service. */
#include "child.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_TRIES = 1000, CHILD_TRY_MS = 10 };

static void child_fail(const char *what) {
    perror(what);
    exit(1);
}

static struct sockaddr_in child_address(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int child_free_port(void) {
    struct sockaddr_in address = child_address(0);
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        child_fail("a free port");
    close(fd);
    return ntohs(address.sin_port);
}

static bool child_answers(int port) {
    struct sockaddr_in address = child_address(port);
    char reply[8] = "";
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                   write(fd, "PING\r\n", 6) == 6 && read(fd, reply, sizeof reply) > 0 &&
                   strncmp(reply, "+PONG", 5) == 0;
    close(fd);
    return answers;
}

/* execvp takes its arguments without const for history's sake, and does not write to them. */
static void child_exec(struct child *child, const char *const *argv) {
    pid_t parent = getpid();
    child->pid = fork();
    if (child->pid < 0)
        child_fail("fork");
    if (child->pid > 0)
        return;
    const char *path = child->log[0] ? child->log : "/dev/null";
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        execvp(argv[0], (char *const *)argv);
    _exit(127);
}

static void child_pause(unsigned ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000},
              NULL);
}

void child_start_redis(struct child *redis, bool append_only) {
    char port[16];
    *redis = (struct child){.dir = "/tmp/susurration-bench-XXXXXX"};
    if (!mkdtemp(redis->dir))
        child_fail(redis->dir);
    redis->port = child_free_port();
    (void)snprintf(redis->url, sizeof redis->url, "redis://127.0.0.1:%d", redis->port);
    (void)snprintf(port, sizeof port, "%d", redis->port);
    const char *argv[] = {"redis-server",
                          "--port",
                          port,
                          "--bind",
                          "127.0.0.1",
                          "--dir",
                          redis->dir,
                          "--save",
                          "",
                          "--appendonly",
                          append_only ? "yes" : "no",
                          NULL};
    child_exec(redis, argv);
    for (int i = 0; i < CHILD_TRIES; i++) {
        if (child_answers(redis->port))
            return;
        child_pause(CHILD_TRY_MS);
    }
    (void)fprintf(stderr, "redis-server does not answer\n");
    exit(1);
}

void child_start_worker(struct child *worker, const struct child *redis, const char *program,
                        const char *queue, unsigned slots) {
    char count[16];
    *worker = (struct child){.pid = 0};
    (void)snprintf(worker->log, sizeof worker->log, "%s/worker.log", redis->dir);
    (void)snprintf(count, sizeof count, "%u", slots);
    const char *argv[] = {program,   "--redis", redis->url, "--queue", queue,
                          "--slots", count,     "--admin",  "none",    NULL};
    child_exec(worker, argv);
}

static int child_unlink(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

void child_stop(struct child *child) {
    int status;
    if (child->pid <= 0)
        return;
    kill(child->pid, SIGTERM);
    waitpid(child->pid, &status, 0);
    child->pid = 0;
    if (child->dir[0])
        (void)nftw(child->dir, child_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

double child_cpu_s(const struct child *child) {
    char path[64], line[1024] = "";
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)child->pid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file))
        child_fail(path);
    fclose(file);
    const char *behind = strrchr(line, ')'); /* the name may hold anything */
    if (!behind || sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                          &system) != 2)
        child_fail(path);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static long child_status_kib(const struct child *child, const char *name) {
    char path[64], line[256];
    long kib = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)child->pid);
    FILE *file = fopen(path, "r");
    if (!file)
        child_fail(path);
    while (kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    fclose(file);
    return kib;
}

long child_peak_kib(const struct child *child) {
    return child_status_kib(child, "VmHWM:");
}

long child_memory_kib(const struct child *child) {
    return child_status_kib(child, "VmRSS:");
}
