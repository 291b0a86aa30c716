/* SPDX-License-Identifier: MIT */
/*
 * Every request to a queue with every allocation failing in turn, alone and with all later ones:
 * it says so and sends nothing, and the same queue then sends the whole of it.
 */
#include "queue_load.h"
#include "queue_work.h"

#include "suite.h"

#include <string.h>

#define MOST 200u /* allocations of one request */

static struct queue queue;
static struct mem_buffer sent, expected;
static unsigned sends;

/* In place of link_send: keeps the arguments, each with its end. */
static int keep(struct link *link, link_reply_fn *done, void *context, unsigned timeout_ms,
                size_t argc, const char *const *argv, const size_t *argv_size) {
    (void)link;
    (void)done;
    (void)context;
    (void)timeout_ms;
    sends++;
    for (size_t i = 0; i < argc; i++) {
        mem_buffer_add(&sent, argv[i], argv_size ? argv_size[i] : strlen(argv[i]));
        mem_buffer_add(&sent, "\n", 1);
    }
    return 0;
}

static const struct queue_entry entry[] = {
    {.lane = JOB_INTERACTIVE, .ref = "i1-0", .ms = 1, .attempt = 1},
    {.lane = JOB_BATCH, .ref = "b1-0", .ms = 1, .attempt = 2},
};

static int ask_enqueue(void) {
    const struct queue_job job[] = {{"a", "bytes", 5}, {"", "more", 4}};
    return queue_enqueue(&queue, JOB_BATCH, job, 2, NULL, NULL);
}

static int ask_find(void) {
    return queue_find(&queue, "a", NULL, NULL);
}

static int ask_cancel(void) {
    return queue_cancel(&queue, "a", NULL, NULL);
}

static int ask_result(void) {
    return queue_result(&queue, "a", NULL, NULL);
}

static int ask_wait(void) {
    return queue_wait(&queue, "a", 1000, NULL, NULL);
}

static int ask_session(void) {
    return queue_session(&queue, "s", NULL, NULL);
}

static int ask_touch(void) {
    return queue_touch(&queue, "s", NULL, NULL);
}

static int ask_ring(void) {
    return queue_ring(&queue, "s", 0, 24, NULL, NULL);
}

static int ask_traces(void) {
    return queue_traces(&queue, 0, 10, NULL, NULL);
}

static int ask_version(void) {
    return queue_version(&queue, NULL, NULL);
}

static int ask_status(void) {
    return queue_status(&queue, NULL, NULL);
}

static int ask_bury(void) {
    return queue_bury(&queue, "i1-0", "why", NULL, NULL);
}

static int ask_requeue(void) {
    static const char *const id[] = {"1-0", "2-0"};
    return queue_requeue(&queue, id, 2, NULL, NULL);
}

static int ask_configure(void) {
    return queue_configure(&queue, "paused", "1", NULL, NULL);
}

static int ask_load(void) {
    return queue_load(&queue, true, NULL, NULL);
}

static int ask_claim(void) {
    struct queue_claim claim = {.worker = "w",
                                .slots = 2,
                                .lease_ms = 15000,
                                .adopt = {&entry[0], &entry[1]},
                                .adopt_count = 2};
    return queue_claim(&queue, &claim, NULL, NULL);
}

static int ask_watch(void) {
    const bool lane[JOB_LANES] = {true, true};
    return queue_watch(&queue, "w", lane, 1000, NULL, NULL);
}

static int ask_holdings(void) {
    return queue_holdings(&queue, "w", JOB_BATCH, true, NULL, NULL);
}

static int ask_beat(void) {
    const struct queue_beat_job job[] = {
        {.entry = &entry[0], .started = true, .id = "a", .kind = "verify", .total = 7},
        {.entry = &entry[1], .id = "b", .kind = "sweep"},
    };
    struct queue_beat beat = {.worker = "w", .ttl_ms = 5000, .job = job, .count = 2};
    return queue_beat(&queue, &beat, NULL, NULL);
}

/* With everything that a job may leave behind. */
static int ask_complete(void) {
    unsigned char bytes[] = "bytes";
    const struct mem_buffer some = {.data = bytes, .size = 5};
    const struct queue_outcome outcome = {.id = "a",
                                          .reply_to = "me",
                                          .kind = "session.step",
                                          .status = "ok",
                                          .result = some,
                                          .session = "s",
                                          .expect_revision = 3,
                                          .body = some,
                                          .ring = "s",
                                          .piece = {{0, some}, {24, some}},
                                          .pieces = 2,
                                          .trace = "t",
                                          .trace_body = some};
    const struct queue_completion job[] = {{&entry[0], &outcome}, {&entry[1], &outcome}};
    return queue_complete(&queue, "w", job, 2, NULL, NULL);
}

static int ask_hand_back(void) {
    const struct queue_entry *const both[] = {&entry[0], &entry[1]};
    return queue_hand_back(&queue, "w", both, 2, NULL, NULL);
}

static int ask_leave(void) {
    return queue_leave(&queue, "w", NULL, NULL);
}

static int (*const asks[])(void) = {
    ask_enqueue, ask_find,     ask_cancel,    ask_result,    ask_wait,   ask_session,
    ask_touch,   ask_ring,     ask_traces,    ask_version,   ask_status, ask_bury,
    ask_requeue, ask_load,     ask_claim,     ask_configure, ask_watch,  ask_holdings,
    ask_beat,    ask_complete, ask_hand_back, ask_leave,
};

static void is_sent_whole(void) {
    ck_assert_uint_eq(sent.size, expected.size);
    ck_assert_mem_eq(sent.data, expected.data, expected.size);
}

/* True: it went well, since there are not so many allocations. */
static bool torture(int (*ask)(void), unsigned nth, int after) {
    queue_init(&queue, NULL, "main", keep);
    sends = 0;
    sent.size = 0;
    mem_fail(nth, after);
    int code = ask();
    unsigned failed = mem_failures();
    mem_fail(0, 0);
    ck_assert_int_eq(code, failed > 0 ? ERR_NO_MEMORY : 0);
    ck_assert_uint_eq(sends, failed == 0);
    if (failed > 0)
        ck_assert_int_eq(ask(), 0);
    is_sent_whole();
    queue_release(&queue);
    return failed == 0;
}

START_TEST(request_without_memory) {
    queue_init(&queue, NULL, "main", keep);
    ck_assert_int_eq(asks[_i](), 0);
    queue_release(&queue);
    expected = sent;
    sent = (struct mem_buffer){0};
    mem_buffer_add(&sent, expected.data, expected.size); /* as much room, so that keep needs none */
    for (int after = 0; after <= 1; after++) {
        unsigned nth = 1;
        while (nth <= MOST && !torture(asks[_i], nth, after))
            nth++;
        ck_assert_uint_gt(nth, 4); /* the text and the three arrays */
        ck_assert_uint_le(nth, MOST);
    }
    mem_buffer_release(&sent);
    mem_buffer_release(&expected);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, request_without_memory, 0, sizeof asks / sizeof asks[0]);
}

int main(void) {
    return suite_run("queue_torture", add, 30);
}
