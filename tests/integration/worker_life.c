/* SPDX-License-Identifier: MIT */
/* From the command line to the last farewell: starting, signals, draining, the admin's HTTP. */
#include "program.h"
#include "suite.h"
#include "worker_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void expect_exit(const char *line, int code, const char *says) {
    struct program program;
    program_run_line(&program, "susurration-worker", line);
    ck_assert_msg(program.code == code, "%s: exit %d: %s", line, program.code, program.err);
    ck_assert_msg(strstr(code == 0 ? program.out : program.err, says), "%s: %s%s", line,
                  program.out, program.err);
    program_release(&program);
}

START_TEST(worker_says_what_is_wrong_with_its_options) {
    expect_exit("--help", 0, "--drain-timeout S");
    expect_exit("--version", 0, SUSURRATION_VERSION);
    expect_exit("--lease 1000", 2, "--lease: a whole number from 2 to 300, not \"1000\"");
    expect_exit("--redis http://x", 2, "--redis: ");
    expect_exit("--admin nowhere", 2, "--admin: \"nowhere\" is not HOST:PORT");
    expect_exit("--admin 127.0.0.1:70000", 2, "--admin: the port is a number from 0 to 65535");
    expect_exit("--isa abacus", 2, "--isa: there is no engine \"abacus\"");
    expect_exit("--password-file /nowhere/at/all", 2, "/nowhere/at/all");
}
END_TEST

START_TEST(worker_admin_that_was_asked_for_must_be_free) {
    char options[256];
    worker_process_start(&worker, &server, "");
    snprintf(options, sizeof options, "--redis %s --admin 127.0.0.1:%d", server.url,
             worker.admin_port);
    expect_exit(options, 3, "Address already in use");
    worker_process_stop(&worker);
}
END_TEST

START_TEST(worker_admin_answers) {
    char answer[16384];
    worker_process_start(&worker, &server, "");
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/healthz", answer, sizeof answer), 200);
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/readyz", answer, sizeof answer), 200);
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/metrics", answer, sizeof answer), 200);
    ck_assert_ptr_nonnull(strstr(answer, "text/plain; version=0.0.4"));
    ck_assert_ptr_nonnull(strstr(answer, "\nsusurration_redis_up 1\n"));
    ck_assert_int_eq(worker_process_http(&worker, "HEAD", "/metrics", answer, sizeof answer), 200);
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/", answer, sizeof answer), 404);
    ck_assert_int_eq(worker_process_http(&worker, "POST", "/readyz", answer, sizeof answer), 405);
    ck_assert_ptr_nonnull(strstr(answer, "Allow: GET, HEAD"));
    worker_process_stop(&worker);
}
END_TEST

START_TEST(worker_without_redis_is_alive_and_not_ready) {
    struct redis_server none = server;
    char answer[1024];
    snprintf(none.url, sizeof none.url, "unix:///nowhere/redis.sock");
    worker_process_launch(&worker, &none, "");
    worker_process_expect(&worker, "no connection to Redis", "/nowhere/redis.sock");
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/healthz", answer, sizeof answer), 200);
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/readyz", answer, sizeof answer), 503);
    ck_assert_ptr_nonnull(strstr(answer, "no connection to Redis"));
    worker_process_stop(&worker);
}
END_TEST

START_TEST(worker_enters_and_leaves_the_registry) {
    worker_process_start(&worker, &server, "--name anna");
    client_until(&client, "1", "ZCARD flock:{main}:workers");
    ck_assert_ptr_nonnull(strstr(client_ask(&client, "KEYS flock:{main}:worker:anna-*"), "1"));
    worker_process_stop(&worker);
    ck_assert_str_eq(client_ask(&client, "ZCARD flock:{main}:workers"), "0");
    ck_assert_str_eq(client_ask(&client, "XINFO CONSUMERS flock:{main}:jobs:batch workers"),
                     "(list of 0)");
}
END_TEST

START_TEST(worker_idle_ends_at_once_on_either_signal) {
    worker_process_start(&worker, &server, "--log-format json");
    worker_process_signal(&worker, SIGINT);
    ck_assert_int_eq(worker_process_wait(&worker), 0);
    ck_assert(worker_process_said(&worker, "\"msg\":\"gone\"", ""));
}
END_TEST

/* What runs may finish, what waits is handed back, nothing counts as a loss. */
START_TEST(worker_drains) {
    worker_process_start(&worker, &server, "--slots 1");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'b'," SHORT_JOB "}");
    worker_process_stop(&worker);
    client_expect(&client, "a", RESULT_REJECTED);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:b"), "0");
    worker_process_start(&worker, &server, "--slots 1");
    client_expect(&client, "b", RESULT_OK);
    worker_process_stop(&worker);
}
END_TEST

START_TEST(worker_drain_hands_back_what_runs_too_long) {
    char pending[128];
    worker_process_start(&worker, &server, "--slots 1 --drain-timeout 0");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a'," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    worker_process_stop(&worker);
    ck_assert(worker_process_said(&worker, "job handed back", "job=a"));
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a"), "0");
    snprintf(pending, sizeof pending, "XPENDING flock:{main}:jobs:batch workers - + 9 released");
    ck_assert_str_eq(client_ask(&client, "%s", pending), "(list of 1)");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats released"), "1");
    ck_assert_str_eq(
        client_ask(&client, "EVAL return(redis.call('XPENDING',KEYS[1],'workers','-','+',1)[1][4]) "
                            "1 flock:{main}:jobs:batch"),
        "0"); /* deliveries: as if it had never been claimed */
    worker_process_start(&worker, &server, "--slots 1 --drain-timeout 0");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_until(&client, "1", "XLEN flock:{main}:jobs:batch");
    client_ask(&client, "SADD flock:{main}:cancelled b%s", client.entry);
    client_expect(&client, "a", RESULT_CANCELLED);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:dead"), "0");
    ck_assert_str_eq(client_ask(&client, "HEXISTS flock:{main}:stats reclaimed"), "0");
    worker_process_stop(&worker);
}
END_TEST

START_TEST(worker_second_signal_hands_back_at_once) {
    worker_process_start(&worker, &server, "--slots 1");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a'," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    worker_process_signal(&worker, SIGTERM);
    worker_process_expect(&worker, "finishing", "jobs=1");
    worker_process_signal(&worker, SIGTERM);
    ck_assert_int_eq(worker_process_wait(&worker), 0);
    ck_assert(worker_process_said(&worker, "stopping at once", ""));
    ck_assert(worker_process_said(&worker, "job handed back", "job=a"));
}
END_TEST

/* With a breath between two of them: a process that is hit without pause gets nowhere. */
static void hail_of_signals(void) {
    const struct timespec breath = {0, 300000};
    int status = 0;
    pid_t ended = 0;
    for (long i = 0; ended == 0 && i < 20000; i++) {
        ck_assert_int_eq(kill(worker.pid, i % 2 ? SIGINT : SIGTERM), 0);
        (void)nanosleep(&breath, NULL);
        ended = waitpid(worker.pid, &status, WNOHANG);
    }
    ck_assert_int_eq(ended, worker.pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %d, see %s", status,
                  worker.log);
}

/* Also of those that come when it is being taken apart, a moment that one try need not hit. */
START_TEST(worker_ends_well_however_many_signals_come) {
    enum { ROUNDS = 30 };
    struct redis_server none = server;
    snprintf(none.url, sizeof none.url, "unix:///nowhere/redis.sock");
    for (int round = 0; round < ROUNDS; round++) {
        worker_process_launch(&worker, &none, "");
        worker_process_expect(&worker, "no connection to Redis", "");
        hail_of_signals();
    }
}
END_TEST

/* The manager of services sees a worker that is alive, whatever Redis does. */
START_TEST(worker_feeds_the_watchdog_without_redis) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct redis_server none = server;
    char text[64];
    int beats = 0, fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    (void)snprintf(none.url, sizeof none.url, "unix:///nowhere/redis.sock");
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/notify", server.dir);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    setenv("WATCHDOG_USEC", "100000", 1);
    worker_process_launch(&worker, &none, "");
    while (beats < 20) { /* a second */
        ssize_t size = recv(fd, text, sizeof text - 1, 0);
        ck_assert_int_gt(size, 0);
        text[size] = '\0';
        beats += strcmp(text, "WATCHDOG=1") == 0;
    }
    worker_process_stop(&worker);
    close(fd);
    unlink(address.sun_path);
}
END_TEST

START_TEST(worker_is_quiet_between_tstp_and_cont) {
    char answer[1024];
    worker_process_start(&worker, &server, "");
    worker_process_signal(&worker, SIGTSTP);
    worker_process_expect(&worker, "msg=\"quiet\"", "");
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/readyz", answer, sizeof answer), 503);
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    worker_process_pause(300);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a"), "0");
    worker_process_signal(&worker, SIGCONT);
    client_expect(&client, "a", RESULT_OK);
    worker_process_signal(&worker, SIGTSTP);
    worker_process_stop(&worker);
}
END_TEST

/* It takes nothing new, and goes on with what it has. */
START_TEST(worker_respects_the_pause) {
    worker_process_start(&worker, &server, "--slots 2");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'long','budget_ms':1200," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_ask(&client, "HSET flock:{main}:config paused 1");
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'b'," SHORT_JOB "}");
    worker_process_pause(300);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a flock:{main}:result:b"),
                     "0");
    client_expect(&client, "long", RESULT_REJECTED);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a flock:{main}:result:b"),
                     "0");
    client_ask(&client, "HDEL flock:{main}:config paused");
    client_expect(&client, "a", RESULT_OK);
    client_expect(&client, "b", RESULT_OK);
    worker_process_stop(&worker);
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, NULL);
    tcase_add_test(tests, worker_says_what_is_wrong_with_its_options);
    tcase_add_test(tests, worker_admin_that_was_asked_for_must_be_free);
    tcase_add_test(tests, worker_admin_answers);
    tcase_add_test(tests, worker_without_redis_is_alive_and_not_ready);
    tcase_add_test(tests, worker_enters_and_leaves_the_registry);
    tcase_add_test(tests, worker_idle_ends_at_once_on_either_signal);
    tcase_add_test(tests, worker_drains);
    tcase_add_test(tests, worker_drain_hands_back_what_runs_too_long);
    tcase_add_test(tests, worker_second_signal_hands_back_at_once);
    tcase_add_test(tests, worker_ends_well_however_many_signals_come);
    tcase_add_test(tests, worker_feeds_the_watchdog_without_redis);
    tcase_add_test(tests, worker_is_quiet_between_tstp_and_cont);
    tcase_add_test(tests, worker_respects_the_pause);
}

int main(void) {
    return suite_run("worker_life", add, 60);
}
