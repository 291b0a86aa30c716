/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The one table of a job's fields: key, type, which kinds take it and which need it, range,
 * default. The decoder and the encoder walk it, the command line takes its ranges from it, and the
 * tables in PROTOCOL.md are checked against it. The parameters inside `params` have a table of
 * their own, in model.h.
 */
#include "job.h"

enum field_type {
    FIELD_ID,      /* string, 1 to 64 of A-Z a-z 0-9 . _ - ; char[JOB_ID_MAX + 1] */
    FIELD_TEXT,    /* UTF-8 string of min..max characters; char[4 * max + 1] */
    FIELD_ASCII,   /* min..max printable ASCII characters, no space; char[max + 1] */
    FIELD_UINT,    /* whole number min..max; uint32_t. A float with a whole value is not one */
    FIELD_BOOL,    /* bool */
    FIELD_PARAMS,  /* map, see model.h; struct sim_params, and job.params_set */
    FIELD_CHANGES, /* list of at most max {tick, params}; job.change, job.change_count */
    FIELD_CLAIMED, /* {metrics?, state_hash?}; struct job_claimed */
    FIELD_SEEDS,   /* {first, count} or a list, 1 to max seeds; struct job_seeds */
    FIELD_TYPES,
};

struct field {
    const char *key;
    enum field_type type;
    unsigned takes; /* bit k: kind k has this field */
    unsigned needs; /* bit k: kind k requires it */
    uint32_t min, max;
    const char *preset; /* the default, as the document says it; NULL where it is required */
    size_t offset;      /* in struct job */
    size_t has_offset;  /* of the bool that says it was given; 0: none */
    const char *meaning;
};

extern const struct field field_table[];
extern const size_t field_count;

/* The row of that key for that kind, or NULL. */
const struct field *field_find(enum job_kind kind, const char *key, size_t length);
