/* SPDX-License-Identifier: MIT */
/* `susurration verify` and `engine` as scripts call them: the JSON they print, the exit codes. */
#include "program.h"
#include "suite.h"

#include <jansson.h>
#include <string.h>

/* Runs the line, checks the exit code, and gives the JSON on standard output. */
static json_t *verify_json(const char *line, int code) {
    struct program program;
    json_error_t error;
    program_run_line(&program, "susurration", line);
    ck_assert_msg(program.code == code, "%s: exit %d, expected %d: %s", line, program.code, code,
                  program.err);
    json_t *root = json_loads(program.out, 0, &error);
    ck_assert_msg(root != NULL, "%s: %s in %s", line, error.text, program.out);
    program_release(&program);
    return root;
}

static const char *verify_text(const json_t *root, const char *key) {
    const char *text = json_string_value(json_object_get(root, key));
    ck_assert_msg(text != NULL, "%s is no text", key);
    return text;
}

static long long verify_whole(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    ck_assert_msg(json_is_integer(value), "%s is no whole number", key);
    return json_integer_value(value);
}

static double verify_real(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    ck_assert_msg(json_is_real(value), "%s is no real", key);
    return json_real_value(value);
}

START_TEST(verify_contract_fields) {
    json_t *root = verify_json("verify --seed 42 --birds 120 --cohesion 0.5 --alignment 0.5 "
                               "--separation 0.5 --at-tick 500 --json",
                               0);
    ck_assert_str_eq(verify_text(root, "status"), "ok");
    ck_assert_int_eq(verify_whole(root, "seed"), 42);
    ck_assert_int_eq(verify_whole(root, "birds"), 120);
    ck_assert_int_eq(verify_whole(root, "at_tick"), 500);
    const json_t *metrics = json_object_get(root, "metrics");
    /* No four decimals: in full precision, as the reference engine gives them. */
    ck_assert_double_eq(verify_real(metrics, "polarization"), 0.7865662947490907);
    ck_assert_int_eq(verify_whole(metrics, "cluster_count"), 4);
    ck_assert_double_eq(verify_real(metrics, "mean_neighbor_distance"), 16.34378065825398);
    ck_assert_str_eq(verify_text(root, "state_hash"), "2859c10a10b68472");
    ck_assert_double_gt(verify_real(root, "run_ms"), 0);
    const json_t *engine = json_object_get(root, "engine");
    ck_assert_str_eq(verify_text(engine, "version"), SUSURRATION_VERSION);
    ck_assert_uint_gt(strlen(verify_text(engine, "isa")), 0);
    ck_assert_ptr_null(json_object_get(root, "verdict"));
    ck_assert_ptr_null(json_object_get(root, "error"));
    json_decref(root);
}
END_TEST

START_TEST(verify_defaults_are_the_contract) {
    json_t *given = verify_json("verify --seed 42 --birds 120 --cohesion 0.5 --alignment 0.5 "
                                "--separation 0.5 --at-tick 500 --model flock --json",
                                0);
    json_t *plain = verify_json("verify --json", 0);
    json_object_del(given, "run_ms");
    json_object_del(plain, "run_ms");
    ck_assert(json_equal(given, plain));
    json_decref(given);
    json_decref(plain);
}
END_TEST

/* Two ways to write one claim. */
static const char *const verify_same[][2] = {
    {"--cohesion .5 --separation 5e-05", "--cohesion 0.50 --separation 0.00005"},
    {"--birds 1e1 --seed 7.0", "--birds 10 --seed 7"},
    {"--param birds=20 --param cohesion=1", "--birds=20 --cohesion=1"},
    {"--birds 30 --birds 20", "--birds 20"},
    {"--change 10:0.1,0.2,0.3", "--change 10:separation=0.3,cohesion=.1,alignment=2e-1"},
    {"--change 10:1,1,1 --change 10:0,0,0", "--change 10:0,0,0"},
    {"--change 10:cohesion=0.9", "--change 10:.9,.5,.5"},
};

START_TEST(verify_same_claim) {
    char line[256];
    const char *hash[2];
    json_t *root[2];
    for (int side = 0; side < 2; side++) {
        snprintf(line, sizeof line, "verify --at-tick 50 --json %s", verify_same[_i][side]);
        root[side] = verify_json(line, 0);
        hash[side] = verify_text(root[side], "state_hash");
    }
    ck_assert_str_eq(hash[0], hash[1]);
    json_decref(root[0]);
    json_decref(root[1]);
}
END_TEST

START_TEST(verify_change_counts_from_its_tick) {
    json_t *at_last = verify_json("verify --at-tick 50 --change 49:0,0,0 --json", 0);
    json_t *without = verify_json("verify --at-tick 50 --json", 0);
    json_t *at_first = verify_json("verify --at-tick 50 --change 0:0,0,0 --json", 0);
    json_t *from_start =
        verify_json("verify --at-tick 50 --cohesion 0 --alignment 0 --separation 0 --json", 0);
    ck_assert_str_ne(verify_text(at_last, "state_hash"), verify_text(without, "state_hash"));
    ck_assert_str_eq(verify_text(at_first, "state_hash"), verify_text(from_start, "state_hash"));
    json_decref(at_last);
    json_decref(without);
    json_decref(at_first);
    json_decref(from_start);
}
END_TEST

static const struct {
    const char *claim, *verdict;
    int code;
} verify_verdicts[] = {
    {"--at-tick 500 --claim-hash 2859c10a10b68472", "exact", 0},
    {"--at-tick 500 --claim-hash 2859C10A10B68472", "exact", 0},
    {"--at-tick 500 --claim-hash 2859c10a10b68473", "mismatch", 1},
    {"--at-tick 200 --claim-polarization P --claim-clusters C --claim-distance D", "match", 0},
    {"--at-tick 200 --claim-polarization P --claim-clusters 119 --claim-distance D", "mismatch", 1},
    {"--at-tick 200 --claim-polarization P --claim-clusters C --claim-distance null", "mismatch",
     1},
    {"--at-tick 201 --claim-polarization 1 --claim-clusters 119 --claim-distance 1", "indicative",
     0},
};

START_TEST(verify_verdict) {
    char line[256] = "verify --json", number[32];
    size_t used = strlen(line);
    json_t *ours = verify_json("verify --at-tick 200 --json", 0);
    const json_t *metrics = json_object_get(ours, "metrics");
    char *copy = strdup(verify_verdicts[_i].claim), *rest = copy;
    for (char *word; (word = strsep(&rest, " "));) {
        if (strcmp(word, "P") == 0 || strcmp(word, "D") == 0)
            snprintf(
                number, sizeof number, "%.6g",
                verify_real(metrics, *word == 'P' ? "polarization" : "mean_neighbor_distance"));
        else if (strcmp(word, "C") == 0)
            snprintf(number, sizeof number, "%lld", verify_whole(metrics, "cluster_count"));
        else
            snprintf(number, sizeof number, "%s", word);
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", number);
    }
    json_t *root = verify_json(line, verify_verdicts[_i].code);
    ck_assert_str_eq(verify_text(root, "verdict"), verify_verdicts[_i].verdict);
    ck_assert_str_eq(verify_text(root, "status"), "ok");
    free(copy);
    json_decref(root);
    json_decref(ours);
}
END_TEST

START_TEST(verify_checkpoints_every_thousand) {
    json_t *root = verify_json("verify --birds 10 --at-tick 2500 --checkpoints --json", 0);
    json_t *half = verify_json("verify --birds 10 --at-tick 1000 --json", 0);
    const json_t *list = json_object_get(root, "checkpoints");
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_str_eq(json_string_value(json_array_get(list, 0)), verify_text(half, "state_hash"));
    json_decref(root);
    json_decref(half);
}
END_TEST

START_TEST(verify_budget_exceeded) {
    json_t *root =
        verify_json("verify --birds 400 --at-tick 20000 --budget-ms 1 --cohesion 1 --json", 1);
    ck_assert_str_eq(verify_text(root, "status"), "rejected");
    ck_assert_int_eq(verify_whole(root, "at_tick"), 20000);
    ck_assert(json_is_null(json_object_get(root, "metrics")));
    ck_assert(json_is_null(json_object_get(root, "state_hash")));
    const json_t *error = json_object_get(root, "error");
    ck_assert_str_eq(verify_text(error, "code"), "budget_exceeded");
    ck_assert_str_eq(verify_text(error, "field"), "at_tick");
    ck_assert_int_lt(verify_whole(error, "fits"), 20000);
    ck_assert_ptr_nonnull(verify_text(error, "advice"));
    json_decref(root);
}
END_TEST

START_TEST(engine_fields) {
    json_t *root = verify_json("engine --birds 50 --ticks 100 --seed 3 --json", 0);
    json_t *claim = verify_json("verify --birds 50 --at-tick 100 --seed 3 --json", 0);
    ck_assert_int_eq(verify_whole(root, "birds"), 50);
    ck_assert_int_eq(verify_whole(root, "ticks"), 100);
    ck_assert_uint_gt(strlen(verify_text(root, "isa")), 0);
    ck_assert_double_gt(verify_real(root, "ticks_per_second"), 0);
    ck_assert_str_eq(verify_text(root, "state_hash"), verify_text(claim, "state_hash"));
    json_decref(root);
    json_decref(claim);
}
END_TEST

START_TEST(engine_reference) {
    json_t *root = verify_json("engine --reference --ticks 10 --json", 0);
    ck_assert_str_eq(verify_text(root, "isa"), "reference");
    json_decref(root);
}
END_TEST

START_TEST(engine_refuses_an_unknown_isa) {
    const char *const env[] = {"SUSURRATION_ISA=mmx", NULL};
    const char *const args[] = {"verify", "--json", NULL};
    struct program program;
    program_run(&program, "susurration", args, env);
    ck_assert_int_eq(program.code, 2);
    ck_assert_str_eq(program.out, "");
    ck_assert_ptr_nonnull(strstr(program.err, "'mmx'"));
    program_release(&program);

    program_run_line(&program, "susurration", "engine --isa mmx --ticks 1");
    ck_assert_int_eq(program.code, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "'mmx'"));
    program_release(&program);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, verify_contract_fields);
    tcase_add_test(tests, verify_defaults_are_the_contract);
    tcase_add_loop_test(tests, verify_same_claim, 0, sizeof verify_same / sizeof verify_same[0]);
    tcase_add_test(tests, verify_change_counts_from_its_tick);
    tcase_add_loop_test(tests, verify_verdict, 0,
                        sizeof verify_verdicts / sizeof verify_verdicts[0]);
    tcase_add_test(tests, verify_checkpoints_every_thousand);
    tcase_add_test(tests, verify_budget_exceeded);
    tcase_add_test(tests, engine_fields);
    tcase_add_test(tests, engine_reference);
    tcase_add_test(tests, engine_refuses_an_unknown_isa);
}

int main(void) {
    return suite_run("cli_verify", add, 120);
}
