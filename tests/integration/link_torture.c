/* SPDX-License-Identifier: MIT */
/*
 * The link with every allocation failing in turn, from link_open to the answers of its first
 * commands. One failure: it says so where it is asked, or tries again and is up. All later ones
 * too: it stays down and says why, and comes up once there is memory.
 */
#include "link.h"

#include "link_probe.h"
#include "mem.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40, COMMANDS = 70 }; /* more commands than the queue has room for at first */

static struct redis_server server;
static struct link_answers answers;

static void setup(void) {
    redis_server_start(&server, true, NULL);
}

static void teardown(void) {
    redis_server_remove(&server);
}

/* One after another, each sent again until it is taken. */
static void send_all(struct link *link, uv_loop_t *loop) {
    static const char *const argv[] = {"ECHO", "text"};
    int taken = 0;
    answers = (struct link_answers){0};
    while (taken < COMMANDS) {
        int code = link_send(link, link_answers_take, &answers, 0, 2, argv, NULL);
        ck_assert(code == 0 || code == ERR_NO_MEMORY);
        taken += code == 0;
    }
    while (answers.count < COMMANDS)
        uv_run(loop, UV_RUN_ONCE);
    ck_assert_int_eq(answers.none, 0);
    ck_assert_str_eq(answers.text, "text");
}

/* Whether an allocation failed. */
static bool torture(const char *url, unsigned nth, int after) {
    struct link_options options = {.url = url, .client_name = "n", .connect_timeout_ms = 5000};
    struct link *link = NULL;
    uv_loop_t loop;
    char why[256] = "";
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    mem_fail(nth, after);
    int code = link_open(&link, &loop, &options, why, sizeof why);
    if (code == 0) {
        code = link_wait_up(link, after ? 200 : 20000);
        if (after && code == ERR_TIMEOUT) {
            ck_assert_ptr_nonnull(strstr(link_reason(link), "out of memory"));
            mem_fail(0, 0);
            code = link_wait_up(link, 20000);
        }
        ck_assert_int_eq(code, 0);
        if (after) /* a command is sent again until it is taken */
            mem_fail(0, 0);
        send_all(link, &loop);
        link_close(link, NULL, NULL);
    } else {
        ck_assert_int_eq(code, ERR_NO_MEMORY);
        ck_assert_str_eq(why, "out of memory");
    }
    bool failed = mem_failures() > 0;
    mem_fail(0, 0);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    return failed;
}

/* A bare machine without /etc/hosts may know no name at all. */
static const char *name_or_address(void) {
    struct addrinfo *list = NULL;
    if (getaddrinfo("localhost", NULL, NULL, &list) != 0)
        return "127.0.0.1";
    freeaddrinfo(list);
    return "localhost";
}

/* 0: by the socket, 1: by the host's name. */
START_TEST(link_without_memory) {
    char url[128];
    (void)snprintf(url, sizeof url, "redis://%s:%d", name_or_address(), server.port);
    unsigned nth = 1;
    while (nth < MOST && torture(_i ? url : server.url, nth, 0))
        nth++;
    ck_assert_uint_gt(nth, 7);
    ck_assert_uint_lt(nth, MOST);
    for (unsigned from = 1; from < nth; from++)
        (void)torture(_i ? url : server.url, from, 1);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, link_without_memory, 0, 2);
}

int main(void) {
    return suite_run("link_torture", add, 60);
}
