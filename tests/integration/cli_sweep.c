/* SPDX-License-Identifier: MIT */
/* `susurration sweep` in one process: the file that comes out. */
#include "program.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char sweep_header[] =
    "seed,birds,cohesion,alignment,separation,ticks,polarization,cluster_count,"
    "mean_neighbor_distance,state_hash\n";

static char *sweep_out(struct program *program, const char *line) {
    program_run_line(program, "susurration", line);
    ck_assert_msg(program->code == 0, "%s: exit %d: %s", line, program->code, program->err);
    return program->out;
}

START_TEST(sweep_rows_in_seed_order) {
    struct program program;
    char *rest = sweep_out(&program, "sweep --seeds 4294967200..4294967295 --birds 400 --ticks 1 "
                                     "--threads 5");
    ck_assert_int_eq(strncmp(rest, sweep_header, strlen(sweep_header)), 0);
    rest += strlen(sweep_header);
    unsigned expected = 4294967200u, count = 0;
    for (char *row; (row = strsep(&rest, "\n")) && *row; count++) {
        unsigned seed, birds, ticks;
        double cohesion, alignment, separation;
        ck_assert_int_eq(sscanf(row, "%u,%u,%lf,%lf,%lf,%u,", &seed, &birds, &cohesion, &alignment,
                                &separation, &ticks),
                         6);
        ck_assert_uint_eq(seed, expected++);
        ck_assert_uint_eq(birds, 400);
        ck_assert_uint_eq(ticks, 1);
        ck_assert(cohesion == 0.5 && alignment == 0.5 && separation == 0.5);
    }
    ck_assert_uint_eq(count, 96);
    program_release(&program);
}
END_TEST

START_TEST(sweep_row_is_what_verify_says) {
    struct program sweep, verify;
    const char *row = sweep_out(&sweep, "sweep --seeds 42..42 --ticks 500") + strlen(sweep_header);
    ck_assert_str_eq(row, "42,120,0.5,0.5,0.5,500,0.7865662947490907,4,16.34378065825398,"
                          "2859c10a10b68472\n");
    const char *changed = sweep_out(&verify, "verify --seed 9 --cohesion .25 --birds 30 --at-tick "
                                             "60 --change 20:0,0,1 --json");
    char hash[17];
    ck_assert_int_eq(sscanf(strstr(changed, "\"state_hash\""), "\"state_hash\": \"%16s", hash), 1);
    program_release(&sweep);
    sweep_out(&sweep, "sweep --seeds 9 --cohesion .25 --birds 30 --ticks 60 --change 20:0,0,1");
    ck_assert_ptr_nonnull(strstr(sweep.out, hash));
    program_release(&sweep);
    program_release(&verify);
}
END_TEST

START_TEST(sweep_same_for_any_number_of_threads) {
    struct program one, many;
    sweep_out(&one, "sweep --seeds 0..199 --birds 60 --ticks 7 --threads 1");
    sweep_out(&many, "sweep --seeds 0..199 --birds 60 --ticks 7 --threads 9");
    ck_assert_str_eq(one.out, many.out);
    program_release(&one);
    program_release(&many);
}
END_TEST

START_TEST(sweep_more_chunks_than_the_window) {
    struct program program;
    const char *rest =
        sweep_out(&program, "sweep --seeds 0..69999 --birds 10 --ticks 1 --threads 3");
    unsigned rows = 0;
    for (; (rest = strchr(rest, '\n')); rest++)
        rows++;
    ck_assert_uint_eq(rows, 70001);
    program_release(&program);
}
END_TEST

START_TEST(sweep_to_a_file) {
    char path[] = "/tmp/susurration-sweep-XXXXXX", line[128], text[sizeof sweep_header];
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    struct program program;
    snprintf(line, sizeof line, "sweep --seeds 0..3 --ticks 1 --out %s --json", path);
    sweep_out(&program, line);
    ck_assert_ptr_nonnull(strstr(program.out, "\"seeds\": 4"));
    ck_assert_int_eq(read(file, text, sizeof text - 1), (int)sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_str_eq(text, sweep_header);
    program_release(&program);
    close(file);
    unlink(path);
}
END_TEST

START_TEST(sweep_cannot_write) {
    static const char *const lines[] = {"sweep --seeds 0..3 --ticks 1 --out /dev/full",
                                        "sweep --seeds 0..3 --ticks 1 --out /nowhere/at/all"};
    for (size_t i = 0; i < 2; i++) {
        struct program program;
        program_run_line(&program, "susurration", lines[i]);
        ck_assert_int_eq(program.code, 3);
        ck_assert_ptr_nonnull(strstr(program.err, "cannot write /"));
        program_release(&program);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, sweep_rows_in_seed_order);
    tcase_add_test(tests, sweep_row_is_what_verify_says);
    tcase_add_test(tests, sweep_same_for_any_number_of_threads);
    tcase_add_test(tests, sweep_more_chunks_than_the_window);
    tcase_add_test(tests, sweep_to_a_file);
    tcase_add_test(tests, sweep_cannot_write);
}

int main(void) {
    return suite_run("cli_sweep", add, 120);
}
