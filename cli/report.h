/* SPDX-License-Identifier: MIT */
#pragma once
/* What the command says on standard error, and the code that it then ends with. */

struct command;

/* The contract with whoever calls the command from a script. */
enum report_exit {
    REPORT_OK = 0,             /* done; a claim is verified */
    REPORT_REJECTED = 1,       /* the claim is wrong, or the job's own fault */
    REPORT_USAGE = 2,          /* nothing was tried: the command line is wrong */
    REPORT_INFRASTRUCTURE = 3, /* Redis, the workers, a file, memory */
};

/*
 * "susurration: " and the message, each on a line of its own on standard error. `usage` adds where
 * to read on (command NULL: the list of commands). They return the exit code.
 */
int report_usage(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int report_rejected(const char *format, ...) __attribute__((format(printf, 1, 2)));
int report_infrastructure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same without an end: a warning, or progress worth a line. */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output: `code`, or REPORT_INFRASTRUCTURE if what was written did not get out. */
int report_finish(int code);
