/* SPDX-License-Identifier: MIT */
/* What a worker says of its own health. */
#include "../../worker/report.h" /* the command has one too */

#include "clock.h"
#include "suite.h"
#include "worker.h"

#include <string.h>

static struct worker worker;
static struct held *held;
static char why[256];

static void setup(void) {
    struct queue_entry entry = {.ref = "i1-1", .attempt = 1};
    memset(&worker, 0, sizeof worker);
    held = held_new(&entry);
    ck_assert_ptr_nonnull(held);
    held_set_state(held, HELD_WAITING);
    held_set_state(held, HELD_RUNNING);
    held_list_add(&worker.list, held);
}

static void teardown(void) {
    held_set_state(held, HELD_FINISHED);
    held_list_drop(&worker.list, held);
}

START_TEST(report_is_healthy_when_a_job_just_begins) {
    ck_assert(report_is_healthy(&worker, why, sizeof why));
}
END_TEST

START_TEST(report_is_healthy_within_the_budget) {
    atomic_store(&held->started_ns, clock_now_ns());
    ck_assert(report_is_healthy(&worker, why, sizeof why));
}
END_TEST

START_TEST(report_is_not_healthy_far_beyond_it) {
    atomic_store(&held->started_ns, clock_now_ns() - 60 * INT64_C(1000000000));
    ck_assert(!report_is_healthy(&worker, why, sizeof why));
    ck_assert_str_eq(why, "job i1-1 runs far beyond its budget");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, report_is_healthy_when_a_job_just_begins);
    tcase_add_test(tests, report_is_healthy_within_the_budget);
    tcase_add_test(tests, report_is_not_healthy_far_beyond_it);
}

int main(void) {
    return suite_run("report", add, 20);
}
