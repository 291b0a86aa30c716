/* SPDX-License-Identifier: MIT */
/* Everything is waited for by looking again and again, with a limit: what takes longer has failed.
 */
#include "worker_process.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3000, TRY_MS = 10, ARGS_MAX = 40 };

static const char *worker_program = PROGRAM_FOLDER "/worker/susurration-worker";

void worker_process_program(const char *path) {
    worker_program = path;
}

void worker_process_pause(unsigned ms) {
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static void worker_process_exec(const struct worker_process *worker, const char *url,
                                const char *options) {
    char text[512], admin[32];
    char *argv[ARGS_MAX] = {NULL};
    int argc = 0;
    (void)snprintf(admin, sizeof admin, "127.0.0.1:%d", worker->admin_port);
    (void)snprintf(text, sizeof text,
                   "susurration-worker --redis %s --admin %s --drain-timeout 5 %s", url, admin,
                   options);
    for (char *word = strtok(text, " "); word && argc < ARGS_MAX - 1; word = strtok(NULL, " "))
        argv[argc++] = word;
    execv(worker_program, argv);
}

void worker_process_launch_at(struct worker_process *worker, const char *url, const char *folder,
                              const char *options) {
    static int number;
    pid_t parent = getpid();
    (void)snprintf(worker->log, sizeof worker->log, "%s/worker-%d-%d.log", folder, getpid(),
                   ++number);
    worker->admin_port = redis_server_free_port();
    worker->pid = fork();
    ck_assert_int_ge(worker->pid, 0);
    if (worker->pid == 0) {
        int log = open(worker->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        dup2(log, STDERR_FILENO);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        unsetenv("SUSURRATION_REDIS");
        /* So that resident memory tells something where the address sanitizer keeps what was freed.
         */
        setenv("ASAN_OPTIONS", "quarantine_size_mb=1:thread_local_quarantine_size_kb=64", 0);
        if (getppid() == parent)
            worker_process_exec(worker, url, options);
        _exit(127);
    }
}

void worker_process_launch(struct worker_process *worker, const struct redis_server *server,
                           const char *options) {
    worker_process_launch_at(worker, server->url, server->dir, options);
}

void worker_process_start(struct worker_process *worker, const struct redis_server *server,
                          const char *options) {
    worker_process_launch(worker, server, options);
    worker_process_until_ready(worker);
}

void worker_process_signal(const struct worker_process *worker, int number) {
    ck_assert_int_gt(worker->pid, 0);
    ck_assert_int_eq(kill(worker->pid, number), 0);
}

int worker_process_wait(struct worker_process *worker) {
    int status;
    for (int i = 0; i < TRIES; i++) {
        if (waitpid(worker->pid, &status, WNOHANG) == worker->pid) {
            worker->pid = 0;
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        worker_process_pause(TRY_MS);
    }
    ck_abort_msg("the worker does not end, see %s", worker->log);
}

bool worker_process_died(struct worker_process *worker, int number) {
    int status;
    if (waitpid(worker->pid, &status, WNOHANG) != worker->pid)
        return false;
    worker->pid = 0;
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "wait status %d, see %s",
                  status, worker->log);
    return true;
}

void worker_process_stop(struct worker_process *worker) {
    worker_process_signal(worker, SIGTERM);
    int status = worker_process_wait(worker);
    ck_assert_msg(status == 0, "exit status %d, see %s", status, worker->log);
}

void worker_process_kill(struct worker_process *worker) {
    worker_process_signal(worker, SIGKILL);
    ck_assert_int_eq(worker_process_wait(worker), -1);
}

bool worker_process_said(const struct worker_process *worker, const char *text, const char *also) {
    char line[9000];
    bool found = false;
    FILE *file = fopen(worker->log, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, text) && strstr(line, also);
    if (file)
        fclose(file);
    return found;
}

void worker_process_expect(const struct worker_process *worker, const char *text,
                           const char *also) {
    for (int i = 0; i < TRIES && !worker_process_said(worker, text, also); i++)
        worker_process_pause(TRY_MS);
    ck_assert_msg(worker_process_said(worker, text, also), "no line with %s and %s in %s", text,
                  also, worker->log);
}

unsigned worker_process_lines(const struct worker_process *worker) {
    char line[9000];
    unsigned count = 0;
    FILE *file = fopen(worker->log, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        count++;
    fclose(file);
    return count;
}

long worker_process_rss(const struct worker_process *worker) {
    char path[64];
    long pages = 0, resident = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/statm", (int)worker->pid);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* 0: nobody listens, or no HTTP. */
static int worker_process_ask(const struct worker_process *worker, const char *method,
                              const char *path, char *answer, size_t answer_size) {
    char request[256];
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)worker->admin_port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), status = 0;
    int size = snprintf(request, sizeof request,
                        "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", method, path);
    size_t used = 0;
    ssize_t got = 1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        write(fd, request, (size_t)size) != size)
        got = 0;
    while (got > 0 && used + 1 < answer_size &&
           (got = read(fd, answer + used, answer_size - 1 - used)) > 0)
        used += (size_t)got;
    answer[used] = '\0';
    close(fd);
    return sscanf(answer, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

int worker_process_http(const struct worker_process *worker, const char *method, const char *path,
                        char *answer, size_t answer_size) {
    int status = worker_process_ask(worker, method, path, answer, answer_size);
    ck_assert_msg(status > 0, "%s %s: %s", method, path, answer);
    return status;
}

void worker_process_answers(const struct worker_process *worker, const char *path, int status,
                            const char *part) {
    char answer[1024];
    for (int i = 0; i < TRIES; i++) {
        if (worker_process_ask(worker, "GET", path, answer, sizeof answer) == status &&
            strstr(answer, part))
            return;
        worker_process_pause(TRY_MS);
    }
    ck_abort_msg("%s: no %d with \"%s\" but %s; see %s", path, status, part, answer, worker->log);
}

void worker_process_until_ready(const struct worker_process *worker) {
    worker_process_answers(worker, "/readyz", 200, "");
}
