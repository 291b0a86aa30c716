/* SPDX-License-Identifier: MIT */
/*
 * The command through a real Redis and a real worker: the same answers as in one process, whole
 * lives of sessions, traces and sweeps, and what becomes of jobs that do not end well.
 */
#include "program.h"
#include "redis_server.h"
#include "suite.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct redis_server server;
static pid_t worker;
static char worker_variable[160];
static const char *const worker_env[] = {worker_variable, NULL};

static void worker_setup(void) {
    redis_server_start(&server, false, NULL);
    snprintf(worker_variable, sizeof worker_variable, "SUSURRATION_REDIS=%s", server.url);
    program_env(worker_env);
    const char *const args[] = {"--redis",     server.url, "--slots", "2", "--admin", "none",
                                "--log-level", "warning",  "--name",  "w", NULL};
    worker = program_start("susurration-worker", args);
    struct program first; /* so that the worker is up, and may be told to end */
    program_run_line(&first, "susurration", "verify --at-tick 1 --birds 10 --no-store");
    ck_assert_msg(first.code == 0, "%s", first.err);
    program_release(&first);
}

static void worker_teardown(void) {
    ck_assert_int_eq(program_stop(worker, SIGTERM), 0);
    redis_server_remove(&server);
}

static json_t *worker_json(const char *line, int code) {
    struct program program;
    json_error_t error;
    program_run_line(&program, "susurration", line);
    ck_assert_msg(program.code == code, "%s: exit %d, expected %d: %s%s", line, program.code, code,
                  program.err, program.out);
    json_t *root = json_loads(program.out, 0, &error);
    ck_assert_msg(root != NULL, "%s: %s in %s", line, error.text, program.out);
    program_release(&program);
    return root;
}

static json_t *worker_local_json(const char *line, int code) {
    program_env(NULL);
    json_t *root = worker_json(line, code);
    program_env(worker_env);
    return root;
}

static const char *text(const json_t *root, const char *key) {
    const char *value = json_string_value(json_object_get(root, key));
    ck_assert_msg(value != NULL, "no %s", key);
    return value;
}

static long long whole(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    ck_assert_msg(json_is_integer(value), "no %s", key);
    return json_integer_value(value);
}

/* What `diff` says of that JSON, with those options. */
static json_t *worker_diff(const json_t *root, const char *options, int code) {
    char path[160], line[320];
    snprintf(path, sizeof path, "%s/diff.json", server.dir);
    ck_assert_int_eq(json_dump_file(root, path, JSON_INDENT(1)), 0);
    snprintf(line, sizeof line, "diff %s %s --json", path, options);
    json_t *said = worker_json(line, code);
    unlink(path);
    return said;
}

/* --- the same as in one process ------------------------------------------------------------------
 */

static const struct {
    const char *line;
    int code;
} worker_claims[] = {
    {"verify --json", 0},
    {"verify --seed 4294967295 --birds 10 --at-tick 1 --json", 0},
    {"verify --birds 400 --cohesion 1 --alignment 0 --separation 5e-05 --at-tick 40 --json", 0},
    {"verify --at-tick 300 --change 100:1,0,1 --change 200:alignment=.25 --json", 0},
    {"verify --claim-hash 2859c10a10b68472 --json", 0},
    {"verify --claim-hash 2859c10a10b68473 --json", 1},
    {"verify --at-tick 200 --claim-polarization 2 --claim-clusters 1 --claim-distance null --json",
     1},
    {"verify --birds 10 --at-tick 3500 --checkpoints --no-store --json", 0},
    {"verify --note caf\xc3\xa9 --at-tick 5 --json", 0},
};

START_TEST(same_as_in_one_process) {
    static const char *const queue_only[] = {"id", "worker", "queued_ms", "trace"};
    json_t *local = worker_local_json(worker_claims[_i].line, worker_claims[_i].code);
    json_t *remote = worker_json(worker_claims[_i].line, worker_claims[_i].code);
    ck_assert_uint_gt(strlen(text(remote, "worker")), 0);
    ck_assert_int_ge(whole(remote, "queued_ms"), 0);
    ck_assert(json_is_real(json_object_get(remote, "run_ms")));
    for (size_t i = 0; i < sizeof queue_only / sizeof queue_only[0]; i++)
        json_object_del(remote, queue_only[i]);
    json_object_del(remote, "run_ms");
    json_object_del(local, "run_ms");
    char *one = json_dumps(local, JSON_SORT_KEYS), *other = json_dumps(remote, JSON_SORT_KEYS);
    ck_assert_str_eq(one, other);
    free(one);
    free(other);
    json_decref(local);
    json_decref(remote);
}
END_TEST

START_TEST(sweep_same_as_in_one_process) {
    static const char line[] = "sweep --seeds 4294966295..4294967294 --birds 200 --ticks 3";
    struct program local, remote;
    program_run_line(&remote, "susurration", line);
    program_env(NULL);
    program_run_line(&local, "susurration", line);
    ck_assert_int_eq(local.code, 0);
    ck_assert_msg(remote.code == 0, "%s", remote.err);
    ck_assert_str_eq(local.out, remote.out);
    program_release(&local);
    program_release(&remote);
}
END_TEST

START_TEST(sweep_cut_to_the_budget) {
    /* More in one chunk than a slow engine does in the budget: it is sent again in pieces. */
    struct program local, remote;
    program_run_line(&remote, "susurration",
                     "sweep --seeds 0..49 --ticks 60 --chunk 40 --budget-ms 300");
    program_env(NULL);
    program_run_line(&local, "susurration", "sweep --seeds 0..49 --ticks 60");
    ck_assert_msg(remote.code == 0, "%s", remote.err);
    ck_assert_str_eq(local.out, remote.out);
    program_release(&local);
    program_release(&remote);
}
END_TEST

START_TEST(sweep_waits_for_room) {
    /* Never more than two jobs in the queue: the sweep goes on as there is room. */
    redis_server_ask(&server, "HSET flock:{main}:config max_jobs 2", (char[64]){0}, 64);
    struct program program;
    program_run_line(&program, "susurration", "sweep --seeds 0..9999 --birds 10 --ticks 1");
    ck_assert_msg(program.code == 0, "%s", program.err);
    program_release(&program);
}
END_TEST

START_TEST(sweep_survives_a_redis_that_forgets) {
    char out[128], line[256], reply[64];
    snprintf(out, sizeof out, "%s/sweep.csv", server.dir);
    const char *const args[] = {"sweep", "--redis", server.url, "--seeds", "0..299", "--birds",
                                "50",    "--ticks", "60",       "--out",   out,      NULL};
    pid_t sweep = program_start("susurration", args);
    for (int i = 0; i < 10000; i++) {
        redis_server_ask(&server, "HGET flock:{main}:stats sweep:ok", reply, sizeof reply);
        if (reply[0] == '$' && reply[1] != '-')
            break;
        usleep(1000);
    }
    redis_server_kill(&server); /* nothing was saved */
    redis_server_again(&server);
    ck_assert_int_eq(program_stop(sweep, 0), 0);
    struct program local;
    program_env(NULL);
    program_run_line(&local, "susurration", "sweep --seeds 0..299 --birds 50 --ticks 60");
    FILE *file = fopen(out, "r");
    ck_assert_ptr_nonnull(file);
    for (char *rest = local.out, *row; (row = strsep(&rest, "\n")) && *row;) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        ck_assert_uint_eq(strcspn(line, "\n"), strlen(row));
        ck_assert_int_eq(strncmp(line, row, strlen(row)), 0);
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    fclose(file);
    unlink(out);
    program_release(&local);
}
END_TEST

START_TEST(sweep_single_seed_over_budget) {
    struct program program;
    program_run_line(&program, "susurration",
                     "sweep --seeds 0..3 --birds 400 --ticks 20000 --budget-ms 1");
    ck_assert_int_eq(program.code, 1);
    ck_assert_ptr_nonnull(strstr(program.err, "does not fit into 1 ms"));
    program_release(&program);
}
END_TEST

/* --- sessions ------------------------------------------------------------------------------------
 */

START_TEST(session_life) {
    char line[256];
    json_t *made = worker_json("session create --seed 42 --birds 50 --json", 0);
    const char *id = text(made, "id");
    ck_assert_int_eq(whole(made, "tick"), 0);
    ck_assert_int_eq(whole(made, "birds"), 50);

    snprintf(line, sizeof line, "session step %s --ticks 100 --json", id);
    json_t *stepped = worker_json(line, 0);
    ck_assert_int_eq(whole(stepped, "tick"), 100);
    snprintf(line, sizeof line, "session set %s --cohesion .9 --param separation=0 --json", id);
    json_t *set = worker_json(line, 0);
    ck_assert_int_eq(whole(set, "tick"), 100);
    snprintf(line, sizeof line, "session step %s --ticks 60 --expect-tick 100 --json", id);
    json_decref(worker_json(line, 0));
    snprintf(line, sizeof line, "session step %s --expect-tick 100 --json", id);
    json_t *late = worker_json(line, 1);
    ck_assert_str_eq(text(late, "status"), "rejected");
    ck_assert_str_eq(text(json_object_get(late, "error"), "code"), "tick_conflict");

    snprintf(line, sizeof line, "session show %s --json", id);
    json_t *shown = worker_json(line, 0);
    json_t *claim = worker_json("verify --seed 42 --birds 50 --at-tick 160 --change "
                                "100:cohesion=0.9,separation=0 --no-store --json",
                                0);
    ck_assert_int_eq(whole(shown, "tick"), 160);
    ck_assert_str_eq(text(shown, "state_hash"), text(claim, "state_hash"));
    ck_assert(json_equal(json_object_get(shown, "metrics"), json_object_get(claim, "metrics")));
    ck_assert_uint_eq(json_array_size(json_object_get(shown, "changes")), 1);

    /* To diff a session is the state at its tick. */
    json_t *same = worker_diff(shown, "--birds 50 --change 100:cohesion=0.9,separation=0", 0);
    ck_assert_int_eq(whole(same, "last_equal"), 160);
    json_t *other = worker_diff(shown, "--birds 50", 1);
    ck_assert_int_eq(whole(json_object_get(other, "difference"), "bird"), 0);

    snprintf(line, sizeof line, "session timeline %s --from 0 --json", id);
    json_t *timeline = worker_json(line, 0);
    const json_t *tick = json_object_get(timeline, "tick");
    ck_assert_uint_eq(json_array_size(tick), 161);
    for (size_t i = 0; i <= 160; i++)
        ck_assert_int_eq(json_integer_value(json_array_get(tick, i)), (long long)i);
    ck_assert_double_eq(
        json_real_value(json_array_get(json_object_get(timeline, "polarization"), 160)),
        json_real_value(json_object_get(json_object_get(claim, "metrics"), "polarization")));
    json_t *all[] = {made, stepped, set, late, shown, claim, same, other, timeline};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        json_decref(all[i]);
}
END_TEST

START_TEST(session_without_a_seed) {
    json_t *one = worker_json("session create --birds 10 --json", 0);
    json_t *other = worker_json("session create --birds 10 --json", 0);
    ck_assert_int_ne(whole(one, "seed"), whole(other, "seed"));
    ck_assert_str_ne(text(one, "id"), text(other, "id"));
    json_decref(one);
    json_decref(other);
}
END_TEST

static const struct {
    const char *line;
    int code;
    const char *says;
} worker_refusals[] = {
    {"session step nobody", 1, "session"},
    {"session set nobody --cohesion 1", 1, "no session nobody"},
    {"session step nobody --ticks 1001", 2, "--ticks takes a whole number from 1 to 1000"},
    {"verify --birds 400 --at-tick 20000 --budget-ms 100", 1, "lower at_tick"},
};

START_TEST(refusals) {
    struct program program;
    program_run_line(&program, "susurration", worker_refusals[_i].line);
    ck_assert_int_eq(program.code, worker_refusals[_i].code);
    ck_assert_msg(strstr(program.err, worker_refusals[_i].says) != NULL, "%s", program.err);
    program_release(&program);
}
END_TEST

START_TEST(session_set_knows_the_model) {
    char line[256];
    struct program program;
    json_t *made = worker_json("session create --json", 0);
    static const char *const bad[] = {"--birds 20", "--cohesion 2", "--param speed=1", ""};
    static const char *const says[] = {"birds cannot change", "from 0 to 1, got '2'",
                                       "no parameter 'speed'", "nothing to set"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(line, sizeof line, "session set %s%s%s", text(made, "id"), *bad[i] ? " " : "",
                 bad[i]);
        program_run_line(&program, "susurration", line);
        ck_assert_msg(program.code == 2, "%s", program.err);
        ck_assert_msg(strstr(program.err, says[i]) != NULL, "%s", program.err);
        program_release(&program);
    }
    json_decref(made);
}
END_TEST

/* --- traces, status ------------------------------------------------------------------------------
 */

START_TEST(trace_is_kept) {
    char line[256];
    json_t *claim = worker_json("verify --at-tick 50 --seed 3 --note one --ring --json", 0);
    json_decref(worker_json("verify --at-tick 50 --seed 3 --no-store --json", 0));
    json_decref(worker_json("verify --claim-hash 0000000000000000 --at-tick 9 --json", 1));
    json_t *list = worker_json("trace list --json", 0);
    ck_assert_uint_eq(json_array_size(list), 1);
    snprintf(line, sizeof line, "trace show %s --json", text(claim, "trace"));
    json_t *trace = worker_json(line, 0);
    ck_assert(json_equal(trace, json_array_get(list, 0)));
    ck_assert_str_eq(text(trace, "state_hash"), text(claim, "state_hash"));
    ck_assert_str_eq(text(trace, "note"), "one");
    ck_assert(json_equal(json_object_get(trace, "metrics"), json_object_get(claim, "metrics")));
    json_t *same = worker_diff(trace, "--seed 3", 0);
    ck_assert_int_eq(whole(same, "last_equal"), 50);
    snprintf(line, sizeof line, "trace timeline %s --from 0 --json", text(claim, "trace"));
    json_t *timeline = worker_json(line, 0);
    ck_assert_uint_eq(json_array_size(json_object_get(timeline, "tick")), 51);
    json_decref(same);
    json_decref(claim);
    json_decref(list);
    json_decref(trace);
    json_decref(timeline);
}
END_TEST

START_TEST(status_shows_the_worker) {
    json_t *status = worker_json("status --json", 0);
    const json_t *workers = json_object_get(status, "workers");
    ck_assert_uint_eq(json_array_size(workers), 1);
    ck_assert(json_is_true(json_object_get(json_array_get(workers, 0), "alive")));
    ck_assert_int_eq(whole(json_array_get(workers, 0), "slots"), 2);
    ck_assert_int_eq(whole(json_object_get(status, "stats"), "verify:ok"), 1);
    json_decref(status);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, worker_setup, worker_teardown);
    tcase_add_loop_test(tests, same_as_in_one_process, 0,
                        sizeof worker_claims / sizeof worker_claims[0]);
    tcase_add_test(tests, sweep_same_as_in_one_process);
    tcase_add_test(tests, sweep_cut_to_the_budget);
    tcase_add_test(tests, sweep_waits_for_room);
    tcase_add_test(tests, sweep_survives_a_redis_that_forgets);
    tcase_add_test(tests, sweep_single_seed_over_budget);
    tcase_add_test(tests, session_life);
    tcase_add_test(tests, session_without_a_seed);
    tcase_add_loop_test(tests, refusals, 0, sizeof worker_refusals / sizeof worker_refusals[0]);
    tcase_add_test(tests, session_set_knows_the_model);
    tcase_add_test(tests, trace_is_kept);
    tcase_add_test(tests, status_shows_the_worker);
}

int main(void) {
    return suite_run("cli_worker", add, 120);
}
