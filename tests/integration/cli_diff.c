/* SPDX-License-Identifier: MIT */
/* `susurration diff`: what another engine wrote, right or wrong in one place. */
#include "diff_file.h"
#include "engine.h"
#include "program.h"
#include "suite.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- equal ---------------------------------------------------------------------------------------
 */

static const char *const diff_forms[] = {
    "", " --numbers hex", " --numbers decimal", " --json", " --hashes", " --hashes --json",
};

START_TEST(diff_equal_in_every_form) {
    char line[128];
    snprintf(line, sizeof line, "dump --seed 7 --birds 20 --cohesion 1 --from 3 --at-tick 12%s",
             diff_forms[_i]);
    char *dump = diff_file_dump(line);
    json_t *root = diff_file_json("--seed 7 --birds 20 --cohesion 1", dump, 0);
    ck_assert_str_eq(diff_file_text(root, "verdict"), "exact");
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 10);
    ck_assert_int_eq(diff_file_whole(root, "first_equal"), 3);
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 12);
    ck_assert(json_is_null(json_object_get(root, "difference")));
    json_decref(root);
    free(dump);
}
END_TEST

START_TEST(diff_equal_on_every_engine) {
    char *dump = diff_file_dump("dump --isa reference --from 0 --at-tick 40");
    for (size_t i = 0; engine_at(i); i++) {
        char options[64];
        if (!engine_at(i)->runs_here())
            continue;
        snprintf(options, sizeof options, "--isa %s", engine_at(i)->isa);
        json_t *root = diff_file_json(options, dump, 0);
        ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 41);
        ck_assert_str_eq(diff_file_text(json_object_get(root, "engine"), "isa"), engine_at(i)->isa);
        json_decref(root);
    }
    free(dump);
}
END_TEST

START_TEST(diff_reads_standard_input) {
    char *dump = diff_file_dump("dump --birds 10 --at-tick 5");
    struct program program;
    const char *path = diff_file_write(dump, strlen(dump));
    ck_assert_int_eq(dup2(open(path, O_RDONLY), STDIN_FILENO), STDIN_FILENO);
    program_run_line(&program, "susurration", "diff --birds 10 -");
    ck_assert_int_eq(program.code, 0);
    ck_assert_ptr_nonnull(strstr(program.out, "1 ticks, from 5 to 5"));
    program_release(&program);
    diff_file_remove();
    free(dump);
}
END_TEST

/* The golden scene, and ways to write a list that all mean the same. */
static const char *const diff_lists[] = {
    "500 2859c10a10b68472",
    "500,2859C10A10B68472\n",
    "tick,state_hash\n500,2859c10a10b68472\n",
    "state_hash\ttick\n2859c10a10b68472\t500\n",
    "polarization , state_hash , tick\n0.1 , 2859c10a10b68472 , 500\n",
    "\xef\xbb\xbf# ours\r\n\r\n  tick , state_hash\r\n# more\r\n500 , 2859c10a10b68472\r\n\r\n",
    "{\"tick\": 500, \"state_hash\": \"2859c10a10b68472\", \"who\": [1, {}]}",
    "\n{\"at_tick\": 500, \"state_hash\": \"2859c10a10b68472\"}\n\n",
};

START_TEST(diff_tolerates) {
    json_t *root = diff_file_json("", diff_lists[_i], 0);
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 1);
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 500);
    json_decref(root);
}
END_TEST

START_TEST(diff_goes_no_further_than_at_tick) {
    char *dump = diff_file_dump("dump --birds 10 --from 4 --at-tick 9 --hashes");
    json_t *root = diff_file_json("--birds 10 --at-tick 6", dump, 0);
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 6);
    json_decref(root);
    struct program program;
    diff_file_run(&program, "--birds 10 --at-tick 3", dump, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "begins at tick 4, behind --at-tick (3)"));
    program_release(&program);
    free(dump);
}
END_TEST

/* --- different -----------------------------------------------------------------------------------
 */

enum { DIFF_BIRDS = 12, DIFF_TICKS = 4 };
#define DIFF_CLAIM "--birds 12 --seed 9"

/* A dump of ticks 0 to 3, taken apart. */
struct diff_states {
    uint64_t bits[DIFF_TICKS][DIFF_BIRDS][4];
};

static void diff_states_read(struct diff_states *states) {
    char *dump = diff_file_dump("dump " DIFF_CLAIM " --from 0 --at-tick 3"), *at = dump;
    at = strchr(at, '\n') + 1;
    for (int tick = 0; tick < DIFF_TICKS; tick++)
        for (int bird = 0; bird < DIFF_BIRDS; bird++, at = strchr(at, '\n') + 1) {
            uint64_t *bits = states->bits[tick][bird];
            int in_tick, in_bird;
            ck_assert_int_eq(sscanf(at,
                                    "%d,%d,%16" SCNx64 ",%16" SCNx64 ",%16" SCNx64 ",%16" SCNx64,
                                    &in_tick, &in_bird, &bits[0], &bits[1], &bits[2], &bits[3]),
                             6);
            ck_assert(in_tick == tick && in_bird == bird);
        }
    free(dump);
}

/* As text, the birds of each tick from last to first: their order is free. Static. */
static const char *diff_states_text(const struct diff_states *states) {
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof text, "bird,tick,x,y,vx,vy\n");
    for (int tick = 0; tick < DIFF_TICKS; tick++)
        for (int bird = DIFF_BIRDS - 1; bird >= 0; bird--) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d", bird, tick);
            for (int field = 0; field < 4; field++)
                used += (size_t)snprintf(text + used, sizeof text - used, ",0x%016" PRIx64,
                                         states->bits[tick][bird][field]);
            used += (size_t)snprintf(text + used, sizeof text - used, "\n");
        }
    ck_assert_uint_lt(used, sizeof text);
    return text;
}

static const char *const diff_fields[] = {"x", "y", "vx", "vy"};

static void diff_check_bits(const json_t *difference, const char *side, uint64_t bits) {
    char text[17], hex[32];
    double value;
    const json_t *number = json_object_get(difference, side);
    snprintf(text, sizeof text, "%016" PRIx64, bits);
    memcpy(&value, &bits, sizeof value);
    snprintf(hex, sizeof hex, "%a", value);
    ck_assert_str_eq(diff_file_text(number, "bits"), text);
    ck_assert_str_eq(diff_file_text(number, "hex"), hex);
    ck_assert_double_eq(json_real_value(json_object_get(number, "value")), value);
}

START_TEST(diff_one_ulp_in_each_field) {
    struct diff_states states;
    diff_states_read(&states);
    uint64_t *bits = &states.bits[2][7][_i], ours = *bits;
    *bits += _i % 2 ? 1 : UINT64_MAX; /* up or down */
    json_t *root = diff_file_json(DIFF_CLAIM, diff_states_text(&states), 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_str_eq(diff_file_text(root, "verdict"), "mismatch");
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "tick"), 2);
    ck_assert_int_eq(diff_file_whole(difference, "earliest_tick"), 2);
    ck_assert_int_eq(diff_file_whole(difference, "bird"), 7);
    ck_assert_str_eq(diff_file_text(difference, "field"), diff_fields[_i]);
    ck_assert_int_eq(diff_file_whole(difference, "ulps"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "numbers"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "birds"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "line"),
                     2 + 2 * DIFF_BIRDS + (DIFF_BIRDS - 1 - 7));
    diff_check_bits(difference, "ours", ours);
    diff_check_bits(difference, "theirs", *bits);
    json_decref(root);

    struct program program;
    diff_file_run(&program, DIFF_CLAIM, diff_states_text(&states), 1);
    char says[128];
    snprintf(says, sizeof says, "the first difference is at tick 2, bird 7, %s\n", diff_fields[_i]);
    ck_assert_ptr_nonnull(strstr(program.out, says));
    snprintf(says, sizeof says, "  theirs                  %016" PRIx64 "  ", *bits);
    ck_assert_ptr_nonnull(strstr(program.out, says));
    ck_assert_ptr_nonnull(strstr(program.out, "1 ulp\n"));
    ck_assert_ptr_nonnull(strstr(program.out, "1 of 48 numbers, in 1 of 12 birds\n"));
    program_release(&program);
}
END_TEST

START_TEST(diff_names_the_lowest) {
    struct diff_states states;
    diff_states_read(&states);
    states.bits[3][0][0]++; /* a later tick does not count */
    states.bits[1][9][0] += 5;
    states.bits[1][4][3] -= 3;
    states.bits[1][4][1] += 2;
    json_t *root = diff_file_json(DIFF_CLAIM, diff_states_text(&states), 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_int_eq(diff_file_whole(difference, "tick"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "bird"), 4);
    ck_assert_str_eq(diff_file_text(difference, "field"), "y");
    ck_assert_int_eq(diff_file_whole(difference, "ulps"), 2);
    ck_assert_int_eq(diff_file_whole(difference, "numbers"), 3);
    ck_assert_int_eq(diff_file_whole(difference, "birds"), 2);
    json_decref(root);
}
END_TEST

START_TEST(diff_at_the_first_tick_has_nothing_equal) {
    struct diff_states states;
    diff_states_read(&states);
    states.bits[0][0][0] ^= 1;
    json_t *root = diff_file_json(DIFF_CLAIM, diff_states_text(&states), 1);
    ck_assert_int_eq(diff_file_whole(root, "equal_ticks"), 0);
    ck_assert(json_is_null(json_object_get(root, "last_equal")));
    ck_assert_int_eq(diff_file_whole(json_object_get(root, "difference"), "tick"), 0);
    json_decref(root);
}
END_TEST

/* What is no number is a difference like any other, not a bad file. */
static const uint64_t diff_no_numbers[] = {
    UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000001), UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000)};

START_TEST(diff_no_number_differs) {
    struct diff_states states;
    diff_states_read(&states);
    states.bits[1][3][2] = diff_no_numbers[_i];
    json_t *root = diff_file_json(DIFF_CLAIM, diff_states_text(&states), 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_int_eq(diff_file_whole(difference, "bird"), 3);
    ck_assert(json_is_null(json_object_get(difference, "ulps")));
    ck_assert(json_is_null(json_object_get(json_object_get(difference, "theirs"), "value")));
    json_decref(root);
    struct program program;
    diff_file_run(&program, DIFF_CLAIM, diff_states_text(&states), 1);
    ck_assert_ptr_nonnull(strstr(program.out, "no finite number"));
    program_release(&program);
}
END_TEST

START_TEST(diff_other_changes_differ_from_their_tick) {
    char *dump = diff_file_dump("dump --birds 30 --change 10:1,0,0.3 --from 0 --at-tick 20");
    json_t *root = diff_file_json("--birds 30 --change 10:1,0,0.3", dump, 0);
    json_decref(root);
    root = diff_file_json("--birds 30", dump, 1);
    ck_assert_int_eq(diff_file_whole(root, "last_equal"), 10);
    ck_assert_int_eq(diff_file_whole(json_object_get(root, "difference"), "tick"), 11);
    json_decref(root);
    free(dump);
}
END_TEST

/* JSON numbers that a parser of integers would spoil: the sign of 0, and too many digits. */
static const struct {
    const char *text;
    uint64_t bits;
} diff_json_numbers[] = {
    {"-0", UINT64_C(0x8000000000000000)},
    {"-0.0", UINT64_C(0x8000000000000000)},
    {"9007199254740993", UINT64_C(0x4340000000000000)},      /* a tie, to even */
    {"100000000000000000000", UINT64_C(0x4415af1d78b58c40)}, /* 1e20 */
};

START_TEST(diff_json_numbers_are_binary64) {
    char text[1024], theirs[17];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"tick\": 0, \"positions\": [[%s, 2]",
                                   diff_json_numbers[_i].text);
    for (int bird = 1; bird < 10; bird++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", [1, 2]");
    used += (size_t)snprintf(text + used, sizeof text - used, "], \"velocities\": [[3, 2]");
    for (int bird = 1; bird < 10; bird++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", [3, 2]");
    snprintf(text + used, sizeof text - used, "]}");
    json_t *root = diff_file_json("--birds 10", text, 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_str_eq(diff_file_text(difference, "field"), "x");
    snprintf(theirs, sizeof theirs, "%016" PRIx64, diff_json_numbers[_i].bits);
    ck_assert_str_eq(diff_file_text(json_object_get(difference, "theirs"), "bits"), theirs);
    json_decref(root);
}
END_TEST

/* Of JSON the line of the object is told, and which number of it. */
START_TEST(diff_in_json) {
    char *dump = diff_file_dump("dump --birds 10 --from 0 --at-tick 2 --json");
    char *tick_1 = strchr(dump, '\n') + 1;
    char *number = strstr(tick_1, "\"velocities\": [[") + strlen("\"velocities\": [[");
    size_t length = strcspn(number, ",");
    memset(number, ' ', length);
    memcpy(number, "\"nan\"", 5);
    json_t *root = diff_file_json("--birds 10", dump, 1);
    const json_t *difference = json_object_get(root, "difference");
    ck_assert_int_eq(diff_file_whole(difference, "tick"), 1);
    ck_assert_int_eq(diff_file_whole(difference, "line"), 2);
    ck_assert_int_eq(diff_file_whole(difference, "bird"), 0);
    ck_assert_str_eq(diff_file_text(difference, "field"), "vx");
    json_decref(root);
    free(dump);
}
END_TEST

START_TEST(diff_tells_a_difference_before_a_bad_line) {
    struct program program;
    diff_file_run(&program, "", "tick,state_hash\n500,2859c10a10b68473\nrubbish\n", 1);
    ck_assert_ptr_nonnull(strstr(program.out, "that of tick 500"));
    program_release(&program);
    diff_file_run(&program, "", "tick,state_hash\n500,2859c10a10b68472\nrubbish\n", 2);
    ck_assert_str_eq(program.out, "");
    ck_assert_ptr_nonnull(strstr(program.err, ":3: tick takes"));
    program_release(&program);
}
END_TEST

static void add(TCase *tests) {
#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])
    tcase_add_loop_test(tests, diff_equal_in_every_form, 0, COUNT(diff_forms));
    tcase_add_test(tests, diff_equal_on_every_engine);
    tcase_add_test(tests, diff_reads_standard_input);
    tcase_add_loop_test(tests, diff_tolerates, 0, COUNT(diff_lists));
    tcase_add_test(tests, diff_goes_no_further_than_at_tick);
    tcase_add_loop_test(tests, diff_one_ulp_in_each_field, 0, 4);
    tcase_add_test(tests, diff_names_the_lowest);
    tcase_add_test(tests, diff_at_the_first_tick_has_nothing_equal);
    tcase_add_loop_test(tests, diff_no_number_differs, 0, COUNT(diff_no_numbers));
    tcase_add_test(tests, diff_other_changes_differ_from_their_tick);
    tcase_add_loop_test(tests, diff_json_numbers_are_binary64, 0, COUNT(diff_json_numbers));
    tcase_add_test(tests, diff_in_json);
    tcase_add_test(tests, diff_tells_a_difference_before_a_bad_line);
}

int main(void) {
    return suite_run("cli_diff", add, 120);
}
