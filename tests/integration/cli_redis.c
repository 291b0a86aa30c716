/* SPDX-License-Identifier: MIT */
/*
 * The command against a real Redis without any worker: what it reads there, what it says when
 * nobody works, when Redis is gone, and when what lies there is not what the protocol says.
 */
#include "program.h"
#include "redis_server.h"
#include "suite.h"

#include "engine.h"
#include "keys.h"
#include "result.h"
#include "session.h"
#include "wire.h"

#include <hiredis/hiredis.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct redis_server server;
static redisContext *redis;
static char redis_variable[160];
static const char *const redis_env[] = {redis_variable, NULL};

static void redis_setup(void) {
    redis_server_start(&server, false, NULL);
    snprintf(redis_variable, sizeof redis_variable, "SUSURRATION_REDIS=%s", server.url);
    redis = redisConnectUnix(server.path);
    ck_assert(redis && !redis->err);
    program_env(redis_env);
}

static void redis_teardown(void) {
    redisFree(redis);
    redis_server_remove(&server);
}

/* Runs the line, checks the exit code; what the command said is the caller's to release. */
static void redis_run(struct program *program, const char *line, int code) {
    program_run_line(program, "susurration", line);
    ck_assert_msg(program->code == code, "%s: exit %d, expected %d: %s", line, program->code, code,
                  program->err);
}

static void redis_says(const char *line, int code, const char *says) {
    struct program program;
    redis_run(&program, line, code);
    const char *said = code == 0 ? program.out : program.err;
    ck_assert_msg(strstr(said, says) != NULL, "%s: %s", line, said);
    program_release(&program);
}

static json_t *redis_json(const char *line) {
    struct program program;
    json_error_t error;
    redis_run(&program, line, 0);
    json_t *root = json_loads(program.out, 0, &error);
    ck_assert_msg(root != NULL, "%s: %s in %s", line, error.text, program.out);
    program_release(&program);
    return root;
}

/* A command whose last argument is bytes; answers with an integer or a status. */
static long long redis_put(const char *command, const char *name, const char *id,
                           const char *argument, const void *bytes, size_t size) {
    redisReply *reply =
        redisCommand(redis, "%s flock:{main}:%s%s %s %b", command, name, id, argument, bytes, size);
    ck_assert_msg(reply && reply->type != REDIS_REPLY_ERROR, "%s", reply ? reply->str : "down");
    long long integer = reply->integer;
    freeReplyObject(reply);
    return integer;
}

static long long redis_integer(const char *command) {
    redisReply *reply = redisCommand(redis, command);
    ck_assert(reply && reply->type == REDIS_REPLY_INTEGER);
    long long integer = reply->integer;
    freeReplyObject(reply);
    return integer;
}

/* --- what it reads -------------------------------------------------------------------------------
 */

static bool redis_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    ring_add(context, sim->tick, metrics);
    return true;
}

/* Stores a session `s1` of 20 birds, stepped to `ticks`, with its ring. */
static void redis_store_session(struct session *session, struct ring *ring, uint32_t ticks) {
    struct sim_watch watch = {redis_look, ring, true};
    struct mem_buffer body = {0};
    struct wire_ring_piece piece[2];
    int pieces;
    char offset[32];
    *session = (struct session){.id = "s1", .seed = 5};
    ring->empty = true;
    model_default_params(model_at(MODEL_FLOCK), &session->start);
    session->start.value[0] = 20;
    sim_init(&session->sim, model_at(MODEL_FLOCK), 5, &session->start);
    sim_run(&session->sim, engine_best(), ticks, NULL, &watch);
    sim_measure(&session->sim, engine_best(), &session->metrics);
    ck_assert_int_eq(wire_encode_session(session, &body), 0);
    redis_put("HSET", "session:", "s1", "body", body.data, body.size);
    redis_put("HSET", "session:", "s1", "rev", "1", 1);
    mem_buffer_release(&body);
    ck_assert_int_eq(wire_encode_ring(ring, piece, &pieces), 0);
    for (int i = 0; i < pieces; i++) {
        snprintf(offset, sizeof offset, "%zu", piece[i].offset);
        redis_put("SETRANGE", "ring:", "s1", offset, piece[i].bytes.data, piece[i].bytes.size);
        mem_buffer_release(&piece[i].bytes);
    }
}

START_TEST(session_show) {
    struct session session;
    static struct ring ring;
    char hash[17];
    redis_store_session(&session, &ring, 30);
    json_t *root = redis_json("session show s1 --json");
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)sim_hash(&session.sim));
    ck_assert_str_eq(json_string_value(json_object_get(root, "state_hash")), hash);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "tick")), 30);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "birds")), 20);
    const json_t *weights = json_object_get(root, "weights");
    ck_assert_double_eq(json_real_value(json_object_get(weights, "alignment")), 0.5);
    const json_t *positions = json_object_get(root, "positions");
    ck_assert_uint_eq(json_array_size(positions), 20);
    ck_assert_double_eq(json_real_value(json_array_get(json_array_get(positions, 7), 1)),
                        session.sim.y[7]);
    const json_t *velocities = json_object_get(root, "velocities");
    ck_assert_double_eq(json_real_value(json_array_get(json_array_get(velocities, 19), 0)),
                        session.sim.vx[19]);
    json_decref(root);

    redis_says("session show s1", 0, "session s1\n");
    /* Reading is touching: 24 hours for both. */
    ck_assert_int_gt(redis_integer("TTL flock:{main}:session:s1"), 86390);
    ck_assert_int_gt(redis_integer("TTL flock:{main}:ring:s1"), 86390);
}
END_TEST

START_TEST(session_timeline) {
    struct session session;
    static struct ring ring;
    redis_store_session(&session, &ring, 5100); /* the ring went round: 101..5100 */
    json_t *root = redis_json("session timeline s1 --from 0 --to 9000 --json");
    const json_t *tick = json_object_get(root, "tick");
    const json_t *polarization = json_object_get(root, "polarization");
    ck_assert_uint_eq(json_array_size(tick), 5000);
    for (size_t i = 0; i < 5000; i++) {
        ck_assert_int_eq(json_integer_value(json_array_get(tick, i)), (long long)i + 101);
        ck_assert_double_eq(json_real_value(json_array_get(polarization, i)),
                            ring.slot[(i + 101) % RING_SLOTS].polarization);
    }
    json_decref(root);

    root = redis_json("session timeline s1 --from 90 --to 102 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(root, "tick")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "from")), 90);
    json_decref(root);

    root = redis_json("session timeline s1 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(root, "tick")), 20);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "to")), 5100);
    json_decref(root);
    redis_says("session timeline s1 --from 5101", 2, "the latest is 5100");
    redis_says("session timeline s1 --from 2 --to 100", 1, "no metrics of ticks 2 to 100");
    redis_says("session timeline s1 --from 5099", 0, "\n5100 ");
}
END_TEST

START_TEST(traces) {
    struct job job;
    struct result result;
    struct mem_buffer body = {0};
    job_init(&job, JOB_VERIFY, model_at(MODEL_FLOCK));
    job.seed = 99;
    job.ticks = 7;
    strcpy(job.note, "two\nlines\x1b[2J");
    result_init(&result, &job);
    strcpy(result.trace, "t1");
    strcpy(result.engine_version, "9.9");
    strcpy(result.engine_isa, "abacus");
    result.metrics = (struct sim_metrics){0.1, 12.5, 3};
    result.state_hash = 0xabcdef;
    redis_says("trace list", 0, "no traces");
    ck_assert_int_eq(wire_encode_trace(&job, &result, 1700000000000, &body), 0);
    redis_put("SETRANGE", "trace:", "t1", "0", body.data, body.size);
    redis_put("ZADD", "traces", "", "1", "t1", 2);
    redis_put("ZADD", "traces", "", "2", "dropped", 7); /* its trace is gone: skipped */
    mem_buffer_release(&body);

    json_t *list = redis_json("trace list --json");
    json_t *trace = redis_json("trace show t1 --json");
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert(json_equal(json_array_get(list, 0), trace));
    ck_assert_str_eq(json_string_value(json_object_get(trace, "state_hash")), "0000000000abcdef");
    ck_assert_str_eq(json_string_value(json_object_get(trace, "verified_at")),
                     "2023-11-14T22:13:20Z");
    ck_assert_str_eq(json_string_value(json_object_get(trace, "note")), "two\nlines\x1b[2J");
    ck_assert_int_eq(json_integer_value(json_object_get(trace, "at_tick")), 7);
    json_decref(list);
    json_decref(trace);
    redis_says("trace list", 0, "two lines?[2J\n");
    redis_says("trace show t1", 0, "two lines?[2J\n");
    redis_says("trace list --skip 5", 0, "no traces");
    redis_says("trace show t2", 1, "no trace t2");

    /* One that cannot be read is told, and hides no other. */
    struct program program;
    redis_put("SETRANGE", "trace:", "bad", "0", "no trace", 8);
    redis_put("ZADD", "traces", "", "3", "bad", 3);
    redis_run(&program, "trace list", 3);
    ck_assert_ptr_nonnull(strstr(program.out, "two lines?[2J\n"));
    ck_assert_ptr_nonnull(strstr(program.err, "trace bad cannot be read"));
    program_release(&program);
    redis_says("trace list --json", 3, "trace bad cannot be read");
}
END_TEST

START_TEST(not_there) {
    redis_says("session show nobody", 1, "no session nobody");
    redis_says("session timeline nobody", 1, "no session nobody");
    redis_says("session set nobody --cohesion 1", 1, "no session nobody");
    redis_says("cancel nobody", 1, "");
    redis_says("dead requeue 1-1", 1, "no dead letter 1-1");
    redis_says("dead list", 0, "no dead letters");
    redis_says("workers", 0, "no workers");
}
END_TEST

START_TEST(what_is_stored_is_broken) {
    redis_put("HSET", "session:", "s1", "body", "\x81\xa1", 2);
    redis_put("HSET", "session:", "s1", "rev", "1", 1);
    redis_put("SETRANGE", "trace:", "t1", "0", "no msgpack", 10);
    redis_says("session show s1", 3, "session s1 cannot be read");
    redis_says("trace show t1", 3, "trace t1 cannot be read");
    redis_put("SETRANGE", "session:", "s2", "0", "x", 1);
    redis_says("session show s2", 3, "WRONGTYPE");
}
END_TEST

START_TEST(tables_are_harmless_to_a_terminal) {
    const char *argv[] = {
        "XADD",   "flock:{main}:dead", "*", "id", "a\033[2Jb", "reason", "c\nd", "losses", "1",
        "worker", "\033]0;e\007"};
    redisReply *reply = redisCommandArgv(redis, sizeof argv / sizeof *argv, argv, NULL);
    ck_assert_msg(reply && reply->type == REDIS_REPLY_STRING, "%s", reply ? reply->str : "gone");
    freeReplyObject(reply);
    struct program program;
    redis_run(&program, "dead list", 0);
    ck_assert_ptr_nonnull(strstr(program.out, "a?[2Jb"));
    ck_assert_ptr_nonnull(strstr(program.out, "?]0;e?"));
    ck_assert_ptr_nonnull(strstr(program.out, "c d\n"));
    ck_assert_ptr_null(strchr(program.out, '\033'));
    program_release(&program);
}
END_TEST

/* What JSON cannot hold is left out, and is no lack of memory. */
START_TEST(what_is_no_text_is_left_out) {
    struct program program;
    redis_put("HSET", "stats", "", "a\xff", "1", 1);
    redis_put("HSET", "config", "", "note", "\xff", 1);
    redis_run(&program, "status --json", 0);
    ck_assert_ptr_nonnull(strstr(program.out, "\"note\": null"));
    ck_assert_ptr_null(strchr(program.out, '\xff'));
    program_release(&program);
}
END_TEST

/* --- nobody works --------------------------------------------------------------------------------
 */

START_TEST(no_worker) {
    struct program program;
    redis_run(&program, "verify --wait 4", 3);
    ck_assert_ptr_nonnull(strstr(program.err, "no worker is alive on queue main"));
    const char *cancel = strstr(program.err, "susurration cancel ");
    ck_assert_ptr_nonnull(cancel);
    char line[64];
    ck_assert_int_eq(sscanf(cancel, "susurration %49[^']", line), 1);
    ck_assert_str_eq(program.out, "");

    json_t *status = redis_json("status --json");
    const json_t *lane = json_object_get(status, "interactive");
    ck_assert_int_eq(json_integer_value(json_object_get(lane, "waiting")), 1);
    json_decref(status);
    redis_says(line, 0, "cancelled before it ran");
    redis_says(line, 1, "");
    program_release(&program);
}
END_TEST

static const struct {
    const char *limit, *says;
} redis_limits[] = {
    {"max_jobs", "queue main is full"},
    {"max_bytes", "queue main is full"},
    {"max_job_bytes", "bytes; max_job_bytes is "},
};

START_TEST(queue_full) {
    redis_put("HSET", "config", "", redis_limits[_i].limit, "0", 1);
    redis_says("verify", 3, redis_limits[_i].says);
    ck_assert_int_eq(redis_integer("XLEN flock:{main}:jobs:interactive"), 0);
    redis_put("HDEL", "config", "", redis_limits[_i].limit, "", 0);
    redis_says("verify --wait 1", 3, "no result after 1 s");
    ck_assert_int_eq(redis_integer("XLEN flock:{main}:jobs:interactive"), 1);
}
END_TEST

START_TEST(queues_are_apart) {
    redis_put("HSET", "config", "", "max_jobs", "0", 1);
    redis_says("verify --queue other --wait 1", 3, "no result after 1 s");
    redis_says("status --queue other", 0, "interactive        1");
    redis_says("status", 0, "interactive        0");
    redis_says("status --queue a:b", 2, "--queue takes 1 to 64 characters");
}
END_TEST

START_TEST(pause_and_resume) {
    redis_says("pause", 0, "queue main is paused");
    redis_says("status", 0, "queue main, paused");
    redis_says("verify --wait 4", 3, "queue main is paused");
    redis_says("resume", 0, "goes on");
    json_t *status = redis_json("status --json");
    ck_assert(json_is_false(json_object_get(status, "paused")));
    json_decref(status);
}
END_TEST

/* --- Redis is not there --------------------------------------------------------------------------
 */

static const char *const redis_needing[] = {
    "session create", "session step a", "session show a", "trace list", "status",
    "workers",        "cancel a",       "pause",          "resume",     "dead list",
};

START_TEST(without_a_redis) {
    program_env(NULL);
    redis_says(redis_needing[_i], 2, "--redis URL, or SUSURRATION_REDIS");
}
END_TEST

START_TEST(redis_unreachable) {
    redis_says("verify --redis redis://127.0.0.1:1", 3, "cannot reach Redis");
    redis_says("sweep --redis unix:///nowhere", 3, "cannot reach Redis at unix:///nowhere");
    redis_says("status --redis http://a", 2, "redis://");
    struct program program;
    redis_run(&program, "status --redis redis://me:secret@127.0.0.1:1", 3);
    ck_assert_ptr_null(strstr(program.err, "secret"));
    program_release(&program);
}
END_TEST

/* It takes no writes for a while, and then it does; or it does not, as long as the user waits. */
START_TEST(redis_that_takes_no_writes) {
    const char *const args[] = {"verify", "--redis", server.url, "--wait", "20", NULL};
    char reply[64] = "";
    redis_says("status", 0, "queue main"); /* the functions are there */
    redis_server_ask(&server, "CONFIG SET min-replicas-to-write 1", reply, sizeof reply);
    redis_says("verify --wait 1", 3, "Redis: NOREPLICAS ");
    redis_server_ask(&server, "REPLICAOF 127.0.0.1 1", reply, sizeof reply);
    redis_says("verify --wait 1", 3, "Redis: READONLY ");
    redis_server_ask(&server, "REPLICAOF NO ONE", reply, sizeof reply);
    pid_t verify = program_start("susurration", args);
    usleep(300000);
    redis_server_ask(&server, "CONFIG SET min-replicas-to-write 0", reply, sizeof reply);
    for (int i = 0; i < 2000 && strcmp(reply, ":1") != 0; i++) {
        redis_server_ask(&server, "XLEN flock:{main}:jobs:interactive", reply, sizeof reply);
        usleep(5000);
    }
    ck_assert_str_eq(reply, ":1");
    ck_assert_int_eq(program_stop(verify, SIGKILL), -1);
}
END_TEST

START_TEST(redis_url_keeps_its_secrets) {
    struct program program;
    redis_run(&program, "status --redis redis+sentinel://u:p@a1@127.0.0.1:1/m?sentinel_password=b2",
              3);
    ck_assert_ptr_nonnull(strstr(program.err, "redis+sentinel://127.0.0.1:1/m: "));
    ck_assert_ptr_null(strstr(program.err, "a1"));
    ck_assert_ptr_null(strstr(program.err, "b2"));
    program_release(&program);
}
END_TEST

START_TEST(redis_with_a_password) {
    static const char *const extra[] = {"--requirepass", "hush", NULL};
    struct redis_server locked;
    char line[512], path[128];
    redis_server_start(&locked, false, extra);
    snprintf(line, sizeof line, "status --redis %s", locked.url);
    redis_says(line, 3, "cannot reach Redis");
    snprintf(path, sizeof path, "%s/password", locked.dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("hush\n", file);
    fclose(file);
    snprintf(line, sizeof line, "status --redis %s --password-file %s", locked.url, path);
    redis_says(line, 0, "queue main");
    snprintf(line, sizeof line, "status --redis unix://default:hush@%s", locked.path);
    redis_says(line, 0, "queue main");
    redis_server_remove(&locked);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, redis_setup, redis_teardown);
    tcase_add_test(tests, session_show);
    tcase_add_test(tests, session_timeline);
    tcase_add_test(tests, traces);
    tcase_add_test(tests, not_there);
    tcase_add_test(tests, what_is_stored_is_broken);
    tcase_add_test(tests, tables_are_harmless_to_a_terminal);
    tcase_add_test(tests, what_is_no_text_is_left_out);
    tcase_add_test(tests, no_worker);
    tcase_add_loop_test(tests, queue_full, 0, sizeof redis_limits / sizeof redis_limits[0]);
    tcase_add_test(tests, queues_are_apart);
    tcase_add_test(tests, pause_and_resume);
    tcase_add_loop_test(tests, without_a_redis, 0, sizeof redis_needing / sizeof redis_needing[0]);
    tcase_add_test(tests, redis_unreachable);
    tcase_add_test(tests, redis_that_takes_no_writes);
    tcase_add_test(tests, redis_url_keeps_its_secrets);
    tcase_add_test(tests, redis_with_a_password);
}

int main(void) {
    return suite_run("cli_redis", add, 120);
}
