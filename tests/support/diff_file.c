/* SPDX-License-Identifier: MIT */
/* One file at a time, in the folder for temporary ones. */
#include "diff_file.h"

#include "program.h"

#include <check.h>
#include <jansson.h>
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

json_t *diff_file_json(const char *options, const char *text, int code) {
    char with_json[256];
    struct program program;
    json_error_t error;
    snprintf(with_json, sizeof with_json, "%s%s--json", options, *options ? " " : "");
    diff_file_run(&program, with_json, text, code);
    json_t *root = json_loads(program.out, 0, &error);
    ck_assert_msg(root != NULL, "%s in %s", error.text, program.out);
    program_release(&program);
    return root;
}

const char *diff_file_text(const json_t *root, const char *key) {
    const char *text = json_string_value(json_object_get(root, key));
    ck_assert_msg(text != NULL, "%s is no text", key);
    return text;
}

long long diff_file_whole(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    ck_assert_msg(json_is_integer(value), "%s is no whole number", key);
    return json_integer_value(value);
}
