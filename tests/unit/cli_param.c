/* SPDX-License-Identifier: MIT */
/* The command's small parts: parameters and changes from text, the guess at a mistyped word. */
#include "nearest.h"
#include "output.h"
#include "param.h"
#include "suite.h"

#include <math.h>
#include <string.h>

START_TEST(change_positional) {
    struct sim_change change;
    char why[PARAM_WHY_MAX];
    ck_assert_int_eq(param_change(model_at(MODEL_FLOCK), "7:0.25,.5,1", &change, why), 0);
    ck_assert_uint_eq(change.tick, 7);
    ck_assert_uint_eq(change.set, 1u << 1 | 1u << 2 | 1u << 3);
    ck_assert_double_eq(change.params.value[1], 0.25);
    ck_assert_double_eq(change.params.value[2], 0.5);
    ck_assert_double_eq(change.params.value[3], 1);
}
END_TEST

START_TEST(change_named_sets_only_those) {
    struct sim_change change;
    char why[PARAM_WHY_MAX];
    ck_assert_int_eq(param_change(model_at(MODEL_FLOCK), "0:separation=0.125", &change, why), 0);
    ck_assert_uint_eq(change.set, 1u << 3);
    ck_assert_double_eq(change.params.value[3], 0.125);
}
END_TEST

START_TEST(change_too_long_value) {
    struct sim_change change;
    char why[PARAM_WHY_MAX], text[4096] = "0:";
    memset(text + 2, '1', sizeof text - 3);
    ck_assert_int_eq(param_change(model_at(MODEL_FLOCK), text, &change, why), -1);
    ck_assert_uint_lt(strlen(why), PARAM_WHY_MAX);
}
END_TEST

START_TEST(param_dashes_for_underscores) {
    static const struct model_param param[] = {{.name = "max_speed"}};
    const struct model model = {.param = param, .param_count = 1};
    ck_assert_int_eq(param_find(&model, "max-speed", 9), 0);
    ck_assert_int_eq(param_find(&model, "max_speed", 9), 0);
    ck_assert_int_eq(param_find(&model, "max-spee", 8), -1);
    ck_assert_int_eq(param_find(&model, "maxxspeed", 9), -1);
}
END_TEST

static const struct {
    const char *typed, *meant;
} nearest_cases[] = {
    {"verfy", "verify"},  {"vreify", "verify"}, {"verify", "verify"}, {"swep", "sweep"},
    {"engien", "engine"}, {"cohesion", NULL},   {"", NULL},           {"v", NULL},
    {"sweeep", "sweep"},  {"engin", "engine"},  {"statussss", NULL},
};

START_TEST(nearest_case) {
    static const char *const names[] = {"verify", "sweep", "engine", "status"};
    struct nearest nearest;
    nearest_begin(&nearest, nearest_cases[_i].typed, strlen(nearest_cases[_i].typed));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        nearest_offer(&nearest, names[i]);
    if (nearest_cases[_i].meant)
        ck_assert_str_eq(nearest.best, nearest_cases[_i].meant);
    else
        ck_assert_ptr_null(nearest.best);
}
END_TEST

START_TEST(output_null_distance) {
    struct sim_metrics metrics = {0.5, (double)NAN, 10};
    json_t *map = output_metrics(&metrics);
    ck_assert(json_is_null(json_object_get(map, "mean_neighbor_distance")));
    ck_assert(json_is_real(json_object_get(map, "polarization")));
    json_decref(map);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, change_positional);
    tcase_add_test(tests, change_named_sets_only_those);
    tcase_add_test(tests, change_too_long_value);
    tcase_add_test(tests, param_dashes_for_underscores);
    tcase_add_loop_test(tests, nearest_case, 0, sizeof nearest_cases / sizeof nearest_cases[0]);
    tcase_add_test(tests, output_null_distance);
}

int main(void) {
    return suite_run("cli_param", add, 20);
}
