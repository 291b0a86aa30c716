/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The options of the commands, one table row each: parsing, checks, defaults and --help all read
 * the same row. A row that is a field of a job names it, and takes type and range from field.h.
 */
#include "job.h"

enum option_type {
    OPTION_FLAG,   /* takes no value */
    OPTION_TEXT,   /* any text */
    OPTION_WHOLE,  /* a whole number min..max */
    OPTION_NUMBER, /* a finite number */
    OPTION_HASH,   /* 16 hexadecimal digits */
    OPTION_ID,     /* 1 to 64 of A-Z a-z 0-9 . _ - */
    OPTION_FIELD,  /* what field.h says of `field` for the command's kind of job */
};

struct option {
    const char *name;  /* without the dashes; NULL ends a table */
    const char *value; /* what --help calls the value; NULL for a flag */
    enum option_type type;
    const char *preset; /* the default; NULL: none */
    const char *help;
    const char *field;   /* OPTION_FIELD */
    uint64_t min, max;   /* OPTION_WHOLE */
    const char *variant; /* environment variable that stands in for it; NULL: none */
};

/* The part of a row that every option has. */
#define OPTION_ROW(name_, value_, type_, help_)                                                    \
    .name = (name_), .value = (value_), .type = OPTION_##type_, .help = (help_)

/* Rows under one heading. */
struct option_group {
    const char *title;
    const struct option *option;
};

/* The row of that name (not terminated), or NULL. */
const struct option *option_find(const struct option *table, const char *name, size_t length);

/* The whole numbers that a row takes, for job kind `kind`; false: it takes no whole number. */
bool option_range(const struct option *option, enum job_kind kind, uint64_t *min, uint64_t *max);

/* Checks a value by its row: true, or false with the reason in `why`, which begins with "--name ".
 */
bool option_check(const struct option *option, enum job_kind kind, const char *value, char *why,
                  size_t why_size);

/* Shared rows. */
extern const struct option_group option_group_redis;  /* --redis --queue --wait ... */
extern const struct option_group option_group_output; /* --json --help */
