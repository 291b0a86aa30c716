/* SPDX-License-Identifier: MIT */
/* `susurration diff` on hashes: lists of them, and what `verify` prints. */
#include "diff_file.h"
#include "program.h"
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* What verify printed is a list of hashes as it is. */
static const struct {
    const char *options, *claim;
    int ticks;
} diff_verified[] = {
    {"", "--birds 10 --at-tick 2500 --checkpoints", 3},
    {" --json", "--birds 10 --at-tick 2500 --checkpoints", 3},
    {"", "--birds 10 --at-tick 2000 --checkpoints", 2},
    {" --json", "--birds 10 --at-tick 2000 --checkpoints", 2},
    {"", "--birds 10 --at-tick 30 --claim-hash 0000000000000000", 1},
    {" --json", "--birds 10 --at-tick 30", 1},
};

START_TEST(diff_reads_what_verify_prints) {
    char line[128];
    struct program verify;
    snprintf(line, sizeof line, "verify %s%s", diff_verified[_i].claim, diff_verified[_i].options);
    program_run_line(&verify, "susurration", line);
    json_t *root = diff_file_json("--birds 10", verify.out, 0);
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), diff_verified[_i].ticks);
    json_decref(root);

    struct program program;
    diff_file_run(&program, "--birds 11", verify.out, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "birds 10, the claim 11: try --birds 10"));
    program_release(&program);
    diff_file_run(&program, "--birds 10 --seed 1", verify.out, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "seed 42, the claim 1: try --seed 42"));
    program_release(&program);
    program_release(&verify);
}
END_TEST

/* A hash tells only between which two ticks the states part. */
START_TEST(diff_of_hashes_lies_between_two) {
    char list[256];
    char *dump = diff_file_dump("dump --birds 10 --from 1 --at-tick 30 --hashes");
    int ticks[] = {10, 20, 30};
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        char key[16];
        snprintf(key, sizeof key, "\n%d,", ticks[i]);
        const char *line = strstr(dump, key) + 1;
        used += (size_t)snprintf(list + used, sizeof list - used, "%.*s\n",
                                 (int)strcspn(line, "\n"), line);
    }
    char *last = list + used - 2, good = *last;
    *last = good == '0' ? '1' : '0';
    json_t *root = diff_file_json("--birds 10", list, 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 20);
    ck_assert_int_eq(diff_file_whole(difference, "tick"), 30);
    ck_assert_int_eq(diff_file_whole(difference, "earliest_tick"), 21);
    ck_assert_int_eq(diff_file_whole(difference, "line"), 3);
    ck_assert_int_eq(
        strncmp(diff_file_text(difference, "ours"), diff_file_text(difference, "theirs"), 15), 0);
    ck_assert_int_eq(diff_file_text(difference, "ours")[15], good);
    json_decref(root);
    struct program program;
    diff_file_run(&program, "--birds 10", list, 1);
    ck_assert_ptr_nonnull(strstr(program.out, "at a tick from 21 to 30\n"));
    program_release(&program);
    free(dump);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, diff_reads_what_verify_prints, 0,
                        sizeof diff_verified / sizeof diff_verified[0]);
    tcase_add_test(tests, diff_of_hashes_lies_between_two);
}

int main(void) {
    return suite_run("cli_diff_hash", add, 120);
}
