/* SPDX-License-Identifier: MIT */
/* `susurration diff` on hashes: lists of them, what `verify` prints, and states with their hash. */
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

/* --- a hash beside a state -----------------------------------------------------------------------
 */

#define DIFF_HASHED 10 /* birds */

/* A dump of ticks 0 to 2 with a column of hashes, whose digits at tick 1 are `hash`. Static. */
static const char *diff_hashed(const char *hash) {
    static char text[1 << 14];
    char *states = diff_file_dump("dump --birds 10 --from 0 --at-tick 2");
    char *hashes = diff_file_dump("dump --birds 10 --from 0 --at-tick 2 --hashes");
    const char *state = strchr(states, '\n') + 1, *line = hashes;
    size_t used = (size_t)snprintf(text, sizeof text, "tick,bird,x,y,vx,vy,state_hash\n");
    for (int i = 0; i < 3 * DIFF_HASHED; i++) {
        if (i % DIFF_HASHED == 0)
            line = strchr(line, '\n') + 1;
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s,%.16s\n",
                                 (int)strcspn(state, "\n"), state,
                                 hash && i / DIFF_HASHED == 1 ? hash : line + 2);
        state = strchr(state, '\n') + 1;
    }
    ck_assert_uint_lt(used, sizeof text);
    free(states);
    free(hashes);
    return text;
}

static void diff_check_hashing(const char *text, const char *hash, int line) {
    json_t *root = diff_file_json("--birds 10", text, 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_str_eq(diff_file_text(root, "verdict"), "mismatch");
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 1);
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 0);
    ck_assert_str_eq(diff_file_text(difference, "of"), "hashing");
    ck_assert_int_eq(diff_file_whole(difference, "tick"), 1);
    ck_assert(json_is_null(json_object_get(difference, "earliest_tick")));
    ck_assert_int_eq(diff_file_whole(difference, "line"), line);
    ck_assert_str_eq(diff_file_text(difference, "theirs"), hash);
    ck_assert_str_ne(diff_file_text(difference, "ours"), hash);
    ck_assert_ptr_nonnull(strstr(diff_file_text(difference, "algorithm"), "XXH64, seed 0"));
    json_decref(root);
    struct program program;
    diff_file_run(&program, "--birds 10", text, 1);
    ck_assert_ptr_nonnull(strstr(
        program.out, "MISMATCH: the states of tick 1 are equal, the hashes are not\n  ours "));
    ck_assert_ptr_nonnull(strstr(program.out, hash));
    ck_assert_ptr_nonnull(strstr(
        program.out, "XXH64, seed 0, over x[], y[], vx[], vy[] as little-endian binary64\n"));
    program_release(&program);
}

START_TEST(diff_of_an_equal_state_with_another_hash) {
    json_t *root = diff_file_json("--birds 10", diff_hashed(NULL), 0);
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 3);
    json_decref(root);
    diff_check_hashing(diff_hashed("0123456789abcdef"), "0123456789abcdef", 12);

    char *dump = diff_file_dump("dump --birds 10 --from 0 --at-tick 2 --json");
    char *hash = strstr(strchr(dump, '\n'), "\"state_hash\": \"");
    memcpy(hash + strlen("\"state_hash\": \""), "fedcba9876543210", 16);
    diff_check_hashing(dump, "fedcba9876543210", 2);
    free(dump);
}
END_TEST

/* Where the state differs too, that is what is told. */
START_TEST(diff_of_another_state_with_another_hash) {
    char text[1 << 14];
    strcpy(text, diff_hashed("0123456789abcdef"));
    char *digit = strstr(text, "\n1,4,") + strlen("\n1,4,") + 15;
    *digit = *digit == '0' ? '1' : '0';
    json_t *root = diff_file_json("--birds 10", text, 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_str_eq(diff_file_text(difference, "of"), "state");
    ck_assert_int_eq(diff_file_whole(difference, "earliest_tick"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "bird"), 4);
    json_decref(root);
}
END_TEST

/* All of an object counts: checkpoints, then the state at its tick, then the hash of that. */
START_TEST(diff_of_checkpoints_and_a_state) {
    char text[1 << 14];
    char *dump = diff_file_dump("dump --birds 10 --at-tick 2000 --json");
    char *hash = diff_file_dump("dump --birds 10 --at-tick 1000 --hashes");
    char *first = strchr(hash, '\n') + strlen("\n1000,");
    for (int wrong = 0; wrong < 2; wrong++) {
        snprintf(text, sizeof text, "{\"checkpoints\": [\"%.16s\"], %s",
                 wrong ? "0123456789abcdef" : first, dump + 1);
        json_t *root = diff_file_json("--birds 10", text, wrong);
        ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), wrong ? 0 : 2);
        if (wrong)
            ck_assert_int_eq(diff_file_whole(json_object_get(root, "difference"), "tick"), 1000);
        json_decref(root);
    }
    free(dump);
    free(hash);
}
END_TEST

/* One hash in all lines of a tick, or the file does not say which it means. */
START_TEST(diff_of_a_state_with_a_bad_hash) {
    static const struct {
        const char *hash, *says;
    } bad[] = {
        {"0123456789abcdef", ":15: state_hash is that of all birds, so one in all lines of tick 1: "
                             "here it is 0123456789abcdef, before it was "},
        {"0123456789abcdeg", ":15: state_hash takes 16 hexadecimal digits, got '0123456789abcdeg'"},
        {"                ", ":15: there is no state_hash: the line has 6 columns"},
    };
    char text[1 << 14];
    struct program program;
    strcpy(text, diff_hashed(NULL));
    char *line = strstr(text, "\n1,3,") + 1;
    memcpy(line + strcspn(line, "\n") - 16, bad[_i].hash, 16);
    diff_file_run(&program, "--birds 10", text, 2);
    ck_assert_msg(strstr(program.err, bad[_i].says) != NULL, "%s", program.err);
    program_release(&program);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, diff_reads_what_verify_prints, 0,
                        sizeof diff_verified / sizeof diff_verified[0]);
    tcase_add_test(tests, diff_of_hashes_lies_between_two);
    tcase_add_test(tests, diff_of_an_equal_state_with_another_hash);
    tcase_add_test(tests, diff_of_another_state_with_another_hash);
    tcase_add_test(tests, diff_of_checkpoints_and_a_state);
    tcase_add_loop_test(tests, diff_of_a_state_with_a_bad_hash, 0, 3);
}

int main(void) {
    return suite_run("cli_diff_hash", add, 120);
}
