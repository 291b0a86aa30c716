/* SPDX-License-Identifier: MIT */
/* One file at a time, in the folder for temporary ones. */
#include "diff_file.h"

#include "program.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char diff_file_path[] = "/tmp/susurration-diff-XXXXXX";

const char *diff_file_write(const char *text, size_t length) {
    memcpy(strrchr(diff_file_path, '-'), "-XXXXXX", 7);
    int file = mkstemp(diff_file_path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, length), (ssize_t)length);
    close(file);
    return diff_file_path;
}

void diff_file_remove(void) {
    ck_assert_int_eq(unlink(diff_file_path), 0);
}

char *diff_file_dump(const char *line) {
    struct program program;
    program_run_line(&program, "susurration", line);
    ck_assert_msg(program.code == 0, "%s: exit %d: %s", line, program.code, program.err);
    char *out = program.out;
    program.out = NULL;
    program_release(&program);
    return out;
}

void diff_file_run(struct program *program, const char *options, const char *text, int code) {
    char line[256];
    snprintf(line, sizeof line, "diff %s%s%s", diff_file_write(text, strlen(text)),
             *options ? " " : "", options);
    program_run_line(program, "susurration", line);
    diff_file_remove();
    ck_assert_msg(program->code == code, "%s: exit %d, expected %d: %s%s", line, program->code,
                  code, program->out, program->err);
}
