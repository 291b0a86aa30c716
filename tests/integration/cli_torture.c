/* SPDX-License-Identifier: MIT */
/*
 * The command with one allocation failing after another, its JSON library's too, alone and with all
 * later ones: it ends with 0 and has said what it says with memory, or with 3 and a word about
 * why. Each run is a child of the test, so that a leak on the way out is seen by the sanitizer.
 */
#include "client.h"
#include "command.h"
#include "mem.h"
#include "suite.h"
#include "worker_fixture.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 40, OUTPUT = 1 << 16, MOST = 3000, LINKED = 20 };

static unsigned *failures; /* of the last child */
static char out[OUTPUT], err[OUTPUT];
static char session[JOB_ID_MAX + 1]; /* that there is */

/* --- one run ------------------------------------------------------------------------------------
 */

static void count_failures(void) {
    *failures = mem_failures();
}

static void read_back(int fd, char text[OUTPUT]) {
    ssize_t size = pread(fd, text, OUTPUT - 1, 0);
    ck_assert_int_ge(size, 0);
    text[size] = '\0';
    (void)close(fd);
}

static int run_child(char **argv, int argc, unsigned nth, int after) {
    (void)atexit(count_failures);
    json_set_alloc_funcs(mem_alloc, free);
    mem_fail(nth, after);
    return command_main(argc, argv);
}

/* Runs `susurration LINE`, REDIS and SESSION in it replaced. The exit code. */
static int run(const char *line, unsigned nth, int after) {
    char text[512], *argv[WORDS], *rest = text;
    int argc = 0, status;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word; (word = strsep(&rest, " "));)
        argv[argc++] = strcmp(word, "REDIS") == 0     ? server.url
                       : strcmp(word, "SESSION") == 0 ? session
                                                      : word;
    argv[argc] = NULL;
    int fds[2] = {memfd_create("out", 0), memfd_create("err", 0)};
    *failures = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)dup2(fds[0], STDOUT_FILENO);
        (void)dup2(fds[1], STDERR_FILENO);
        exit(run_child(argv, argc, nth, after));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    read_back(fds[0], out);
    read_back(fds[1], err);
    ck_assert_msg(WIFEXITED(status), "%s: allocation %u: status %d\n%s", line, nth, status, err);
    return WEXITSTATUS(status);
}

/* --- in turn ------------------------------------------------------------------------------------
 */

/* Whether an allocation failed. `expected`: what it says, NULL where it differs from run to run. */
static bool torture(const char *line, unsigned nth, int after, const char *expected) {
    int code = run(line, nth, after);
    ck_assert_msg(code == 0 || (code == 3 && *failures > 0), "%s: allocation %u: exit %d\n%s", line,
                  nth, code, err);
    if (code == 3)
        ck_assert_msg(strstr(err, "susurration: "), "%s: allocation %u: not a word", line, nth);
    else if (expected)
        ck_assert_msg(strcmp(out, expected) == 0, "%s: allocation %u: said\n%s", line, nth, out);
    return *failures > 0;
}

static void torture_all(const char *line, bool repeats) {
    static char expected[OUTPUT];
    ck_assert_msg(run(line, 0, 0) == 0, "%s: %s", line, err);
    memcpy(expected, out, sizeof expected);
    for (int after = 0; after <= 1; after++) {
        /* Without a link, which link_torture.c is about, the command would try for 5 s. */
        unsigned nth = after && strstr(line, "REDIS") ? LINKED : 1;
        while (nth < MOST && torture(line, nth, after, repeats ? expected : NULL))
            nth += 1 + nth / (after ? 2 : 8); /* further on, where lists are printed, every few */
        ck_assert_uint_gt(nth, 1);
        ck_assert_uint_lt(nth, MOST);
    }
}

static const struct {
    const char *line;
    bool repeats;
} torture_lines[] = {
    {"verify --at-tick 3 --birds 10 --change 1:cohesion=1 --change 2:1,1,1", false},
    {"verify --at-tick 3 --birds 10 --json", false},
    {"sweep --seeds 0..9 --ticks 2 --birds 10", true},
    {"dump --at-tick 2 --birds 10 --json", true},
    {"verify --redis REDIS --at-tick 3 --birds 10 --ring", false},
    {"sweep --redis REDIS --seeds 0..9 --ticks 2 --birds 10", true},
    {"session create --redis REDIS --birds 10 --json", false},
    {"session step SESSION --redis REDIS --ticks 1", false},
    {"session set SESSION --redis REDIS --cohesion 0.25", false},
    {"session show SESSION --redis REDIS --json", true},
    {"session timeline SESSION --redis REDIS", true},
    {"trace list --redis REDIS", true},
    {"status --redis REDIS", false},
    {"status --redis REDIS --json", false},
    {"workers --redis REDIS", false},
    {"dead list --redis REDIS", true},
    {"pause --redis REDIS", true},
    {"resume --redis REDIS", true},
};

START_TEST(command_without_memory) {
    torture_all(torture_lines[_i].line, torture_lines[_i].repeats);
}
END_TEST

static void map_failures(void) {
    failures =
        mmap(NULL, sizeof *failures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(failures != MAP_FAILED);
}

static void make_session(void) {
    ck_assert_int_eq(run("session create --redis REDIS --birds 10", 0, 0), 0);
    ck_assert_int_eq(sscanf(out, "session %64s", session), 1);
}

static void add(TCase *tests) {
    worker_fixture(tests, "--slots 1");
    tcase_add_checked_fixture(tests, map_failures, NULL);
    tcase_add_checked_fixture(tests, make_session, NULL);
    tcase_add_loop_test(tests, command_without_memory, 0,
                        sizeof torture_lines / sizeof torture_lines[0]);
}

int main(void) {
    return suite_run("cli_torture", add, 60);
}
