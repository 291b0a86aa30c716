/* SPDX-License-Identifier: MIT */
/* The end of a worker with slots of its own and no Redis: what is told to jobs, and when it is
 * over. */
#include "drain.h"

#include "suite.h"

#define S INT64_C(1000000000)

static uv_loop_t loop;
static struct slots *slots;
static struct held_list list;
static struct intake intake;
static struct claim claim;
static struct drain drain;

static void idle(void *context) {
    (void)context;
}

static void run_nothing(void *context, struct held *held) {
    (void)context;
    (void)held;
}

static void setup(void) {
    struct slots_options options = {.count = 1, .work = run_nothing, .finished = idle};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(slots_start(&slots, &loop, &options), 0);
    list = (struct held_list){0};
    intake = (struct intake){.slots = slots, .list = &list};
    claim = (struct claim){.list = &list};
    drain = (struct drain){.list = &list, .intake = &intake, .claim = &claim};
    drain_init(&drain, &loop);
}

static void teardown(void) {
    while (list.first)
        held_list_drop(&list, list.first);
    drain_close(&drain);
    slots_stop(slots, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* A job that is in a slot, as far as the drain can see. */
static struct held *begin_run(void) {
    struct queue_entry entry = {.ref = "i1-1", .attempt = 1};
    struct held *held = held_new(&entry);
    ck_assert_ptr_nonnull(held);
    held_set_state(held, HELD_WAITING);
    held_set_state(held, HELD_RUNNING);
    held_list_add(&list, held);
    return held;
}

static void end_run(struct held *held) {
    held_set_state(held, HELD_FINISHED);
}

START_TEST(drain_lets_run_for_its_patience) {
    struct held *held = begin_run();
    drain_begin(&drain, 0, 5);
    ck_assert(!drain_settle(&drain, 5 * S - 1, true));
    ck_assert_int_eq(atomic_load(&held->order), HELD_GO_ON);
    ck_assert(!drain_settle(&drain, 5 * S, true));
    ck_assert_int_eq(atomic_load(&held->order), HELD_ABANDON);
    end_run(held);
}
END_TEST

START_TEST(drain_in_a_hurry_has_no_patience) {
    struct held *held = begin_run();
    drain_begin(&drain, 0, 5);
    drain_hurry(&drain, S);
    ck_assert(!drain_settle(&drain, S, true));
    ck_assert_int_eq(atomic_load(&held->order), HELD_ABANDON);
    end_run(held);
}
END_TEST

/* Its session was still being read when the patience ended. */
START_TEST(drain_stops_what_begins_after_its_patience) {
    drain_begin(&drain, 0, 0);
    struct held *held = begin_run();
    end_run(held);
    ck_assert(!drain_settle(&drain, 0, true));
    struct held *late = begin_run();
    ck_assert(!drain_settle(&drain, 1, true));
    ck_assert_int_eq(atomic_load(&late->order), HELD_ABANDON);
    end_run(late);
}
END_TEST

START_TEST(drain_is_over_when_time_is_up) {
    struct held *held = begin_run();
    drain_begin(&drain, 0, 5);
    ck_assert(!drain_settle(&drain, 7 * S - 1, true));
    ck_assert(drain_settle(&drain, 7 * S, true));
    end_run(held);
}
END_TEST

START_TEST(drain_without_jobs_and_redis_is_over_at_once) {
    drain_begin(&drain, 0, 5);
    ck_assert(drain_settle(&drain, 0, false));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, drain_lets_run_for_its_patience);
    tcase_add_test(tests, drain_in_a_hurry_has_no_patience);
    tcase_add_test(tests, drain_stops_what_begins_after_its_patience);
    tcase_add_test(tests, drain_is_over_when_time_is_up);
    tcase_add_test(tests, drain_without_jobs_and_redis_is_over_at_once);
}

int main(void) {
    return suite_run("drain", add, 20);
}
