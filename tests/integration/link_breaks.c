/* SPDX-License-Identifier: MIT */
/* The link when Redis dies, stops, changes its role, or is not there; and when it is closed. */
#include "link.h"

#include "link_probe.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct redis_server server;
static struct link_probe probe;
static struct link_answers answers;

static void link_setup(void) {
    redis_server_start(&server, true, NULL);
}

static void link_teardown(void) {
    redis_server_remove(&server);
}

static void link_has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static void link_admin(const char *command) {
    char reply[128];
    redis_server_ask(&server, command, reply, sizeof reply);
    ck_assert_msg(reply[0] != '-', "%s: %s", command, reply);
}

static void link_outlives_a_restart(const char *url) {
    link_probe_open_up(&probe, url);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "BLPOP none 0"), 0);
    link_probe_run(&probe, 20);
    redis_server_kill(&server);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.count, 100);
    ck_assert_int_eq(answers.none, 100);
    link_has(probe.reason, "broke: ");
    ck_assert(!link_is_up(probe.link));
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), ERR_DOWN);
    link_probe_until(&probe, &probe.downs, 2);
    link_has(probe.reason, "cannot connect to ");
    link_has(probe.reason, ": Connection refused");
    link_probe_run(&probe, 300); /* several attempts, all refused: said once */
    ck_assert_int_eq(probe.downs, 2);
    redis_server_again(&server);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_str_eq(link_reason(probe.link), "");
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    link_probe_close(&probe);
    ck_assert_int_eq(answers.count, 100);
}

START_TEST(link_server_killed_and_restarted) {
    link_outlives_a_restart(server.url);
}
END_TEST

START_TEST(link_server_killed_and_restarted_tcp) {
    link_outlives_a_restart(server.tcp_url);
}
END_TEST

/* Nothing in flight: the break is seen all the same, without a command that would notice. */
START_TEST(link_idle_notices_the_end) {
    link_probe_open_up(&probe, server.url);
    link_probe_run(&probe, 20);
    redis_server_stop(&server);
    link_probe_until(&probe, &probe.downs, 1);
    link_has(probe.reason, "redis.sock broke: Server closed the connection");
    link_probe_close(&probe);
}
END_TEST

/* The write meets a closed socket before the read does: an error, not SIGPIPE. */
START_TEST(link_write_into_a_broken_connection) {
    link_probe_open_up(&probe, server.url);
    redis_server_kill(&server);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.none, 10);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_server_comes_late) {
    redis_server_kill(&server);
    link_probe_open(&probe, &(struct link_options){.url = server.tcp_url});
    ck_assert_int_eq(link_wait_up(probe.link, 150), ERR_TIMEOUT);
    ck_assert_int_eq(probe.downs, 1);
    link_has(link_reason(probe.link), "cannot connect to 127.0.0.1:");
    redis_server_again(&server);
    ck_assert_int_eq(link_wait_up(probe.link, 20000), 0);
    ck_assert_int_eq(probe.ups, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_socket_that_does_not_exist) {
    link_probe_open(&probe, &(struct link_options){.url = "unix:///nonexistent/redis.sock"});
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_str_eq(probe.reason, "cannot connect to /nonexistent/redis.sock: "
                                   "No such file or directory");
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_frozen_server_is_late) {
    link_probe_open_up(&probe, server.url);
    redis_server_freeze(&server);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 120, "PING"), 0);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 120, "PING"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.none, 2);
    link_has(probe.reason, "redis.sock left a command without an answer for 120 ms");
    redis_server_thaw(&server);
    link_probe_until(&probe, &probe.ups, 2);
    link_probe_close(&probe);
    ck_assert_int_eq(answers.count, 2); /* late answers of the old connection go nowhere */
}
END_TEST

START_TEST(link_frozen_server_does_not_greet) {
    redis_server_freeze(&server);
    link_probe_open(&probe, &(struct link_options){.url = server.url, .connect_timeout_ms = 100});
    link_probe_until(&probe, &probe.downs, 1);
    link_has(probe.reason, "redis.sock did not answer within 100 ms");
    redis_server_thaw(&server);
    link_probe_until(&probe, &probe.ups, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_blocking_commands_have_their_own_time) {
    link_probe_open(&probe, &(struct link_options){.url = server.url, .command_timeout_ms = 500});
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 60000, "BLPOP none 1.2"), 0);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    link_probe_until(&probe, &answers.count, 2);
    ck_assert_str_eq(answers.text, "PONG");
    ck_assert_int_eq(probe.downs, 0);
    /* And the watch-dog is awake again behind them. */
    redis_server_freeze(&server);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    link_has(probe.reason, "for 500 ms");
    link_probe_close(&probe);
}
END_TEST

/* This process sleeps past the time limit while the answer waits in the socket. */
START_TEST(link_own_sleep_is_not_the_servers) {
    char reply[16];
    link_probe_open(&probe, &(struct link_options){.url = server.url, .command_timeout_ms = 50});
    link_probe_until(&probe, &probe.ups, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
        uv_run(&probe.loop, UV_RUN_NOWAIT);
        redis_server_ask(&server, "PING", reply, sizeof reply); /* so ours is answered too */
        usleep(100000);
        link_probe_until(&probe, &answers.count, i + 1);
    }
    ck_assert_int_eq(answers.none, 0);
    ck_assert_int_eq(probe.downs, 0);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_readonly_after_failover) {
    link_probe_open_up(&probe, server.url);
    ck_assert_str_eq(link_probe_ask(&probe, "REPLICAOF 127.0.0.1 1"), "OK");
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "SET a b"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.count, 1);
    link_has(answers.text, "READONLY ");
    link_has(probe.reason, "redis.sock is of no use now: READONLY ");
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_str_eq(link_probe_ask(&probe, "REPLICAOF NO ONE"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "SET a b"), "OK");
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_readonly_from_a_function) {
    static const char *const load[] = {"FUNCTION", "LOAD",
                                       ("#!lua name=l\nredis.register_function('set_it', "
                                        "function(k) return redis.call('SET', k[1], 'x') end)")};
    link_probe_open_up(&probe, server.url);
    ck_assert_int_eq(link_call(probe.link, link_answers_take, &answers, 0, 3, load, NULL), 0);
    ck_assert_str_eq(answers.text, "l");
    ck_assert_str_eq(link_probe_ask(&probe, "FCALL set_it 1 a"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "REPLICAOF 127.0.0.1 1"), "OK");
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "FCALL set_it 1 a"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    link_has(answers.text, "READONLY ");
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_replica_without_its_master) {
    link_admin("CONFIG SET replica-serve-stale-data no");
    link_admin("REPLICAOF 127.0.0.1 1");
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    link_probe_until(&probe, &probe.downs, 1);
    link_has(probe.reason, "redis.sock: not ready: MASTERDOWN");
    ck_assert_int_eq(link_wait_up(probe.link, 50), ERR_TIMEOUT);
    link_admin("REPLICAOF NO ONE");
    link_probe_until(&probe, &probe.ups, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_killed_by_the_operator) {
    link_probe_open_up(&probe, server.tcp_url);
    link_admin("CLIENT KILL TYPE normal");
    link_probe_until(&probe, &probe.downs, 1);
    link_probe_until(&probe, &probe.ups, 2);
    link_probe_close(&probe);
}
END_TEST

/* Redis says why and hangs up at once, perhaps before our greeting is written. */
START_TEST(link_too_many_clients) {
    struct link_probe second = {0};
    link_probe_open_up(&probe, server.url);
    ck_assert_str_eq(link_probe_ask(&probe, "CONFIG SET maxclients 1"), "OK");
    link_probe_open(&second, &(struct link_options){.url = server.url});
    link_probe_until(&second, &second.downs, 1);
    link_has(second.reason, "redis.sock: not ready: ERR max number of clients reached");
    ck_assert_str_eq(link_probe_ask(&probe, "CONFIG SET maxclients 100"), "OK");
    link_probe_until(&second, &second.ups, 1);
    link_probe_close(&second);
    link_probe_close(&probe);
}
END_TEST

/* --- closing ---------------------------------------------------------------------------------*/

START_TEST(link_close_before_anything) {
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    link_probe_close(&probe);
    ck_assert_int_eq(probe.ups + probe.downs, 0);
}
END_TEST

/* One turn of the loop more each time, through look-up, connect and greeting. */
START_TEST(link_close_while_connecting) {
    char url[64];
    snprintf(url, sizeof url, "redis://localhost:%d", server.port);
    for (int turns = 0; turns < 24; turns++) {
        probe = (struct link_probe){0};
        link_probe_open(&probe, &(struct link_options){.url = turns % 2 ? url : server.tcp_url});
        for (int i = 0; i < turns / 2; i++)
            uv_run(&probe.loop, UV_RUN_NOWAIT);
        link_probe_close(&probe);
        ck_assert_int_eq(probe.downs, 0);
    }
}
END_TEST

START_TEST(link_close_while_waiting) {
    redis_server_kill(&server);
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    link_probe_until(&probe, &probe.downs, 1);
    link_probe_close(&probe);
    ck_assert_int_eq(probe.downs, 1);
}
END_TEST

START_TEST(link_close_with_commands_in_flight) {
    link_probe_open_up(&probe, server.url);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "BLPOP none 0"), 0);
    uv_run(&probe.loop, UV_RUN_NOWAIT);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    link_probe_close(&probe);
    ck_assert_int_eq(answers.count, 200);
    ck_assert_int_eq(answers.none, 200);
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

static void link_on_closed(void *context) {
    ((struct link_probe *)context)->closed = true;
}

static void link_close_now(struct link_probe *self) {
    struct link *link = self->link;
    self->link = NULL; /* first: link_close answers what is in flight before it returns */
    link_close(link, link_on_closed, self);
}

static void link_close_on_reply(void *context, const struct link_reply *reply) {
    link_answers_take(context, reply);
    if (probe.link)
        link_close_now(&probe);
}

START_TEST(link_close_from_a_reply) {
    link_probe_open_up(&probe, server.url);
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(link_send(probe.link, link_close_on_reply, &answers, 0, 1,
                                   (const char *[]){"PING"}, NULL),
                         0);
    link_probe_until(&probe, &answers.count, 50);
    ck_assert_int_eq(answers.none, 49);
    link_probe_close(&probe);
    ck_assert_int_eq(answers.count, 50);
}
END_TEST

START_TEST(link_close_from_the_answer_of_a_broken_connection) {
    link_probe_open_up(&probe, server.url);
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(link_send(probe.link, link_close_on_reply, &answers, 0, 3,
                                   (const char *[]){"BLPOP", "none", "0"}, NULL),
                         0);
    redis_server_kill(&server);
    link_probe_until(&probe, &answers.count, 50);
    ck_assert_int_eq(answers.none, 50);
    link_probe_close(&probe);
    ck_assert_int_eq(answers.count, 50);
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

START_TEST(link_close_from_up) {
    probe.on_up = link_close_now;
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    link_probe_until(&probe, &probe.ups, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_close_from_down) {
    probe.on_down = link_close_now;
    link_probe_open_up(&probe, server.url);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "BLPOP none 0"), 0);
    redis_server_kill(&server);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.none, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_close_from_the_watch_dog) {
    probe.on_down = link_close_now;
    link_probe_open_up(&probe, server.url);
    redis_server_freeze(&server);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 50, "PING"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    link_probe_close(&probe);
}
END_TEST

/* Those who wait learn that the link is gone, and do not touch it. */
START_TEST(link_close_under_those_who_wait) {
    redis_server_kill(&server);
    probe.on_down = link_close_now;
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    ck_assert_int_eq(link_wait_up(probe.link, 20000), ERR_DOWN);
    link_probe_close(&probe);

    redis_server_again(&server);
    probe = (struct link_probe){0};
    link_probe_open_up(&probe, server.url);
    ck_assert_int_eq(
        link_send(probe.link, link_close_on_reply, &answers, 0, 1, (const char *[]){"PING"}, NULL),
        0);
    ck_assert_int_eq(link_call(probe.link, link_answers_take, &answers, 0, 3,
                               (const char *[]){"BLPOP", "none", "0"}, NULL),
                     ERR_DOWN);
    ck_assert_int_eq(answers.count, 2);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_call_when_redis_dies) {
    link_probe_open_up(&probe, server.url);
    redis_server_kill(&server);
    const char *argv[] = {"PING"};
    ck_assert_int_eq(link_call(probe.link, link_answers_take, &answers, 0, 1, argv, NULL),
                     ERR_DOWN);
    ck_assert_int_eq(link_call(probe.link, link_answers_take, &answers, 0, 1, argv, NULL),
                     ERR_DOWN);
    ck_assert_int_eq(answers.count, 1); /* the second was not accepted */
    link_probe_close(&probe);
}
END_TEST

static void link_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, link_setup, link_teardown);
    tcase_add_test(tests, link_server_killed_and_restarted);
    tcase_add_test(tests, link_server_killed_and_restarted_tcp);
    tcase_add_test(tests, link_idle_notices_the_end);
    tcase_add_test(tests, link_write_into_a_broken_connection);
    tcase_add_test(tests, link_server_comes_late);
    tcase_add_test(tests, link_socket_that_does_not_exist);
    tcase_add_test(tests, link_frozen_server_is_late);
    tcase_add_test(tests, link_frozen_server_does_not_greet);
    tcase_add_test(tests, link_blocking_commands_have_their_own_time);
    tcase_add_test(tests, link_own_sleep_is_not_the_servers);
    tcase_add_test(tests, link_readonly_after_failover);
    tcase_add_test(tests, link_readonly_from_a_function);
    tcase_add_test(tests, link_replica_without_its_master);
    tcase_add_test(tests, link_killed_by_the_operator);
    tcase_add_test(tests, link_too_many_clients);
    tcase_add_test(tests, link_close_before_anything);
    tcase_add_test(tests, link_close_while_connecting);
    tcase_add_test(tests, link_close_while_waiting);
    tcase_add_test(tests, link_close_with_commands_in_flight);
    tcase_add_test(tests, link_close_from_a_reply);
    tcase_add_test(tests, link_close_from_the_answer_of_a_broken_connection);
    tcase_add_test(tests, link_close_from_up);
    tcase_add_test(tests, link_close_from_down);
    tcase_add_test(tests, link_close_from_the_watch_dog);
    tcase_add_test(tests, link_close_under_those_who_wait);
    tcase_add_test(tests, link_call_when_redis_dies);
}

int main(void) {
    return suite_run("link_breaks", link_tests, 60);
}
