/* SPDX-License-Identifier: MIT */
/*
 * Output goes to two unlinked temporary files, not pipes: nothing has to be read while the program
 * runs, and none can block on a full pipe.
 */
#include "program.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PROGRAM_SECONDS 120u

static char *program_read(FILE *file) {
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert(size >= 0 && size <= (long)PROGRAM_OUTPUT_MAX);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static void program_path(const char *name, char *path, size_t size) {
    const char *folder = strcmp(name, "susurration") == 0 ? "cli" : strchr(name, '-') + 1;
    snprintf(path, size, "%s/%s/%s", PROGRAM_FOLDER, folder, name);
    ck_assert_msg(access(path, X_OK) == 0, "%s is not built", path);
}

static void program_argv(const char *argv[PROGRAM_ARGS_MAX + 2], const char *name,
                         const char *const *args) {
    size_t count = 0;
    argv[count++] = name;
    for (; *args; args++) {
        ck_assert_uint_le(count, PROGRAM_ARGS_MAX);
        argv[count++] = *args;
    }
    argv[count] = NULL;
}

/* In the child. The parent has one thread, so that any call is safe here. */
static void program_exec(const char *path, const char *const *argv, const char *const *env, int out,
                         int err) {
    static const char *const ours[] = {"SUSURRATION_REDIS", "SUSURRATION_ISA"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        unsetenv(ours[i]);
    for (; env && *env; env++)
        putenv((char *)*env);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    alarm(PROGRAM_SECONDS); /* survives exec: the default action ends the program */
    execv(path, (char *const *)argv);
    _exit(127);
}

void program_run(struct program *program, const char *name, const char *const *args,
                 const char *const *env) {
    char path[512];
    const char *argv[PROGRAM_ARGS_MAX + 2];
    program_argv(argv, name, args);
    program_path(name, path, sizeof path);

    FILE *out = tmpfile(), *err = tmpfile();
    ck_assert(out && err);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        program_exec(path, argv, env, fileno(out), fileno(err));
    int status;
    while (waitpid(child, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    program->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ck_assert_int_ne(program->code, 127);
    program->out = program_read(out);
    program->err = program_read(err);
}

static const char *const *program_line_env;

void program_env(const char *const *env) {
    program_line_env = env;
}

void program_run_line(struct program *program, const char *name, const char *line) {
    char *copy = strdup(line), *rest = copy;
    const char *args[PROGRAM_ARGS_MAX + 1] = {NULL};
    size_t count = 0;
    ck_assert_ptr_nonnull(copy);
    for (char *word; (word = strsep(&rest, " "));) {
        ck_assert_uint_lt(count, PROGRAM_ARGS_MAX);
        args[count++] = word;
    }
    program_run(program, name, args, program_line_env);
    free(copy);
}

void program_release(struct program *program) {
    free(program->out);
    free(program->err);
    program->out = program->err = NULL;
}

pid_t program_start(const char *name, const char *const *args) {
    char path[512];
    const char *argv[PROGRAM_ARGS_MAX + 2];
    program_argv(argv, name, args);
    program_path(name, path, sizeof path);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        program_exec(path, argv, NULL, STDERR_FILENO, STDERR_FILENO);
    }
    return child;
}

int program_stop(pid_t pid, int signal_number) {
    int status;
    ck_assert_int_eq(kill(pid, signal_number), 0);
    while (waitpid(pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
