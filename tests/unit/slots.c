/* SPDX-License-Identifier: MIT */
/* The slots with jobs that do nothing until the test lets them end. */
#include "slots.h"

#include "suite.h"

#include <fenv.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { JOBS_MAX = 64, PATIENCE = 2000 };

static uv_loop_t loop;
static struct slots *slots;
static struct held *job[JOBS_MAX];
static unsigned jobs, told;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool may_end[JOBS_MAX], is_in[JOBS_MAX];

static void work(void *context, struct held *held) {
    (void)context;
    unsigned index = (unsigned)held->entry.seq;
    pthread_mutex_lock(&lock);
    is_in[index] = true;
    pthread_cond_broadcast(&changed);
    while (!may_end[index])
        pthread_cond_wait(&changed, &lock);
    is_in[index] = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_finished(void *context) {
    (void)context;
    told++;
}

static void start(unsigned count) {
    struct slots_options options = {.count = count, .work = work, .finished = on_finished};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(slots_start(&slots, &loop, &options), 0);
}

static bool has_stopped;

static void on_stopped(void *context) {
    *(bool *)context = true;
}

static void stop(void) {
    slots_stop(slots, on_stopped, &has_stopped);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(has_stopped);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    for (unsigned i = 0; i < jobs; i++) {
        held_set_state(job[i], HELD_GONE);
        held_free(job[i]);
    }
}

/* Jobs in that order: "iib" are two interactive ones and one of batch. */
static void give(const char *lanes) {
    struct held_line line = {0};
    for (; *lanes; lanes++, jobs++) {
        struct queue_entry entry = {
            .lane = *lanes == 'b' ? JOB_BATCH : JOB_INTERACTIVE, .seq = jobs, .attempt = 1};
        job[jobs] = held_new(&entry);
        held_set_state(job[jobs], HELD_WAITING);
        held_line_add(&line, job[jobs]);
    }
    slots_give(slots, &line);
    ck_assert_ptr_null(line.first);
}

static void end(unsigned index) {
    pthread_mutex_lock(&lock);
    may_end[index] = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Waits until exactly those jobs run ("0 3"), as the slots count them. */
static void expect_running(const char *want) {
    char got[256];
    struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < PATIENCE; i++) {
        struct slots_counts counts;
        unsigned inside = 0;
        got[0] = '\0';
        pthread_mutex_lock(&lock);
        for (unsigned at = 0; at < jobs; at++)
            if (is_in[at]) {
                (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u",
                               got[0] ? " " : "", at);
                inside++;
            }
        pthread_mutex_unlock(&lock);
        slots_count(slots, &counts);
        if (strcmp(got, want) == 0 &&
            counts.running[JOB_INTERACTIVE] + counts.running[JOB_BATCH] == inside)
            return;
        nanosleep(&pause, NULL);
    }
    ck_abort_msg("\"%s\" run, and not \"%s\"", got, want);
}

static unsigned take_finished(void) {
    struct held_line line = {0};
    unsigned count = 0;
    slots_take_finished(slots, &line);
    for (struct held *held; (held = held_line_take(&line)); count++)
        ck_assert_int_eq(held->state, HELD_FINISHED);
    return count;
}

START_TEST(slots_run_as_many_as_there_are) {
    start(2);
    give("iiii");
    expect_running("0 1");
    end(1);
    expect_running("0 2");
    end(0);
    expect_running("2 3");
    end(2);
    end(3);
    expect_running("");
    uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_ge(told, 1);
    ck_assert_uint_eq(take_finished(), 4);
    ck_assert_uint_eq(take_finished(), 0);
    stop();
}
END_TEST

START_TEST(slots_interactive_goes_first) {
    start(1);
    give("i");
    expect_running("0");
    give("bi");
    end(0);
    expect_running("2");
    end(2);
    expect_running("1");
    end(1);
    expect_running("");
    stop();
}
END_TEST

/* Also where there is always another interactive one in line. */
START_TEST(slots_batch_is_overtaken_seven_times) {
    start(1);
    give("i");
    expect_running("0");
    give("bii");
    for (unsigned i = 0; i < 7; i++) {
        char want[16];
        give("i");
        end(i == 0 ? 0 : i + 1);
        (void)snprintf(want, sizeof want, "%u", i + 2);
        expect_running(want);
    }
    end(8);
    expect_running("1 9"); /* the batch job, and beside it, since it fills the house, the next */
    for (unsigned i = 0; i < jobs; i++)
        end(i);
    expect_running("");
    stop();
}
END_TEST

/* The extra thread: only beside a full house of batch, and only one. */
START_TEST(slots_full_of_batch_have_one_more_for_interactive) {
    start(2);
    give("bbb");
    expect_running("0 1");
    give("ii");
    expect_running("0 1 3");
    end(0); /* the house is no longer full of batch, so the place stays empty */
    expect_running("1 3");
    end(3);
    expect_running("1 4");
    end(4);
    expect_running("1 2");
    end(1);
    end(2);
    expect_running("");
    stop();
}
END_TEST

START_TEST(slots_mixed_have_no_extra_place) {
    start(2);
    give("ib");
    expect_running("0 1");
    give("i");
    expect_running("0 1");
    end(0);
    expect_running("1 2");
    end(1);
    end(2);
    expect_running("");
    stop();
}
END_TEST

static bool is_batch(const struct held *held) {
    return held->entry.lane == JOB_BATCH;
}

START_TEST(slots_give_back_what_waits) {
    struct held_line line = {0};
    struct slots_counts counts;
    start(1);
    give("i");
    expect_running("0");
    give("bibi");
    slots_take_back(slots, is_batch, &line);
    ck_assert_uint_eq(line.count, 2);
    ck_assert_ptr_eq(held_line_take(&line), job[1]);
    ck_assert_ptr_eq(held_line_take(&line), job[3]);
    ck_assert_int_eq(job[1]->state, HELD_WAITING);
    slots_count(slots, &counts);
    ck_assert_uint_eq(counts.waiting[JOB_INTERACTIVE], 2);
    ck_assert_uint_eq(counts.waiting[JOB_BATCH], 0);
    end(0);
    expect_running("2");
    end(2);
    expect_running("4");
    end(4);
    expect_running("");
    stop();
}
END_TEST

START_TEST(slots_stop_leaves_what_waits) {
    start(1);
    give("ii");
    expect_running("0");
    end(0);
    expect_running("1");
    give("i");
    end(1);
    end(2);
    stop();
}
END_TEST

/* A thread inherits the rounding of the one that starts it, and sets it right. */
static void check_arithmetic(void *context, struct held *held) {
    *(int *)context = fegetround();
    work(NULL, held);
}

START_TEST(slots_compute_exactly) {
    int mode = -1;
    struct slots_options options = {
        .count = 1, .work = check_arithmetic, .finished = on_finished, .context = &mode};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(fesetround(FE_UPWARD), 0);
    int code = slots_start(&slots, &loop, &options);
    fesetround(FE_TONEAREST);
    ck_assert_int_eq(code, 0);
    give("i");
    expect_running("0");
    ck_assert_int_eq(mode, FE_TONEAREST);
    end(0);
    expect_running("");
    stop();
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, slots_run_as_many_as_there_are);
    tcase_add_test(tests, slots_interactive_goes_first);
    tcase_add_test(tests, slots_batch_is_overtaken_seven_times);
    tcase_add_test(tests, slots_full_of_batch_have_one_more_for_interactive);
    tcase_add_test(tests, slots_mixed_have_no_extra_place);
    tcase_add_test(tests, slots_give_back_what_waits);
    tcase_add_test(tests, slots_stop_leaves_what_waits);
    tcase_add_test(tests, slots_compute_exactly);
}

int main(void) {
    return suite_run("slots", add, 30);
}
