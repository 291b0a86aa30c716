/* SPDX-License-Identifier: MIT */
/* The tests' own server: what other tests take for granted. */
#include "redis_server.h"

#include "suite.h"

#include <check.h>
#include <signal.h>
#include <unistd.h>

START_TEST(redis_server_lives_and_ends) {
    struct redis_server server;
    char reply[64];
    redis_server_start(&server, true, NULL);
    ck_assert_int_gt(server.port, 0);
    redis_server_ask(&server, "SET kept no", reply, sizeof reply);
    ck_assert_str_eq(reply, "+OK");
    redis_server_stop(&server);
    redis_server_again(&server);
    redis_server_ask(&server, "EXISTS kept", reply, sizeof reply);
    ck_assert_str_eq(reply, ":0");
    pid_t pid = server.pid;
    redis_server_remove(&server);
    ck_assert_int_eq(kill(pid, 0), -1);
    ck_assert_int_eq(access(server.dir, F_OK), -1);
}
END_TEST

START_TEST(redis_server_takes_options) {
    static const char *const extra[] = {
        "--appendonly", "yes", "--appendfsync", "always", "--requirepass", "secret", NULL};
    struct redis_server server;
    char reply[64];
    redis_server_start(&server, false, extra);
    redis_server_ask(&server, "GET a", reply, sizeof reply);
    ck_assert_str_eq(reply, "-NOAUTH Authentication required.");
    redis_server_kill(&server);
    redis_server_again(&server);
    redis_server_freeze(&server);
    redis_server_thaw(&server);
    redis_server_ask(&server, "AUTH secret", reply, sizeof reply);
    ck_assert_str_eq(reply, "+OK");
    redis_server_remove(&server);
}
END_TEST

static void redis_server_tests(TCase *tests) {
    tcase_add_test(tests, redis_server_lives_and_ends);
    tcase_add_test(tests, redis_server_takes_options);
}

int main(void) {
    return suite_run("redis_server", redis_server_tests, 60);
}
