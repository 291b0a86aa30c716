/* SPDX-License-Identifier: MIT */
#pragma once
/* What the command line and the environment ask of a worker: one table, read by the parser and by
 * --help. */
#include "job.h"
#include "log.h"
#include "settings_table.h"

#include <stdbool.h>
#include <stdio.h>

#define SETTINGS_NAME_MAX 32u /* of --name; the process adds its pid and random letters */

struct settings {
    /* Texts are borrowed from argv and the environment. */
    const char *redis;
    const char *password_file; /* NULL: none */
    const char *queue;
    const char *name;  /* NULL: the host's */
    const char *isa;   /* NULL: the best engine that this CPU can run */
    const char *admin; /* HOST:PORT, or "none" */
    bool admin_given;  /* explicitly: then it must work */
    unsigned slots;    /* 1 .. 256 */
    unsigned lease_s;  /* 2 .. 300 */
    unsigned drain_timeout_s;
    unsigned prefetch; /* jobs claimed ahead of the free places, at most */
    enum log_level log_level;
    enum log_format log_format;
};

/*
 * Reads argv (which getopt_long may reorder) and, for what it does not set, the environment and the
 * defaults. `cpus` is the default of --slots.
 */
enum settings_outcome settings_read(struct settings *settings, int argc, char **argv, unsigned cpus,
                                    char *why, size_t why_size);

/* The text of --help. */
void settings_help(FILE *out);
