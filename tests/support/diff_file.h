/* SPDX-License-Identifier: MIT */
#pragma once
/* What another engine wrote, made up by a test and given to `susurration diff`. */
#include <stddef.h>

struct program;

/* Writes a file and gives its path, which holds until the next one; remove it. */
const char *diff_file_write(const char *text, size_t length);
void diff_file_remove(void);

/* What `susurration` writes for that line, which must end with 0; owned by the caller. */
char *diff_file_dump(const char *line);

/* Runs `susurration diff` with those options on a file of that text; it must end with `code`. */
void diff_file_run(struct program *program, const char *options, const char *text, int code);
