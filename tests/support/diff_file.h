/* SPDX-License-Identifier: MIT */
#pragma once
/* What another engine wrote, made up by a test and given to `susurration diff`. */
#include <jansson.h>
#include <stddef.h>

struct program;

/* Writes a file and gives its path, which holds until the next one; remove it. */
const char *diff_file_write(const char *text, size_t length);
void diff_file_remove(void);

/* What `susurration` writes for that line, which must end with 0; owned by the caller. */
char *diff_file_dump(const char *line);

/* Runs `susurration diff` with those options on a file of that text; it must end with `code`. */
void diff_file_run(struct program *program, const char *options, const char *text, int code);

/* The same with --json: what it printed; owned by the caller. */
json_t *diff_file_json(const char *options, const char *text, int code);

/* The member of that name, which must be there: a text, borrowed; a whole number. */
const char *diff_file_text(const json_t *root, const char *key);
long long diff_file_whole(const json_t *root, const char *key);
