/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The options of a program that is all options: a row each, read by the parser and by --help. What
 * is set, in this order: the command line, the environment, the default.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct settings_row;

/* Checks a value and stores it in `field`. 0; or -1, and `why` names option, value and range. */
typedef int settings_set_fn(const struct settings_row *row, const char *value, void *field,
                            char *why, size_t why_size);

struct settings_row {
    const char *name, *value; /* --name VALUE */
    const char *preset;       /* as text; NULL: none, or found out */
    const char *environment;  /* NULL: none */
    settings_set_fn *set;
    size_t offset;     /* of the field in the struct that is filled */
    unsigned min, max; /* of numbers and of the length of texts */
    const char *help;
    bool (*legal)(const char *name, size_t length); /* settings_set_name asks it */
};

settings_set_fn settings_set_number; /* unsigned: a whole number min..max */
settings_set_fn settings_set_text;   /* const char *, borrowed: `min` characters at least */
settings_set_fn settings_set_name;   /* likewise, min..max of A-Z a-z 0-9 . _ -: `legal` */
settings_set_fn settings_set_level;  /* enum log_level */
settings_set_fn settings_set_format; /* enum log_format */

#define SETTINGS_ROWS_MAX 32u

/* For `notes`: the URLs that link_open takes. */
#define SETTINGS_REDIS_NOTE                                                                        \
    "\n"                                                                                           \
    "URL is one of these, the last two with as many hosts as there are:\n"                         \
    "  redis://[USER[:PASSWORD]@]HOST[:PORT][/DB]\n"                                               \
    "  unix://[USER:PASSWORD@]/PATH[?db=N]\n"                                                      \
    "  redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT],HOST[:PORT]/MASTER[/DB]\n"                   \
    "  redis+cluster://[USER[:PASSWORD]@]HOST[:PORT],HOST[:PORT]\n"                                \
    "and rediss:// in place of redis:// with TLS. docs/reliability.md says more.\n"

struct settings_table {
    const struct settings_row *row;
    size_t count;
    const char *usage; /* of the help: what stands before the options, and behind them */
    const char *notes;
};

enum settings_outcome {
    SETTINGS_GO,
    SETTINGS_HELP,    /* --help was asked: print it, exit 0 */
    SETTINGS_VERSION, /* --version */
    SETTINGS_WRONG,   /* `why` names option, value and what is allowed: exit 2 */
};

/*
 * Fills `fields` from argv (which getopt_long may reorder) and, for what it does not set, the
 * environment and the defaults; what no one sets is left alone. given[i]: row i stood on the
 * command line.
 */
enum settings_outcome settings_table_read(const struct settings_table *table, void *fields,
                                          bool given[SETTINGS_ROWS_MAX], int argc, char **argv,
                                          char *why, size_t why_size);

/* The text of --help. */
void settings_table_help(const struct settings_table *table, FILE *out);
