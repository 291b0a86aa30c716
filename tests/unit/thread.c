/* SPDX-License-Identifier: MIT */
/* Threads that simulate: their stack where the C library would give them a small one, and how they
 * are scheduled. */
#include "thread.h"

#include "engine_work.h"
#include "slots.h"
#include "suite.h"

#include <sched.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned sum;
static int policy;

/* As much as a run has on its stack, and some more. */
static unsigned fill_stack(unsigned char value) {
    unsigned char bytes[2 * sizeof(struct engine_work)];
    memset(bytes, value, sizeof bytes);
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* all of it is really written */
    return bytes[sizeof bytes / 2];
}

static void *run(void *context) {
    sum += fill_stack(*(unsigned char *)context);
    return NULL;
}

/* What musl does by itself. */
static void setup(void) {
    pthread_attr_t small;
    ck_assert_int_eq(pthread_attr_init(&small), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&small, 128 << 10), 0);
    ck_assert_int_eq(pthread_setattr_default_np(&small), 0);
    ck_assert_int_eq(pthread_attr_destroy(&small), 0);
    sum = 0;
}

START_TEST(thread_has_room_for_a_run) {
    pthread_t thread;
    unsigned char value = 7;
    ck_assert_int_eq(thread_start(&thread, run, &value), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(sum, 7);
}
END_TEST

static void work(void *context, struct held *held) {
    (void)held;
    pthread_mutex_lock(&lock);
    policy = sched_getscheduler(0);
    (void)run(context);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_finished(void *context) {
    (void)context;
}

START_TEST(thread_of_a_slot_has_room_for_a_run) {
    uv_loop_t loop;
    struct slots *slots;
    struct held_line line = {0};
    struct queue_entry entry = {.attempt = 1};
    unsigned char value = 7;
    struct slots_options options = {
        .count = 1, .work = work, .finished = on_finished, .context = &value};
    struct held *held = held_new(&entry);
    ck_assert_ptr_nonnull(held);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(slots_start(&slots, &loop, &options), 0);
    held_set_state(held, HELD_WAITING);
    held_line_add(&line, held);
    slots_give(slots, &line);
    pthread_mutex_lock(&lock);
    while (sum == 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    if (sched_getscheduler(0) == SCHED_OTHER)
        ck_assert_int_eq(policy, SCHED_BATCH);
    slots_stop(slots, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    held_set_state(held, HELD_GONE);
    held_free(held);
}
END_TEST

static void *give_way(void *context) {
    struct sched_param lowest = {.sched_priority = 0};
    ck_assert_int_eq(sched_setscheduler(0, *(int *)context, &lowest), 0);
    thread_give_way();
    *(int *)context = sched_getscheduler(0);
    return NULL;
}

static int policy_after(int before) {
    pthread_t thread;
    ck_assert_int_eq(thread_start(&thread, give_way, &before), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return before;
}

START_TEST(thread_gives_way_unless_told_otherwise) {
    ck_assert_int_eq(policy_after(SCHED_OTHER), SCHED_BATCH);
    ck_assert_int_eq(policy_after(SCHED_BATCH), SCHED_BATCH);
    ck_assert_int_eq(policy_after(SCHED_IDLE), SCHED_IDLE);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, thread_has_room_for_a_run);
    tcase_add_test(tests, thread_of_a_slot_has_room_for_a_run);
    tcase_add_test(tests, thread_gives_way_unless_told_otherwise);
}

int main(void) {
    return suite_run("thread", add, 20);
}
