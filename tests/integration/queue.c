/* SPDX-License-Identifier: MIT */
/* The requests of queue*.h and the readers of their answers, against the functions in a real Redis.
 */
#include "queue_load.h"
#include "queue_work.h"

#include "about.h"
#include "link_probe.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct redis_server server;
static struct link_probe probe;
static struct queue queue;

static void start_server(void) {
    redis_server_start(&server, false, NULL);
}

static void remove_server(void) {
    redis_server_remove(&server);
}

/* What the last answer was; `look` takes it apart. */
static int answers;
static void (*look)(const struct link_reply *reply);

static void take(void *context, const struct link_reply *reply) {
    ck_assert_ptr_null(context);
    answers++;
    if (look)
        look(reply);
}

#define ASK(call, reader)                                                                          \
    do {                                                                                           \
        int before = answers;                                                                      \
        look = (reader);                                                                           \
        ck_assert_int_eq((call), 0);                                                               \
        ck_assert_int_eq(answers, before + 1);                                                     \
    } while (0)

static void expect_ok(const struct link_reply *reply) {
    ck_assert_msg(queue_answer(reply) == QUEUE_ANSWER_OK, "%s", queue_answer_text(reply));
}

static void open_bare(void) {
    link_probe_open_up(&probe, server.url);
    link_probe_ask(&probe, "FLUSHALL");
    link_probe_ask(&probe, "FUNCTION FLUSH");
    queue_init(&queue, probe.link, "main", link_call);
}

static void open_queue(void) {
    open_bare();
    ASK(queue_load(&queue, false, take, NULL), expect_ok);
}

static void close_queue(void) {
    queue_release(&queue);
    link_probe_close(&probe);
}

/* A job as short as it gets: a map with an id, or without. */
static struct queue_job make_job(const char *id, char bytes[80]) {
    int size = id[0] ? snprintf(bytes, 80, "\x81\xa2id%c%s", (int)(0xa0 + strlen(id)), id)
                     : snprintf(bytes, 80, "\x81\xa1v\x01");
    return (struct queue_job){id, bytes, (size_t)size};
}

/* --- the library ------------------------------------------------------------------------------ */

static enum queue_need need;
static unsigned version;

static void look_need(const struct link_reply *reply) {
    need = queue_load_need(reply, &version);
}

static void expect_was_there(const struct link_reply *reply) {
    ck_assert(queue_load_was_there(reply));
    ck_assert_int_eq(queue_answer(reply), QUEUE_ANSWER_WRONG);
}

START_TEST(queue_library_loads_and_is_seen) {
    open_bare();
    ASK(queue_version(&queue, take, NULL), look_need);
    ck_assert_int_eq(need, QUEUE_NEED_LOAD);
    ck_assert_uint_eq(version, 0);
    ASK(queue_load(&queue, false, take, NULL), expect_ok);
    ASK(queue_version(&queue, take, NULL), look_need);
    ck_assert_int_eq(need, QUEUE_NEED_NOTHING);
    ck_assert_uint_eq(version, queue_library_version());
    ASK(queue_load(&queue, false, take, NULL), expect_was_there);
    ASK(queue_load(&queue, true, take, NULL), expect_ok);
    close_queue();
}
END_TEST

START_TEST(queue_library_of_other_versions) {
    static const struct {
        const char *returns;
        enum queue_need need;
    } cases[] = {{"0", QUEUE_NEED_REPLACE},
                 {"1000", QUEUE_NEED_NOTHING},
                 {"'what'", QUEUE_NEED_REPLACE},
                 {"{}", QUEUE_NEED_REPLACE}};
    char code[256];
    const char *load[] = {"FUNCTION", "LOAD", "REPLACE", code};
    open_bare();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(
            code, sizeof code,
            "#!lua name=susurration_v1\nredis.register_function{function_name="
            "'susurration_v1_version', callback=function() return %s end, flags={'no-writes'}}",
            cases[i].returns);
        ASK(link_call(probe.link, take, NULL, 0, 4, load, NULL), expect_ok);
        ASK(queue_version(&queue, take, NULL), look_need);
        ck_assert_int_eq(need, cases[i].need);
    }
    close_queue();
}
END_TEST

START_TEST(queue_library_without_rights) {
    open_bare();
    link_probe_ask(&probe, "ACL SETUSER default -fcall_ro");
    ASK(queue_version(&queue, take, NULL), look_need);
    link_probe_ask(&probe, "ACL SETUSER default +fcall_ro");
    ck_assert_int_eq(need, QUEUE_NEED_RIGHTS);
    ck_assert_int_eq(queue_load_need(NULL, &version), QUEUE_NEED_RETRY);
    close_queue();
}
END_TEST

START_TEST(queue_library_is_the_file) {
    size_t size;
    const char *text = queue_library(&size);
    ck_assert_uint_eq(strlen(text), size);
    ck_assert_int_eq(strncmp(text, "#!lua name=susurration_v1\n", 26), 0);
    FILE *file = fopen("proto/functions.lua", "r");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < size; i++)
        ck_assert_int_eq(fgetc(file), (unsigned char)text[i]);
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
}
END_TEST

/* --- clients ---------------------------------------------------------------------------------- */

static void expect_queued_two(const struct link_reply *reply) {
    struct queue_place place;
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(queue_read_enqueue(reply, i, &place), 0);
        ck_assert_int_eq(place.state, QUEUE_STATE_QUEUED);
        ck_assert_int_eq(place.ref[0], 'b');
    }
    ck_assert_int_eq(queue_read_enqueue(reply, 2, &place), ERR_PROTOCOL);
}

static void expect_waiting(const struct link_reply *reply) {
    struct queue_place place;
    ck_assert_int_eq(queue_read_enqueue(reply, 0, &place), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_WAITING);
}

static void expect_find_waiting(const struct link_reply *reply) {
    struct queue_place place;
    const char *about;
    size_t size;
    ck_assert_int_eq(queue_read_find(reply, &place, &about, &size), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_WAITING);
    ck_assert_int_eq(place.ref[0], 'b');
    ck_assert_ptr_null(about);
}

static void expect_cancelled(const struct link_reply *reply) {
    enum queue_cancelled cancelled;
    ck_assert_int_eq(queue_read_cancel(reply, &cancelled), 0);
    ck_assert_str_eq(queue_cancel_name(cancelled), "cancelled");
}

static void expect_cancel_done(const struct link_reply *reply) {
    enum queue_cancelled cancelled;
    ck_assert_int_eq(queue_read_cancel(reply, &cancelled), 0);
    ck_assert_int_eq(cancelled, QUEUE_CANCEL_DONE);
}

static void expect_text(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_type(reply), LINK_TEXT);
}

START_TEST(queue_enqueue_find_cancel_result) {
    char first[80], second[80];
    struct queue_job job[] = {make_job("a", first), make_job("", second)};
    open_queue();
    ASK(queue_enqueue(&queue, JOB_BATCH, job, 2, take, NULL), expect_queued_two);
    ASK(queue_enqueue(&queue, JOB_BATCH, job, 1, take, NULL), expect_waiting);
    ASK(queue_find(&queue, "a", take, NULL), expect_find_waiting);
    ASK(queue_cancel(&queue, "a", take, NULL), expect_cancelled);
    ASK(queue_cancel(&queue, "a", take, NULL), expect_cancel_done);
    ASK(queue_result(&queue, "a", take, NULL), expect_text);
    ck_assert_int_eq(queue_find(&queue, "a b", take, NULL), ERR_INVALID);
    ck_assert_int_eq(queue_result(&queue, "", take, NULL), ERR_INVALID);
    close_queue();
}
END_TEST

static void expect_full(const struct link_reply *reply) {
    struct queue_place place;
    ck_assert_int_eq(queue_answer(reply), QUEUE_ANSWER_FULL);
    ck_assert_int_eq(queue_read_enqueue(reply, 0, &place), ERR_REFUSED);
    ck_assert_ptr_nonnull(strstr(queue_answer_text(reply), "max_jobs"));
}

static void expect_too_big(const struct link_reply *reply) {
    ck_assert_int_eq(queue_answer(reply), QUEUE_ANSWER_TOO_BIG);
}

START_TEST(queue_pushes_back) {
    char bytes[80];
    struct queue_job job = make_job("a", bytes);
    open_queue();
    ASK(queue_configure(&queue, "max_jobs", "0", take, NULL), expect_ok);
    ASK(queue_enqueue(&queue, JOB_BATCH, &job, 1, take, NULL), expect_full);
    ASK(queue_configure(&queue, "max_jobs", NULL, take, NULL), expect_ok);
    ASK(queue_configure(&queue, "max_job_bytes", "3", take, NULL), expect_ok);
    ASK(queue_enqueue(&queue, JOB_BATCH, &job, 1, take, NULL), expect_too_big);
    close_queue();
}
END_TEST

static long long expected_integer;

static void expect_integer(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_integer(reply, -1), expected_integer);
}

static void ask_integer(long long want, size_t argc, const char *const *argv) {
    expected_integer = want;
    ASK(link_call(probe.link, take, NULL, 0, argc, argv, NULL), expect_integer);
}

START_TEST(queue_touch_renews_what_is_there) {
    static const char *const set[] = {"HSET", "flock:{main}:session:s", "body", "b"};
    static const char *const life[] = {"TTL", "flock:{main}:session:s"};
    static const char *const ring[] = {"EXISTS", "flock:{main}:ring:s"};
    open_queue();
    expected_integer = 0;
    ASK(queue_touch(&queue, "s", take, NULL), expect_integer);
    ask_integer(1, 4, set);
    expected_integer = 1;
    ASK(queue_touch(&queue, "s", take, NULL), expect_integer);
    ask_integer(86400, 2, life);
    ask_integer(0, 2, ring);
    ASK(queue_configure(&queue, "session_ttl", "50", take, NULL), expect_ok);
    ASK(queue_touch(&queue, "s", take, NULL), expect_ok);
    ask_integer(50, 2, life);
    ck_assert_int_eq(queue_touch(&queue, "a b", take, NULL), ERR_INVALID);
    close_queue();
}
END_TEST

/* --- workers ---------------------------------------------------------------------------------- */

static struct queue_given given;
static struct queue_claimed claimed;
static const char *const jobs[] = {"j1", "j2"};

static void look_claim(const struct link_reply *reply) {
    ck_assert_int_eq(queue_read_claim(reply, &claimed), 0);
    for (size_t i = 0; i < claimed.given; i++)
        ck_assert_int_eq(queue_read_given(reply, i, &given), 0);
    given.job = NULL;
}

static void claim(const char *worker, unsigned slots) {
    struct queue_claim request = {.worker = worker, .slots = slots, .lease_ms = 2000};
    ASK(queue_claim(&queue, &request, take, NULL), look_claim);
}

static void enqueue(const char *id, enum job_lane lane) {
    char bytes[80];
    struct queue_job job = make_job(id, bytes);
    ASK(queue_enqueue(&queue, lane, &job, 1, take, NULL), expect_ok);
}

static size_t stops;
static bool cancelled;

static void look_beat(const struct link_reply *reply) {
    int64_t server_ms;
    ck_assert_int_eq(queue_read_beat(reply, &server_ms, &stops), 0);
    ck_assert_int_gt(server_ms, 1500000000000);
    struct queue_stop stop;
    for (size_t i = 0; i < stops; i++) {
        ck_assert_int_eq(queue_read_stop(reply, i, &stop), 0);
        ck_assert_str_eq(stop.ref, given.entry.ref);
        cancelled = stop.cancelled;
    }
}

static void beat(const char *worker) {
    struct queue_beat_job job = {.entry = &given.entry,
                                 .started = true,
                                 .id = jobs[0],
                                 .kind = "verify",
                                 .done = 3,
                                 .total = 500,
                                 .started_ms = 17};
    struct queue_beat request = {.worker = worker, .ttl_ms = 3000, .job = &job, .count = 1};
    struct about_worker about = {.name = "w1", .slots = 2};
    ck_assert_int_eq(about_encode_worker(&about, &request.about), 0);
    ASK(queue_beat(&queue, &request, take, NULL), look_beat);
    mem_buffer_release(&request.about);
}

static void expect_find_running(const struct link_reply *reply) {
    struct queue_place place;
    const char *bytes;
    size_t size;
    struct about_job about;
    ck_assert_int_eq(queue_read_find(reply, &place, &bytes, &size), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_RUNNING);
    ck_assert_int_eq(about_decode_job(bytes, size, &about), 0);
    ck_assert_str_eq(about.id, "j1");
    ck_assert_str_eq(about.kind, "verify");
    ck_assert_str_eq(about.worker, "w1");
    ck_assert_uint_eq(about.attempt, 1);
    ck_assert_uint_eq(about.done, 3);
    ck_assert_uint_eq(about.total, 500);
    ck_assert_uint_eq(about.started_ms, 17);
}

static void look_status(const struct link_reply *reply) {
    size_t size;
    struct about_worker about;
    const struct link_reply *workers = queue_read_status(reply, "workers");
    ck_assert_uint_eq(link_reply_count(workers), 3);
    ck_assert_str_eq(link_reply_text(link_reply_item(workers, 0), &size), "w1");
    const char *bytes = link_reply_text(link_reply_item(workers, 2), &size);
    ck_assert_int_eq(about_decode_worker(bytes, size, &about), 0);
    ck_assert_str_eq(about.name, "w1");
    ck_assert_uint_eq(about.slots, 2);
    const struct link_reply *lane = queue_read_status(reply, "interactive");
    ck_assert_int_eq(link_reply_integer(queue_read_status(lane, "running"), -1), 1);
    ck_assert_ptr_null(queue_read_status(reply, "nothing"));
}

START_TEST(queue_claim_beat_find_status) {
    open_queue();
    claim("w1", 2);
    ck_assert_uint_eq(claimed.given, 0);
    enqueue("j1", JOB_INTERACTIVE);
    claim("w1", 2);
    ck_assert_uint_eq(claimed.given, 1);
    ck_assert(!claimed.paused);
    ck_assert_int_eq(given.entry.lane, JOB_INTERACTIVE);
    ck_assert_uint_eq(given.entry.attempt, 1);
    ck_assert_uint_gt(given.entry.ms, 1500000000000);
    ck_assert_int_eq(given.how, QUEUE_RUN);
    beat("w1");
    ck_assert_uint_eq(stops, 0);
    ASK(queue_find(&queue, "j1", take, NULL), expect_find_running);
    ASK(queue_status(&queue, take, NULL), look_status);
    beat("w2");
    ck_assert_uint_eq(stops, 1);
    ck_assert(!cancelled);
    ASK(queue_cancel(&queue, "j1", take, NULL), expect_ok);
    beat("w1");
    ck_assert_uint_eq(stops, 1);
    ck_assert(cancelled);
    close_queue();
}
END_TEST

static size_t watched;
static struct queue_given seen[JOB_LANES];

static void look_watch(const struct link_reply *reply) {
    ck_assert_int_eq(queue_read_watch(&queue, reply, seen, &watched), 0);
    for (size_t i = 0; i < watched; i++) {
        ck_assert_ptr_nonnull(seen[i].job);
        ck_assert_int_eq(seen[i].job[0], '\x81');
        ck_assert_uint_eq(seen[i].entry.attempt, 1);
    }
}

static void expect_verdicts(const struct link_reply *reply) {
    enum queue_verdict verdict;
    ck_assert_int_eq(queue_read_verdict(reply, 0, &verdict), 0);
    ck_assert_int_eq(verdict, QUEUE_VERDICT_RUN);
    ck_assert_int_eq(queue_read_verdict(reply, 1, &verdict), 0);
    ck_assert_int_eq(verdict, QUEUE_VERDICT_LOST);
    ck_assert_int_eq(queue_read_verdict(reply, 2, &verdict), ERR_PROTOCOL);
}

START_TEST(queue_watch_and_adopt) {
    static const bool both[JOB_LANES] = {true, true}, interactive[JOB_LANES] = {true, false};
    open_queue();
    claim("w1", 2);
    enqueue("j1", JOB_BATCH);
    ASK(queue_watch(&queue, "w1", interactive, 10, take, NULL), look_watch);
    ck_assert_uint_eq(watched, 0);
    ASK(queue_watch(&queue, "w1", both, 10, take, NULL), look_watch);
    ck_assert_uint_eq(watched, 1);
    ck_assert_int_eq(seen[0].entry.lane, JOB_BATCH);
    enqueue("j2", JOB_BATCH);
    enqueue("j3", JOB_INTERACTIVE);
    ASK(queue_watch(&queue, "w2", both, 10, take, NULL), look_watch);
    ck_assert_uint_eq(watched, 2);
    ck_assert_int_ne(seen[0].entry.lane, seen[1].entry.lane);
    struct queue_claim request = {.worker = "w2", .slots = 2, .lease_ms = 2000, .adopt_count = 2};
    struct queue_entry others = seen[0].entry;
    snprintf(others.ref, sizeof others.ref, "i1-1");
    request.adopt[0] = &seen[0].entry;
    request.adopt[1] = &others;
    ASK(queue_claim(&queue, &request, take, NULL), expect_verdicts);
    close_queue();
}
END_TEST

static enum queue_completed completed;

static void look_complete(const struct link_reply *reply) {
    ck_assert_msg(queue_read_complete(reply, 0, &completed) == 0, "%s", queue_answer_text(reply));
    enum queue_completed beyond;
    ck_assert_int_eq(queue_read_complete(reply, 1, &beyond), ERR_PROTOCOL);
}

static const char *body;
static uint64_t revision;

static void look_session(const struct link_reply *reply) {
    static char kept[32];
    const char *bytes;
    size_t size;
    ck_assert_int_eq(queue_read_session(reply, &revision, &bytes, &size), 0);
    body = NULL;
    if (bytes) {
        ck_assert_uint_lt(size, sizeof kept);
        memcpy(kept, bytes, size);
        kept[size] = '\0';
        body = kept;
    }
}

static void expect_ring(const struct link_reply *reply) {
    size_t size;
    ck_assert_str_eq(link_reply_text(reply, &size), "ring");
}

static void expect_one_trace(const struct link_reply *reply) {
    size_t size;
    ck_assert_uint_eq(link_reply_count(reply), 1);
    ck_assert_str_eq(link_reply_text(link_reply_item(reply, 0), &size), "t1");
}

static void expect_wait_many(const struct link_reply *reply) {
    const struct link_reply *results;
    size_t size;
    ck_assert_int_eq(queue_read_wait_many(reply, &results), 0);
    ck_assert_uint_eq(link_reply_count(results), 2);
    ck_assert_str_eq(link_reply_text(link_reply_item(results, 1), &size), "two");
}

static void expect_no_wait_many(const struct link_reply *reply) {
    const struct link_reply *results;
    ck_assert_int_eq(queue_read_wait_many(reply, &results), 0);
    ck_assert_ptr_null(results);
}

static void expect_wait_rest(const struct link_reply *reply) {
    const char *result;
    size_t size;
    ck_assert_int_eq(queue_read_wait(reply, &result, &size), 0);
    ck_assert_str_eq(result, "three");
}

static void expect_tick(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_integer(reply, -1), 7);
}

static void expect_nil(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_type(reply), LINK_NIL);
}

static void expect_wait(const struct link_reply *reply) {
    const char *result;
    size_t size;
    ck_assert_int_eq(queue_read_wait(reply, &result, &size), 0);
    ck_assert_str_eq(result, "the result");
}

static void expect_no_wait(const struct link_reply *reply) {
    const char *result;
    size_t size;
    ck_assert_int_eq(queue_read_wait(reply, &result, &size), 0);
    ck_assert_ptr_null(result);
}

static void fill(struct mem_buffer *buffer, const char *text) {
    mem_buffer_add(buffer, text, strlen(text));
}

START_TEST(queue_complete_with_all_effects) {
    struct queue_outcome outcome = {.id = "j1",
                                    .reply_to = "r1",
                                    .kind = "verify",
                                    .status = "ok",
                                    .session = "s1",
                                    .tick = 7,
                                    .ring = "s1",
                                    .pieces = 1,
                                    .trace = "t1"};
    struct queue_completion job = {&given.entry, &outcome};
    fill(&outcome.result, "the result");
    fill(&outcome.body, "the body");
    fill(&outcome.piece[0].bytes, "ring");
    outcome.piece[0].offset = 24;
    fill(&outcome.trace_body, "the trace");
    open_queue();
    enqueue("j1", JOB_INTERACTIVE);
    claim("w1", 1);
    outcome.expect_revision = 3;
    ASK(queue_complete(&queue, "w1", &job, 1, take, NULL), look_complete);
    ck_assert_int_eq(completed, QUEUE_COMPLETED_CONFLICT);
    ASK(queue_complete(&queue, "w2", &job, 1, take, NULL), look_complete);
    ck_assert_int_eq(completed, QUEUE_COMPLETED_LOST);
    outcome.expect_revision = 0;
    ASK(queue_complete(&queue, "w1", &job, 1, take, NULL), look_complete);
    ck_assert_int_eq(completed, QUEUE_COMPLETED_OK);
    ASK(queue_complete(&queue, "w1", &job, 1, take, NULL), look_complete);
    ck_assert_int_eq(completed, QUEUE_COMPLETED_LOST);

    ASK(queue_session(&queue, "s1", take, NULL), look_session);
    ck_assert_str_eq(body, "the body");
    ck_assert_uint_eq(revision, 1);
    ASK(queue_session(&queue, "s2", take, NULL), look_session);
    ck_assert_ptr_null(body);
    ASK(queue_ring(&queue, "s1", 24, 4, take, NULL), expect_ring);
    ASK(queue_traces(&queue, 0, 10, take, NULL), expect_one_trace);
    ASK(queue_trace(&queue, "t1", take, NULL), expect_text);
    ASK(queue_wait(&queue, "r1", 10, take, NULL), expect_wait);
    ASK(queue_wait(&queue, "r1", 10, take, NULL), expect_no_wait);
    ASK(queue_wait_many(&queue, "r1", 2, 10, take, NULL), expect_no_wait_many);
    link_probe_ask(&probe, "RPUSH flock:{main}:reply:r1 one two three");
    ASK(queue_wait_many(&queue, "r1", 2, 10, take, NULL), expect_wait_many);
    ASK(queue_wait(&queue, "r1", 10, take, NULL), expect_wait_rest);
    ASK(queue_session_tick(&queue, "s1", take, NULL), expect_tick);
    ASK(queue_session_tick(&queue, "s2", take, NULL), expect_nil);
    ck_assert_int_eq(queue_wait_many(&queue, "a b", 2, 10, take, NULL), ERR_INVALID);
    ck_assert_int_eq(queue_session_tick(&queue, "", take, NULL), ERR_INVALID);
    ck_assert_str_eq(link_probe_ask(&probe, "HGET flock:{main}:stats verify:ok"), "1");
    ck_assert_str_eq(link_probe_ask(&probe, "XLEN flock:{main}:jobs:interactive"), "0");
    queue_outcome_release(&outcome);
    close_queue();
}
END_TEST

START_TEST(queue_complete_duplicate) {
    struct queue_outcome outcome = {.id = "j1", .kind = "verify", .status = "ok"};
    struct queue_completion job = {&given.entry, &outcome};
    fill(&outcome.result, "the second");
    open_queue();
    enqueue("j1", JOB_INTERACTIVE);
    claim("w1", 1);
    link_probe_ask(&probe, "SET flock:{main}:result:j1 first");
    ASK(queue_complete(&queue, "w1", &job, 1, take, NULL), look_complete);
    ck_assert_int_eq(completed, QUEUE_COMPLETED_DUPLICATE);
    ck_assert_str_eq(link_probe_ask(&probe, "GET flock:{main}:result:j1"), "first");
    queue_outcome_release(&outcome);
    close_queue();
}
END_TEST

START_TEST(queue_hands_back_and_leaves) {
    const struct queue_entry *entry = &given.entry;
    open_queue();
    enqueue("j1", JOB_INTERACTIVE);
    claim("w1", 1);
    ASK(queue_hand_back(&queue, "w1", &entry, 1, take, NULL), expect_ok);
    ASK(queue_leave(&queue, "w1", take, NULL), expect_ok);
    claim("w2", 1);
    ck_assert_uint_eq(claimed.given, 1);
    ck_assert_uint_eq(given.entry.attempt, 1);
    ck_assert_int_eq(given.how, QUEUE_RUN);
    close_queue();
}
END_TEST

/* --- operators -------------------------------------------------------------------------------- */

static char dead_id[QUEUE_REF_MAX];

static void look_dead(const struct link_reply *reply) {
    size_t size;
    ck_assert_uint_eq(link_reply_count(reply), 1);
    const char *id = link_reply_text(link_reply_item(link_reply_item(reply, 0), 0), &size);
    snprintf(dead_id, sizeof dead_id, "%s", id);
}

static void expect_requeued(const struct link_reply *reply) {
    struct queue_place place;
    ck_assert_int_eq(queue_read_requeue(reply, 0, &place), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_QUEUED);
    ck_assert_int_eq(queue_read_requeue(reply, 1, &place), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_UNKNOWN);
    ck_assert_str_eq(place.ref, "");
}

static void expect_0(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_integer(reply, -1), 0);
}

static void expect_1(const struct link_reply *reply) {
    ck_assert_int_eq(link_reply_integer(reply, -1), 1);
}

START_TEST(queue_bury_dead_requeue_pause) {
    open_queue();
    enqueue("j1", JOB_INTERACTIVE);
    claim("w1", 1);
    ASK(queue_bury(&queue, given.entry.ref, "no good", take, NULL), expect_ok);
    ASK(queue_dead(&queue, 10, take, NULL), look_dead);
    const char *ids[] = {dead_id, "1-1"};
    ASK(queue_requeue(&queue, ids, 2, take, NULL), expect_requeued);
    ASK(queue_configure(&queue, "paused", "1", take, NULL), expect_ok);
    claim("w1", 1);
    ck_assert(claimed.paused);
    ck_assert_uint_eq(claimed.given, 0);
    ASK(queue_configure(&queue, "paused", NULL, take, NULL), expect_ok);
    claim("w1", 1);
    ck_assert_uint_eq(claimed.given, 1);
    ASK(queue_bury(&queue, given.entry.ref, "no good", take, NULL), expect_ok);
    ASK(queue_dead(&queue, 10, take, NULL), look_dead);
    ASK(queue_purge(&queue, (const char *[]){"1-1"}, 1, take, NULL), expect_0);
    ASK(queue_purge(&queue, ids, 1, take, NULL), expect_1);
    ASK(queue_purge(&queue, (const char *[]){"all"}, 1, take, NULL), expect_0);
    close_queue();
}
END_TEST

/* --- answers that are none -------------------------------------------------------------------- */

static enum queue_answer kind;

static void look_kind(const struct link_reply *reply) {
    kind = queue_answer(reply);
}

START_TEST(queue_answers_are_told_apart) {
    static const struct {
        const char *error;
        enum queue_answer kind;
    } cases[] = {{"ERR Function not found", QUEUE_ANSWER_NO_FUNCTIONS},
                 {"NOGROUP No such key", QUEUE_ANSWER_NO_GROUP},
                 {"QUEUEFULL 3 jobs", QUEUE_ANSWER_FULL},
                 {"NOPERM this user", QUEUE_ANSWER_DENIED},
                 {"ERR The user executing the script can\\'t run this", QUEUE_ANSWER_DENIED},
                 {"OOM command not allowed", QUEUE_ANSWER_LATER},
                 {"MISCONF Redis is", QUEUE_ANSWER_LATER},
                 {"ERR something else", QUEUE_ANSWER_WRONG},
                 {"WRONGTYPE Operation", QUEUE_ANSWER_WRONG}};
    char code[128];
    const char *eval[] = {"EVAL", code, "0"};
    open_bare();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(code, sizeof code, "return redis.error_reply('%s')", cases[i].error);
        ASK(link_call(probe.link, take, NULL, 0, 3, eval, NULL), look_kind);
        ck_assert_msg(kind == cases[i].kind, "%s: %d", cases[i].error, kind);
    }
    ck_assert_int_eq(queue_answer(NULL), QUEUE_ANSWER_DOWN);
    ck_assert_str_eq(queue_answer_text(NULL), "no answer");
    close_queue();
}
END_TEST

/* Every reader on answers that no version of the protocol gives: an error, and nothing is read. */
static void read_all(const struct link_reply *reply) {
    struct queue_place place;
    const char *bytes;
    size_t size, count;
    int64_t server_ms;
    struct queue_stop stop;
    enum queue_verdict verdict;
    enum queue_cancelled cancel;
    int want = link_reply_type(reply) == LINK_ERROR ? ERR_REFUSED : ERR_PROTOCOL;
    ck_assert_int_eq(queue_read_enqueue(reply, 0, &place), want);
    ck_assert_int_eq(queue_read_find(reply, &place, &bytes, &size), want);
    ck_assert_int_eq(queue_read_cancel(reply, &cancel), want);
    ck_assert_int_eq(queue_read_wait(reply, &bytes, &size), want);
    ck_assert_int_eq(queue_read_session(reply, &revision, &bytes, &size), want);
    ck_assert_int_eq(queue_read_version(reply, &version), want);
    ck_assert_int_eq(queue_read_claim(reply, &claimed), want);
    ck_assert_int_eq(queue_read_given(reply, 0, &given), ERR_PROTOCOL);
    ck_assert_int_eq(queue_read_verdict(reply, 0, &verdict), want);
    ck_assert_int_eq(queue_read_watch(&queue, reply, seen, &count), want);
    ck_assert_int_eq(queue_read_beat(reply, &server_ms, &count), want);
    ck_assert_int_eq(queue_read_stop(reply, 0, &stop), ERR_PROTOCOL);
    ck_assert_int_eq(queue_read_complete(reply, 0, &completed), want);
}

START_TEST(queue_readers_take_anything) {
    static const char *const scripts[] = {
        "return {'x', {{}}}",
        "return {'what', {{'1-', {}}}}",
        "return {{{{}}}, {'a', {{'x', {'job'}}}}, 'z', 'zz'}",
        "return 'text'",
        "return {'ok?', {}, {}, {}, {}}",
        "return redis.error_reply('ERR no')",
    };
    const char *eval[] = {"EVAL", NULL, "0"};
    open_bare();
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        eval[1] = scripts[i];
        ASK(link_call(probe.link, take, NULL, 0, 3, eval, NULL), read_all);
    }
    close_queue();
}
END_TEST

static void add(TCase *tests) {
    tcase_add_unchecked_fixture(tests, start_server, remove_server);
    tcase_add_test(tests, queue_library_loads_and_is_seen);
    tcase_add_test(tests, queue_library_of_other_versions);
    tcase_add_test(tests, queue_library_without_rights);
    tcase_add_test(tests, queue_library_is_the_file);
    tcase_add_test(tests, queue_enqueue_find_cancel_result);
    tcase_add_test(tests, queue_pushes_back);
    tcase_add_test(tests, queue_touch_renews_what_is_there);
    tcase_add_test(tests, queue_claim_beat_find_status);
    tcase_add_test(tests, queue_watch_and_adopt);
    tcase_add_test(tests, queue_complete_with_all_effects);
    tcase_add_test(tests, queue_complete_duplicate);
    tcase_add_test(tests, queue_hands_back_and_leaves);
    tcase_add_test(tests, queue_bury_dead_requeue_pause);
    tcase_add_test(tests, queue_answers_are_told_apart);
    tcase_add_test(tests, queue_readers_take_anything);
}

int main(void) {
    return suite_run("queue", add, 30);
}
