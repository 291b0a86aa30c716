/* SPDX-License-Identifier: MIT */
#pragma once
/* One of our programs, run to its end as a person would, with what it said. */
#include <stddef.h>
#include <sys/types.h>

#define PROGRAM_ARGS_MAX 2100
#define PROGRAM_OUTPUT_MAX (16u << 20)

struct program {
    int code;        /* exit code; -1: ended by a signal, or by the time limit */
    char *out, *err; /* terminated, owned */
};

/*
 * Runs the built program of that name with arguments up to a NULL. `env` is NULL or a
 * NULL-terminated list of NAME=VALUE that are added; SUSURRATION_* of the tests' own environment
 * are not handed on. Fails the test when the program cannot be started; it is killed after 120 s.
 */
void program_run(struct program *program, const char *name, const char *const *args,
                 const char *const *env);

/* Adds to the environment of every program_run_line after it; NULL: nothing. Borrowed. */
void program_env(const char *const *env);

/* The same for a command line in one string, taken apart at single spaces. */
void program_run_line(struct program *program, const char *name, const char *line);

void program_release(struct program *program);

/*
 * Starts a program and does not wait; what it says goes to standard error. It dies with the test.
 * program_stop sends the signal (0: none), waits, and gives the exit code, -1 if the signal ended
 * it.
 */
pid_t program_start(const char *name, const char *const *args);
int program_stop(pid_t pid, int signal_number);
