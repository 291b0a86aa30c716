/* SPDX-License-Identifier: MIT */
/* A held job from its slot to what is delivered of it, with a clock of the test's own. */
#include "work.h"

#include "flock.h"
#include "suite.h"
#include "wire.h"

#include <string.h>

#define MS INT64_C(1000000)

static int64_t now;

/* A tick takes a millisecond, whatever the machine. */
static int64_t clock_of_ticks(void) {
    return now += MS;
}

static const struct work work = {.engine = &engine_reference, .worker = "anna"};
static struct held *held;

/* A job of that kind that has just come. */
static void take(enum job_kind kind) {
    struct queue_entry entry = {.ref = "i1-1", .attempt = 1};
    held = held_new(&entry);
    ck_assert_ptr_nonnull(held);
    job_init(&held->job, kind, &flock_model);
    strcpy(held->job.id, "a");
    held->claimed_ns = now;
}

static void take_step(uint32_t ticks, uint32_t budget_ms) {
    take(JOB_SESSION_STEP);
    held->job.ticks = ticks;
    held->job.budget_ms = budget_ms;
    held->job.params.value[FLOCK_BIRDS] = 10;
    strcpy(held->job.session, "s");
    held->session = mem_zero(1, sizeof *held->session);
    ck_assert_ptr_nonnull(held->session);
    strcpy(held->session->id, "s");
    held->session->start = held->job.params;
    sim_init(&held->session->sim, &flock_model, 1, &held->job.params);
    held->expect_revision = 1;
}

static uint64_t queued_ms; /* of the result that was expected last */

static void expect(enum result_status status, enum fault_code code) {
    struct result result;
    ck_assert_int_eq(held->end, HELD_COMPLETE);
    ck_assert_int_eq(
        wire_decode_result(held->outcome.result.data, held->outcome.result.size, &result), 0);
    ck_assert_str_eq(result.id, "a");
    ck_assert_str_eq(result.worker, "anna");
    ck_assert_int_eq(result.status, status);
    ck_assert_int_eq(result.fault.code, code);
    ck_assert_int_eq(held->status, status);
    queued_ms = result.queued_ms;
    result_release(&result);
}

static void setup(void) {
    now = 1000 * MS;
    held = NULL;
}

static void teardown(void) {
    held_set_state(held, HELD_GONE);
    held_free(held);
}

START_TEST(work_steps_a_session) {
    take_step(10, 100);
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_OK, FAULT_NONE);
    ck_assert_str_eq(held->outcome.session, "s");
    ck_assert_uint_eq(held->outcome.expect_revision, 1);
    ck_assert_uint_eq(held->outcome.tick, 10);
}
END_TEST

START_TEST(work_over_budget_is_rejected) {
    take_step(1000, 100);
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_REJECTED, FAULT_BUDGET_EXCEEDED);
    ck_assert_str_eq(held->outcome.session, "");
}
END_TEST

/* Others changed the session meanwhile, and what is left of the budget is too short to try again.
 */
START_TEST(work_again_over_budget_is_a_conflict) {
    take_step(60, 100);
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_OK, FAULT_NONE);
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_FAILED, FAULT_SESSION_CONFLICT);
    ck_assert_str_eq(held->outcome.session, "");
}
END_TEST

START_TEST(work_again_after_the_budget_is_a_conflict) {
    take_step(60, 100);
    work_run(&work, held, clock_of_ticks);
    now += 100 * MS;
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_FAILED, FAULT_SESSION_CONFLICT);
}
END_TEST

START_TEST(work_late_is_expired) {
    take_step(10, 100);
    held->job.ttl_ms = 50;
    held->queued_ms = 40;
    now += 20 * MS;
    held->fresh = true;
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_EXPIRED, FAULT_EXPIRED);
    ck_assert_uint_eq(queued_ms, 61); /* also the time in the worker's own line */
}
END_TEST

START_TEST(work_cancelled_has_a_result) {
    take_step(10, 100);
    atomic_store(&held->order, HELD_CANCEL);
    work_run(&work, held, clock_of_ticks);
    expect(RESULT_CANCELLED, FAULT_CANCELLED);
}
END_TEST

START_TEST(work_abandoned_is_handed_back) {
    take_step(10, 100);
    atomic_store(&held->order, HELD_ABANDON);
    work_run(&work, held, clock_of_ticks);
    ck_assert_int_eq(held->end, HELD_HAND_BACK);
    ck_assert_uint_eq(held->outcome.result.size, 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, work_steps_a_session);
    tcase_add_test(tests, work_over_budget_is_rejected);
    tcase_add_test(tests, work_again_over_budget_is_a_conflict);
    tcase_add_test(tests, work_again_after_the_budget_is_a_conflict);
    tcase_add_test(tests, work_late_is_expired);
    tcase_add_test(tests, work_cancelled_has_a_result);
    tcase_add_test(tests, work_abandoned_is_handed_back);
}

int main(void) {
    return suite_run("work", add, 20);
}
