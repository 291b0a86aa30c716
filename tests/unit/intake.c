/* SPDX-License-Identifier: MIT */
/* A worker that slept past its leases is given its own jobs again: they go on, or begin anew alone,
 * and answers to what it had asked before do not end them. Without Redis: answers are made by hand.
 */
#include "intake.h"

#include "beat.h"
#include "recover.h"
#include "suite.h"

#include <hiredis/hiredis.h>
#include <string.h>

static uv_loop_t loop;
static struct slots *slots;
static struct held_list list;
static struct queue queue;
static struct work work = {.worker = "w"};
static struct intake intake;
static struct meter meter;
static struct trouble trouble;
static struct beat beat;
static link_reply_fn *asked; /* the last request's */
static unsigned back;        /* the attempt that was handed back last */

static void on_finished(void *context, struct held *held) {
    (void)context;
    back = held->end == HELD_HAND_BACK ? held->entry.attempt : back;
    held_list_drop(&list, held);
}

static void on_lost(void *context, struct held *held) {
    (void)context;
    intake_lose(&intake, held);
}

static void on_trouble(void *context) {
    (void)context;
}

static void about(void *context, struct mem_buffer *out) {
    (void)context;
    mem_buffer_add(out, "", 1);
}

static void run_nothing(void *context, struct held *held) {
    (void)context;
    (void)held;
}

static int keep(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
                size_t argc, const char *const *argv, const size_t *argv_size) {
    (void)link, (void)context, (void)timeout_ms, (void)argc, (void)argv, (void)argv_size;
    asked = done;
    return 0;
}

static void setup(void) {
    struct slots_options options = {.count = 1, .work = run_nothing, .finished = on_trouble};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(slots_start(&slots, &loop, &options), 0);
    queue_init(&queue, NULL, "main", keep);
    trouble = (struct trouble){.meter = &meter, .missing = on_trouble, .over = on_trouble};
    intake = (struct intake){.queue = &queue,
                             .slots = slots,
                             .work = &work,
                             .list = &list,
                             .trouble = &trouble,
                             .finished = on_finished};
    beat = (struct beat){.queue = &queue,
                         .worker = "w",
                         .list = &list,
                         .meter = &meter,
                         .trouble = &trouble,
                         .every_ms = 1000,
                         .about = about,
                         .lost = on_lost,
                         .resumed = on_trouble,
                         .ready = true};
    beat_init(&beat, &loop);
}

static void teardown(void) {
    while (list.first)
        held_list_drop(&list, list.first);
    beat_close(&beat);
    slots_stop(slots, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    queue_release(&queue);
}

/* {v: 1, kind: "verify", seed: 1, at_tick: 1} */
static const char job[] = "\x84\xa1v\x01\xa4kind\xa6verify\xa4seed\x01\xa7"
                          "at_tick\x01";

static struct held *take_from(enum job_lane lane, unsigned seq, unsigned attempt,
                              enum queue_how how) {
    struct queue_given given = {.how = how, .job = job, .job_size = sizeof job - 1};
    given.entry = (struct queue_entry){.lane = lane, .ms = 7, .seq = seq, .attempt = attempt};
    (void)snprintf(given.entry.ref, sizeof given.entry.ref, "%c7-%u",
                   lane == JOB_INTERACTIVE ? 'i' : 'b', seq);
    intake_take(&intake, &given, 1000, 1);
    return held_list_find(&list, given.entry.ref);
}

static struct held *take(unsigned seq, unsigned attempt, enum queue_how how) {
    return take_from(JOB_INTERACTIVE, seq, attempt, how);
}

START_TEST(intake_goes_on_with_its_own) {
    struct held *held = take(1, 1, QUEUE_NEXT);
    ck_assert_ptr_eq(take(1, 1, QUEUE_RUN), held); /* it had not begun: no loss, no new attempt */
    ck_assert_uint_eq(list.count, 1);
    (void)take(2, 1, QUEUE_RUN);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_ptr_eq(take(1, 2, QUEUE_RUN), held);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(held->entry.attempt, 2);
    (void)take(3, 1, QUEUE_RUN);
    ck_assert_uint_eq(list.count, 3);
}
END_TEST

/* A suspect: it may be what runs beside it that kills workers, or it itself. */
START_TEST(intake_begins_anew_what_is_to_run_alone) {
    struct held *held = take(1, 1, QUEUE_RUN);
    (void)take(2, 1, QUEUE_RUN);
    (void)take(1, 2, QUEUE_ALONE);
    ck_assert_uint_eq(list.count, 3);
    ck_assert(held->fenced_out);
    ck_assert_int_eq(atomic_load(&held->order), HELD_ABANDON);
    ck_assert_str_eq(list.last->entry.ref, "i7-1");
    ck_assert_ptr_eq(intake.alone, list.last);
    ck_assert(list.last->alone);
}
END_TEST

/* What is finished is not gone: where its session has changed meanwhile, it runs once more. */
START_TEST(intake_alone_waits_until_nothing_is_held) {
    struct held *held = take(1, 1, QUEUE_RUN);
    struct held *alone = take(2, 2, QUEUE_ALONE);
    held_line_take(&intake.ready);
    held_set_state(held, HELD_FINISHED);
    intake_settle(&intake, 1);
    held_set_state(held, HELD_SENT);
    intake_settle(&intake, 1);
    ck_assert_int_eq(alone->declare, HELD_DECLARE_NO);
    held_list_drop(&list, held);
    intake_settle(&intake, 1);
    ck_assert_int_eq(alone->declare, HELD_DECLARE_WANTED);
}
END_TEST

START_TEST(intake_takes_what_it_gave_up_as_new) {
    struct held *held = take(1, 1, QUEUE_RUN);
    held->fenced_out = true;
    (void)take(1, 2, QUEUE_RUN);
    ck_assert_uint_eq(list.count, 2);
}
END_TEST

static redisReply *lost(redisReply reply[4], const char *ref) {
    static redisReply *items[3];
    reply[1] = (redisReply){.type = REDIS_REPLY_INTEGER, .integer = 1};
    reply[2] =
        (redisReply){.type = REDIS_REPLY_STRING, .str = (char *)(uintptr_t)ref, .len = strlen(ref)};
    reply[3] =
        (redisReply){.type = REDIS_REPLY_STRING, .str = (char *)(uintptr_t) "lost", .len = 4};
    for (int i = 0; i < 3; i++)
        items[i] = &reply[i + 1];
    reply[0] = (redisReply){.type = REDIS_REPLY_ARRAY, .elements = 3, .element = items};
    return reply;
}

START_TEST(intake_is_not_misled_by_an_old_beat) {
    redisReply reply[4];
    struct held *held = take(1, 1, QUEUE_RUN);
    beat_now(&beat);
    (void)take(1, 2, QUEUE_RUN); /* the claim that was asked before the beat */
    asked(&beat, (const struct link_reply *)lost(reply, "i7-1"));
    ck_assert(!held->fenced_out);
    beat_now(&beat);
    asked(&beat, (const struct link_reply *)lost(reply, "i7-1"));
    ck_assert(held->fenced_out);
}
END_TEST

/* Or Redis would answer `lost` for the ref, and the one that counts would be taken for it. */
START_TEST(intake_beats_for_the_one_that_counts) {
    redisReply reply[4];
    (void)take(1, 1, QUEUE_RUN);
    (void)take(1, 2, QUEUE_ALONE);
    beat_now(&beat);
    ck_assert_uint_eq(list.first->beat_attempt, 0);
    ck_assert_uint_eq(list.last->beat_attempt, 2);
    asked(&beat, (const struct link_reply *)lost(reply, "i7-9"));
    ck_assert(!list.last->fenced_out);
}
END_TEST

START_TEST(intake_has_a_beat_ahead_of_a_look) {
    redisReply reply[4];
    asked = NULL;
    ck_assert(beat_ahead(&beat));
    ck_assert(asked);
    ck_assert(!beat_ahead(&beat)); /* under way */
    asked(&beat, (const struct link_reply *)lost(reply, "i9-1"));
    asked = NULL;
    ck_assert(beat_ahead(&beat));
    ck_assert(asked);
}
END_TEST

/* What Redis says that the worker has: this entry of batch. */
static unsigned recovered(const char *ref_id, long long attempt) {
    redisReply field[4] = {
        {.type = REDIS_REPLY_STRING, .str = (char *)(uintptr_t)ref_id, .len = strlen(ref_id)},
        {.type = REDIS_REPLY_STRING, .str = (char *)(uintptr_t) "w", .len = 1},
        {.type = REDIS_REPLY_INTEGER, .integer = 1},
        {.type = REDIS_REPLY_INTEGER, .integer = attempt}};
    redisReply *fields[] = {&field[0], &field[1], &field[2], &field[3]};
    redisReply row = {.type = REDIS_REPLY_ARRAY, .elements = 4, .element = fields},
               *rows[] = {&row};
    redisReply reply = {.type = REDIS_REPLY_ARRAY, .elements = 1, .element = rows};
    struct recover recover = {.queue = &queue, .worker = "w", .list = &list, .intake = &intake};
    back = 0;
    recover_begin(&recover);
    asked(&recover, (const struct link_reply *)&reply);
    return back;
}

/* The answer that would have brought the second attempt was lost, while the first was still in its
 * slot. */
START_TEST(intake_recovers_beside_a_run_that_was_lost) {
    struct held *held = take_from(JOB_BATCH, 1, 1, QUEUE_RUN);
    ck_assert_uint_eq(recovered("7-2", 1), 1);
    ck_assert_uint_eq(recovered("7-1", 1), 0);
    ck_assert_uint_eq(recovered("7-1", 2), 2);
    held->fenced_out = true;
    ck_assert_uint_eq(recovered("7-1", 1), 1);
    ck_assert_uint_eq(list.count, 1);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, intake_goes_on_with_its_own);
    tcase_add_test(tests, intake_begins_anew_what_is_to_run_alone);
    tcase_add_test(tests, intake_alone_waits_until_nothing_is_held);
    tcase_add_test(tests, intake_takes_what_it_gave_up_as_new);
    tcase_add_test(tests, intake_is_not_misled_by_an_old_beat);
    tcase_add_test(tests, intake_beats_for_the_one_that_counts);
    tcase_add_test(tests, intake_has_a_beat_ahead_of_a_look);
    tcase_add_test(tests, intake_recovers_beside_a_run_that_was_lost);
}

int main(void) {
    return suite_run("intake", add, 20);
}
