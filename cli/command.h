/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The table of commands. A row is everything there is to know about one: what parses it, what
 * --help prints, what runs it.
 */
#include "option.h"

struct args;

#define COMMAND_GROUPS_MAX 6

struct command {
    const char *name;    /* "verify", "session create" */
    const char *operand; /* what --help calls its operand; NULL: it takes none */
    const char *summary; /* one line, a sentence without a full stop */
    const char *text;    /* what else --help says; NULL: nothing */
    const char *example; /* lines to type, each ending in \n */
    enum job_kind kind;  /* whose fields its options are; JOB_KINDS: none */
    bool params;         /* takes --param, and each parameter of a model by its name */
    const struct option_group *group[COMMAND_GROUPS_MAX]; /* NULL behind the last */
    int (*run)(const struct args *args);                  /* gives the exit code */
};

extern const struct command *const command_table[];
extern const size_t command_count;

/* The rows, each in the file that runs it. */
extern const struct command command_verify, command_sweep, command_session_create,
    command_session_step, command_session_set, command_session_show, command_session_timeline,
    command_trace_list, command_trace_show, command_trace_timeline, command_status, command_workers,
    command_cancel, command_pause, command_resume, command_dead_list, command_dead_requeue,
    command_speed, command_diff, command_dump;

/* The whole command line without the program's name: runs a command, gives the exit code. */
int command_main(int argc, char **argv);
