/* SPDX-License-Identifier: MIT */
#pragma once
/* What the command line and the environment ask of a front-end. */
#include "log.h"
#include "settings_table.h"

struct front_settings {
    /* Texts are borrowed from argv and the environment. */
    const char *redis;
    const char *password_file; /* NULL: none */
    const char *queue;
    const char *listen;
    unsigned wait_s;                 /* how long a request waits for its job: 1 .. 300 */
    const char *operator_token_file; /* NULL: operators' requests that write are refused */
    unsigned rate;                   /* requests a second a client; 0: no limit */
    const char *cors;                /* an origin, "*", or NULL: other origins get nothing */
    enum log_level log_level;
    enum log_format log_format;
};

/* Reads argv (which getopt_long may reorder), the environment and the defaults. */
enum settings_outcome front_settings_read(struct front_settings *settings, int argc, char **argv,
                                          char *why, size_t why_size);

/* The text of --help. */
void front_settings_help(FILE *out);
