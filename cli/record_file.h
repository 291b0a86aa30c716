/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A file of records as another engine wrote it, read one tick at a time, in ascending ticks, so
 * that it may be any size or a pipe. The form is seen from how it begins:
 *
 *   {                       JSON, one object after another (record_json.c)
 *   anything else           lines of text (record_text.c)
 *
 * `susurration diff --help` describes both to whoever writes such a file.
 */
#include "record.h"

#include <jansson.h>
#include <stdio.h>

struct command;
struct job;

#define RECORD_NAME_MAX 1024u      /* bytes of the file's name in a message; the rest is cut off */
#define RECORD_LINE_MAX 4096u      /* bytes of a line of text, the end of it included */
#define RECORD_JSON_MAX (1u << 20) /* bytes of one JSON object */
#define RECORD_CELLS_MAX 32u       /* in a line of text */

/* What the columns of a text may be called. */
enum record_column {
    RECORD_COLUMN_TICK,
    RECORD_COLUMN_BIRD,
    RECORD_COLUMN_FIELD, /* and the three behind it: x, y, vx, vy */
    RECORD_COLUMN_HASH = RECORD_COLUMN_FIELD + RECORD_FIELDS,
    RECORD_COLUMNS
};

struct record_file {
    const struct command *command;    /* for messages */
    char name[RECORD_NAME_MAX];       /* of the file, printable: for NAME:LINE */
    char quoted[RECORD_NAME_MAX + 2]; /* the same within a sentence */
    const struct job *claim;          /* what it should be about */
    uint32_t count;                   /* birds of that claim */
    FILE *stream;
    uint64_t line; /* the one being read, from 1 */
    int (*next)(struct record_file *file, struct record *record, bool *more);
    bool has_tick;
    uint32_t tick; /* of the record that is being read, or was read last */

    struct { /* text */
        char line[RECORD_LINE_MAX];
        char *cell[RECORD_CELLS_MAX]; /* of the line */
        size_t cells;
        int column[RECORD_COLUMNS]; /* which cell it is; -1: none */
        bool is_begun;              /* a line was read */
        bool is_held;               /* the line is taken apart, but not used yet */
    } text;
    struct { /* what `verify` prints: the hash at its last tick stands before the others */
        uint32_t tick;
        bool has_hash;
        uint64_t hash, line;
    } last;
    struct {           /* JSON */
        json_t *root;  /* NULL: the next one is to be read */
        size_t next;   /* of its checkpoints */
        size_t bytes;  /* read of it */
        uint64_t line; /* on which it began */
    } json;
};

/*
 * Opens it; "-" is standard input. 0, or the exit code after having said what is wrong. Close it in
 * either case. `claim` is borrowed until then.
 */
int record_file_open(struct record_file *file, const struct command *command, const char *name,
                     const struct job *claim);
void record_file_close(struct record_file *file);

/*
 * The record of the next tick; *more is false where there is none. 0, or the exit code after having
 * said what is wrong, with file, line, value and what would do.
 */
int record_file_next(struct record_file *file, struct record *record, bool *more);

/* --- for the two forms ---------------------------------------------------------------------------
 */

int record_text_begin(struct record_file *file);
int record_text_next(struct record_file *file, struct record *record, bool *more);
int record_json_next(struct record_file *file, struct record *record, bool *more);

/* Says "NAME:LINE: " and what is wrong there. The exit code. */
int record_file_refuse(struct record_file *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says "NAME:LINE: WHAT takes EXPECTED, got 'VALUE'". The exit code. */
int record_file_refuse_value(struct record_file *file, uint64_t line, const char *what,
                             const char *expected, const char *value);

/* Begins the record of that tick, which must be behind the one before, and has nothing yet. 0, or
 * the exit code. */
int record_file_tick(struct record_file *file, uint64_t line, uint32_t tick, struct record *record);

/* A whole number from 0 to max, a hash, a number of a state: 0, or the exit code. */
int record_file_whole(struct record_file *file, uint64_t line, const char *what, const char *text,
                      uint32_t max, uint32_t *value);
int record_file_hash(struct record_file *file, uint64_t line, const char *what, const char *text,
                     uint64_t *hash);
int record_file_number(struct record_file *file, uint64_t line, const char *what, const char *text,
                       uint64_t *bits);

/* That what it says of the claim (its seed, its number of birds) is what the command line says. */
int record_file_about(struct record_file *file, uint64_t line, const char *what, uint64_t theirs);
