/* SPDX-License-Identifier: MIT */
#include "life.h"

#include "suite.h"

#include <signal.h>

static struct life life;
static int changes;

static void changed(void *context) {
    ck_assert_ptr_eq(context, &life);
    changes++;
}

static void fresh(void) {
    life = (struct life){.changed = changed, .context = &life};
    changes = 0;
}

START_TEST(life_runs_once_ready) {
    fresh();
    ck_assert(!life_takes_jobs(&life));
    life_ready(&life);
    ck_assert_int_eq(life.state, LIFE_RUNNING);
    ck_assert(life_takes_jobs(&life));
    life_ready(&life);
    ck_assert_int_eq(changes, 1);
}
END_TEST

START_TEST(life_quiet_and_back) {
    fresh();
    life_ready(&life);
    life_signal(&life, SIGTSTP);
    ck_assert_int_eq(life.state, LIFE_QUIET);
    ck_assert(!life_takes_jobs(&life));
    life_signal(&life, SIGTSTP);
    ck_assert_int_eq(life.state, LIFE_QUIET);
    life_signal(&life, SIGCONT);
    ck_assert_int_eq(life.state, LIFE_RUNNING);
    life_signal(&life, SIGCONT);
    ck_assert_int_eq(changes, 3);
}
END_TEST

START_TEST(life_quiet_before_ready_is_remembered) {
    fresh();
    life_signal(&life, SIGTSTP);
    ck_assert_int_eq(life.state, LIFE_STARTING);
    life_ready(&life);
    ck_assert_int_eq(life.state, LIFE_QUIET);
    fresh();
    life_signal(&life, SIGTSTP);
    life_signal(&life, SIGCONT);
    life_ready(&life);
    ck_assert_int_eq(life.state, LIFE_RUNNING);
}
END_TEST

/* From STARTING, RUNNING and QUIET, by either signal. */
START_TEST(life_ends_from_anywhere) {
    int number = _i % 2 ? SIGINT : SIGTERM;
    fresh();
    if (_i >= 2)
        life_ready(&life);
    if (_i >= 4)
        life_signal(&life, SIGTSTP);
    life_signal(&life, number);
    ck_assert_int_eq(life.state, LIFE_DRAINING);
    ck_assert(!life.hurry);
    life_signal(&life, SIGCONT);
    life_ready(&life);
    ck_assert_int_eq(life.state, LIFE_DRAINING);
    life_signal(&life, number);
    ck_assert(life.hurry);
    int before = changes;
    life_signal(&life, number);
    ck_assert_int_eq(changes, before);
    life_set_state(&life, LIFE_GONE);
    life_signal(&life, number);
    ck_assert_int_eq(life.state, LIFE_GONE);
}
END_TEST

START_TEST(life_other_signals_mean_nothing) {
    fresh();
    life_ready(&life);
    life_signal(&life, SIGHUP);
    ck_assert_int_eq(life.state, LIFE_RUNNING);
    ck_assert_int_eq(changes, 1);
}
END_TEST

START_TEST(life_asserts_its_arrows) {
    fresh();
    life_set_state(&life, LIFE_GONE); /* not without draining */
}
END_TEST

START_TEST(life_names_are_told) {
    ck_assert_str_eq(life_name(LIFE_STARTING), "starting");
    ck_assert_str_eq(life_name(LIFE_GONE), "gone");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, life_runs_once_ready);
    tcase_add_test(tests, life_quiet_and_back);
    tcase_add_test(tests, life_quiet_before_ready_is_remembered);
    tcase_add_loop_test(tests, life_ends_from_anywhere, 0, 6);
    tcase_add_test(tests, life_other_signals_mean_nothing);
    tcase_add_test_raise_signal(tests, life_asserts_its_arrows, SIGABRT);
    tcase_add_test(tests, life_names_are_told);
}

int main(void) {
    return suite_run("life", add, 10);
}
