/* SPDX-License-Identifier: MIT */
/* The link against a real redis-server: commands, logins, and what it says of bad options. */
#include "link.h"

#include "link_probe.h"
#include "mem.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct redis_server server;
static struct link_probe probe;

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

START_TEST(link_replies_of_each_type) {
    link_probe_open_up(&probe, server.url);
    ck_assert(link_is_up(probe.link));
    ck_assert_str_eq(link_reason(probe.link), "");
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 42"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "GET a"), "42");
    ck_assert_str_eq(link_probe_ask(&probe, "INCR a"), "43");
    ck_assert_str_eq(link_probe_ask(&probe, "GET none"), "(nil)");
    ck_assert_str_eq(link_probe_ask(&probe, "MGET a none"), "(list of 2)");
    ck_assert_str_eq(link_probe_ask(&probe, "HGET a b"),
                     "WRONGTYPE Operation against a key holding the wrong kind of value");
    link_probe_close(&probe);
}
END_TEST

static void link_check_list(void *context, const struct link_reply *reply) {
    size_t size;
    ck_assert_int_eq(link_reply_type(reply), LINK_LIST);
    ck_assert_uint_eq(link_reply_count(reply), 4);
    ck_assert_int_eq(link_reply_integer(link_reply_item(reply, 0), -7), 12);
    ck_assert_int_eq(link_reply_integer(link_reply_item(reply, 1), -7), -7);
    ck_assert_str_eq(link_reply_text(link_reply_item(reply, 1), &size), "text");
    ck_assert_uint_eq(size, 4);
    const struct link_reply *inner = link_reply_item(reply, 2);
    ck_assert_uint_eq(link_reply_count(inner), 1);
    ck_assert_int_eq(link_reply_integer(link_reply_item(inner, 0), 0), INT64_MIN);
    ck_assert_int_eq(link_reply_integer(link_reply_item(reply, 3), -7), -7);
    ck_assert_ptr_null(link_reply_item(reply, 4));
    ck_assert_ptr_null(link_reply_text(reply, &size));
    ck_assert_uint_eq(size, 0);
    ck_assert(!link_reply_is_error(reply, "ERR"));
    ++*(int *)context;
}

static void link_check_error(void *context, const struct link_reply *reply) {
    ck_assert(link_reply_is_error(reply, "CODE"));
    ck_assert(!link_reply_is_error(reply, "COD"));
    ck_assert(!link_reply_is_error(reply, "CODES"));
    ck_assert_int_eq(link_reply_integer(reply, 5), 5);
    ++*(int *)context;
}

START_TEST(link_replies_are_read) {
    static const char *const list[] = {
        "EVAL", "return {12, 'text', {'-9223372036854775808'}, '9223372036854775808'}", "0"};
    static const char *const error[] = {"EVAL", "return redis.error_reply('CODE of ours')", "0"};
    int count = 0;
    link_probe_open_up(&probe, server.url);
    ck_assert_int_eq(link_call(probe.link, link_check_list, &count, 0, 3, list, NULL), 0);
    ck_assert_int_eq(link_call(probe.link, link_check_error, &count, 0, 3, error, NULL), 0);
    ck_assert_int_eq(count, 2);
    link_probe_close(&probe);

    size_t size = 9;
    ck_assert_int_eq(link_reply_type(NULL), LINK_NIL);
    ck_assert_ptr_null(link_reply_text(NULL, &size));
    ck_assert_uint_eq(size, 0);
    ck_assert_int_eq(link_reply_integer(NULL, 3), 3);
    ck_assert_uint_eq(link_reply_count(NULL), 0);
    ck_assert_ptr_null(link_reply_item(NULL, 0));
    ck_assert(!link_reply_is_error(NULL, "ERR"));
}
END_TEST

enum { LINK_MANY = 50000 };
static int link_next;

static void link_check_order(void *context, const struct link_reply *reply) {
    (void)context;
    ck_assert_int_eq(link_reply_integer(reply, -1), link_next);
    link_next++;
}

/* Where much is to be done, the machine may be slow. */
static void link_open_patient(const char *url) {
    link_probe_open(&probe, &(struct link_options){.url = url, .command_timeout_ms = 60000});
    link_probe_until(&probe, &probe.ups, 1);
}

START_TEST(link_many_commands_at_once_in_order) {
    link_open_patient(server.url);
    for (int i = 0; i < LINK_MANY; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        const char *argv[] = {"ECHO", number};
        ck_assert_int_eq(link_send(probe.link, link_check_order, NULL, 0, 2, argv, NULL), 0);
    }
    ck_assert_int_eq(link_next, 0); /* nothing is answered from inside link_send */
    link_probe_until(&probe, &link_next, LINK_MANY);
    ck_assert_int_eq(link_next, LINK_MANY);
    ck_assert_int_eq(probe.downs, 0);
    link_probe_close(&probe);
}
END_TEST

enum { LINK_BIG = 1 << 20 };
static char link_big[LINK_BIG];

static void link_check_big(void *context, const struct link_reply *reply) {
    size_t size;
    const char *text = link_reply_text(reply, &size);
    ck_assert_uint_eq(size, LINK_BIG);
    ck_assert(memcmp(text, link_big, LINK_BIG) == 0);
    ++*(int *)context;
}

START_TEST(link_big_binary_values) {
    for (size_t i = 0; i < LINK_BIG; i++)
        link_big[i] = (char)(i * 2654435761u >> 13);
    struct link_answers answers = {0};
    int count = 0;
    const char *set[] = {"SET", "big\0key", link_big}, *get[] = {"GET", "big\0key"};
    const size_t size[] = {3, 7, LINK_BIG};
    link_open_patient(server.tcp_url);
    ck_assert_int_eq(link_send(probe.link, link_answers_take, &answers, 0, 3, set, size), 0);
    for (int i = 0; i < 30; i++)
        ck_assert_int_eq(link_send(probe.link, link_check_big, &count, 0, 2, get, size), 0);
    link_probe_until(&probe, &count, 30);
    ck_assert_str_eq(answers.text, "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "EXISTS big"), "0");
    link_probe_close(&probe);
}
END_TEST

/* Far more than the socket takes, so that the link has to wait until it may write again. */
START_TEST(link_more_than_the_socket_holds) {
    struct link_answers answers = {0};
    const char *argv[] = {"ECHO", link_big};
    const size_t size[] = {4, LINK_BIG};
    link_open_patient(server.url);
    redis_server_freeze(&server);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(link_send(probe.link, link_answers_take, &answers, 0, 2, argv, size), 0);
    link_probe_run(&probe, 50);
    ck_assert_int_eq(answers.count, 0);
    redis_server_thaw(&server);
    link_probe_until(&probe, &answers.count, 20);
    ck_assert_msg(answers.none == 0, "%d: %s", answers.none, probe.reason);
    ck_assert_int_eq(probe.downs, 0);
    link_probe_close(&probe);
}
END_TEST

static void link_send_another(void *context, const struct link_reply *reply) {
    int *count = context;
    ck_assert_str_eq(link_reply_text(reply, NULL), "PONG");
    if (++*count < 1000)
        ck_assert_int_eq(
            link_send(probe.link, link_send_another, count, 0, 1, (const char *[]){"PING"}, NULL),
            0);
}

START_TEST(link_send_from_a_callback) {
    int count = 0;
    link_probe_open_up(&probe, server.url);
    ck_assert_int_eq(
        link_send(probe.link, link_send_another, &count, 0, 1, (const char *[]){"PING"}, NULL), 0);
    link_probe_until(&probe, &count, 1000);
    link_probe_close(&probe);
}
END_TEST

static uv_prepare_t link_prepare;
static int link_prepared;
static struct link_answers link_prepare_answers;

static void link_on_prepare(uv_prepare_t *prepare) {
    uv_prepare_stop(prepare);
    link_prepared++;
    ck_assert_int_eq(link_probe_send(&probe, &link_prepare_answers, 0, "PING"), 0);
}

/* The last callbacks before the loop blocks: a command sent there must not be left behind. */
START_TEST(link_send_just_before_the_loop_blocks) {
    link_probe_open_up(&probe, server.url);
    uv_prepare_init(&probe.loop, &link_prepare);
    uv_prepare_start(&link_prepare, link_on_prepare);
    link_probe_until(&probe, &link_prepare_answers.count, 1);
    ck_assert_int_eq(link_prepared, 1);
    ck_assert_int_eq(probe.downs, 0);
    uv_close((uv_handle_t *)&link_prepare, NULL);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_send_without_a_listener) {
    link_probe_open_up(&probe, server.url);
    const char *argv[] = {"INCR", "n"};
    ck_assert_int_eq(link_send(probe.link, NULL, NULL, 0, 2, argv, NULL), 0);
    ck_assert_int_eq(link_call(probe.link, NULL, NULL, 0, 2, argv, NULL), 0);
    ck_assert_str_eq(link_probe_ask(&probe, "GET n"), "2");
    ck_assert_int_eq(link_send(probe.link, NULL, NULL, 0, 2, argv, NULL), 0);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_send_refuses) {
    static const char *const odd[] = {"SUBSCRIBE c",  "pSubscribe c", "ssubscribe c", "UNSUBSCRIBE",
                                      "punsubscribe", "sunsubscribe", "monitor"};
    struct link_answers answers = {0};
    link_probe_open(&probe, &(struct link_options){.url = server.url});
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), ERR_DOWN);
    ck_assert_int_eq(link_wait_up(probe.link, 10000), 0);
    ck_assert_int_eq(link_wait_up(probe.link, 0), 0);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, odd[i]), ERR_UNSUPPORTED);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, ""), ERR_INVALID);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    ck_assert_int_eq(answers.count, 0);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_name_and_database) {
    char url[160];
    snprintf(url, sizeof url, "%s/3", server.tcp_url);
    link_probe_open(&probe, &(struct link_options){.url = url, .client_name = "worker:1"});
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_str_eq(link_probe_ask(&probe, "CLIENT GETNAME"), "worker:1");
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 1"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "MOVE a 0"), "1");
    link_probe_close(&probe);
    char reply[16];
    redis_server_ask(&server, "GET a", reply, sizeof reply);
    ck_assert_str_eq(reply, "$1");
}
END_TEST

/* A bare system may have no /etc/hosts; then there is nobody to ask, and the link says so. */
START_TEST(link_name_of_a_host) {
    char url[64];
    struct addrinfo *list = NULL;
    bool known = getaddrinfo("localhost", NULL, NULL, &list) == 0;
    if (known)
        freeaddrinfo(list);
    snprintf(url, sizeof url, "redis://localhost:%d", server.port);
    link_probe_open(&probe, &(struct link_options){.url = url});
    link_probe_until(&probe, known ? &probe.ups : &probe.downs, 1);
    if (known)
        ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    else
        link_has(probe.reason, "cannot connect to localhost:");
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_host_that_does_not_exist) {
    static const char url[] =
        "redis://a23456789012345678901234567890123456789012345678901234567890longerthan63";
    link_probe_open(&probe, &(struct link_options){.url = url});
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_msg(strstr(probe.reason, "cannot connect to a234") != NULL, "%s", probe.reason);
    ck_assert_str_eq(link_reason(probe.link), probe.reason);
    link_probe_close(&probe);
}
END_TEST

/* The reason of a login that must fail, and that it fails at once and is not hammered. */
static const char *link_refused(const struct link_options *options, int code) {
    static char reason[512];
    probe = (struct link_probe){0};
    link_probe_open(&probe, options);
    ck_assert_int_eq(link_wait_up(probe.link, 20000), code);
    ck_assert_int_eq(link_wait_up(probe.link, 20000), code);
    ck_assert(!link_is_up(probe.link));
    snprintf(reason, sizeof reason, "%s", link_reason(probe.link));
    link_probe_run(&probe, 500);
    ck_assert_int_eq(probe.downs, 1);
    ck_assert_str_eq(link_reason(probe.link), reason);
    link_probe_close(&probe);
    return reason;
}

START_TEST(link_password_wrong_or_missing) {
    char url[160];
    link_admin("CONFIG SET requirepass s3cret");
    snprintf(url, sizeof url, "unix://:wrong@%s", server.path);
    const char *reason = link_refused(&(struct link_options){.url = url}, ERR_AUTH);
    link_has(reason, "redis.sock: login refused: WRONGPASS");
    ck_assert_ptr_null(strstr(reason, "wrong@"));
    link_has(link_refused(&(struct link_options){.url = server.url}, ERR_AUTH),
             "login refused: NOAUTH");
}
END_TEST

START_TEST(link_password_where_none_is_wanted) {
    char url[160];
    snprintf(url, sizeof url, "unix://:some@%s", server.path);
    link_has(link_refused(&(struct link_options){.url = url}, ERR_AUTH), "login refused: ERR AUTH");
}
END_TEST

START_TEST(link_password_percent_encoded) {
    char url[160];
    link_admin("CONFIG SET requirepass \"p@ss/w:?%d \"");
    snprintf(url, sizeof url, "redis://:p%%40ss%%2Fw%%3A%%3F%%25d%%20@127.0.0.1:%d/0", server.port);
    link_probe_open_up(&probe, url);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    link_probe_close(&probe);
}
END_TEST

static void link_write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(link_password_file_is_read_again) {
    char path[128];
    snprintf(path, sizeof path, "%s/password", server.dir);
    link_write_file(path, "first one\r\nnot this\n");
    link_admin("CONFIG SET requirepass \"first one\"");
    link_probe_open(&probe, &(struct link_options){.url = server.url, .password_file = path});
    link_probe_until(&probe, &probe.ups, 1);
    link_write_file(path, "second");
    ck_assert_str_eq(link_probe_ask(&probe, "CONFIG SET requirepass second"), "OK");
    struct link_answers answers = {0};
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "CLIENT KILL TYPE normal SKIPME no"), 0);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(probe.downs, 1);
    ck_assert_int_eq(answers.count, 1);
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_acl_user_with_few_rights) {
    char url[160], path[128];
    link_admin("ACL SETUSER few on >pw ~* +get +acl|whoami");
    snprintf(url, sizeof url, "unix://few:pw@%s", server.path);
    link_probe_open(&probe, &(struct link_options){.url = url, .client_name = "n"});
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_str_eq(link_probe_ask(&probe, "ACL WHOAMI"), "few");
    link_probe_close(&probe);

    probe = (struct link_probe){0};
    snprintf(path, sizeof path, "%s/password", server.dir);
    link_write_file(path, "pw\n");
    snprintf(url, sizeof url, "unix://few@%s", server.path);
    link_probe_open(&probe, &(struct link_options){.url = url, .password_file = path});
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_str_eq(link_probe_ask(&probe, "ACL WHOAMI"), "few");
    link_probe_close(&probe);
}
END_TEST

START_TEST(link_database_that_does_not_exist) {
    char url[160];
    snprintf(url, sizeof url, "%s?db=99", server.url);
    link_has(link_refused(&(struct link_options){.url = url}, ERR_REFUSED),
             "refused: ERR DB index is out of range");
}
END_TEST

START_TEST(link_open_names_what_is_wrong) {
    static const struct {
        struct link_options options;
        const char *why;
    } bad[] = {
        {{.url = "localhost:6379"}, "redis://"},
        {{.url = "redis://h:0"}, "port \"0\""},
        {{.url = "redis://user@h"}, "a user without a password"},
        {{.url = "redis://h", .client_name = "two words"}, "client name"},
        {{.url = "redis://h", .password_file = "/nonexistent/file"},
         "password file /nonexistent/file: No such file"},
        {{.url = "redis://h", .password_file = "/dev/null"},
         "password file /dev/null: its first line is empty"},
        {{.url = "redis://h", .password_file = "/dev/zero"},
         "password file /dev/zero: its first line is empty"},
        {{.url = "redis://h", .password_file = "/"}, "password file /: "},
    };
    uv_loop_t loop;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct link *link = NULL;
        char why[256] = "";
        ck_assert_int_eq(link_open(&link, &loop, &bad[i].options, why, sizeof why), ERR_INVALID);
        link_has(why, bad[i].why);
        ck_assert_ptr_null(link);
    }
    ck_assert_int_eq(uv_loop_close(&loop), 0); /* nothing was opened */
}
END_TEST

START_TEST(link_open_without_memory) {
    char path[128];
    snprintf(path, sizeof path, "%s/password", server.dir);
    link_write_file(path, "pw");
    const struct link_options options = {
        .url = "redis://h", .password_file = path, .client_name = "n", .slot_key = "k"};
    uv_loop_t loop;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    unsigned nth = 1;
    struct link *link = NULL;
    for (int result = ERR_NO_MEMORY; result != 0; nth++) {
        char why[256] = "";
        ck_assert_uint_lt(nth, 20);
        mem_fail(nth, 0);
        result = link_open(&link, &loop, &options, why, sizeof why);
        ck_assert(result == 0 || result == ERR_NO_MEMORY);
        ck_assert_str_eq(why, result == 0 ? "" : "out of memory");
    }
    ck_assert_uint_gt(nth, 3);
    mem_fail(0, 0);
    link_close(link, NULL, NULL);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

static void link_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, link_setup, link_teardown);
    tcase_add_test(tests, link_replies_of_each_type);
    tcase_add_test(tests, link_replies_are_read);
    tcase_add_test(tests, link_many_commands_at_once_in_order);
    tcase_add_test(tests, link_big_binary_values);
    tcase_add_test(tests, link_more_than_the_socket_holds);
    tcase_add_test(tests, link_send_from_a_callback);
    tcase_add_test(tests, link_send_just_before_the_loop_blocks);
    tcase_add_test(tests, link_send_without_a_listener);
    tcase_add_test(tests, link_send_refuses);
    tcase_add_test(tests, link_name_and_database);
    tcase_add_test(tests, link_name_of_a_host);
    tcase_add_test(tests, link_host_that_does_not_exist);
    tcase_add_test(tests, link_password_wrong_or_missing);
    tcase_add_test(tests, link_password_where_none_is_wanted);
    tcase_add_test(tests, link_password_percent_encoded);
    tcase_add_test(tests, link_password_file_is_read_again);
    tcase_add_test(tests, link_acl_user_with_few_rights);
    tcase_add_test(tests, link_database_that_does_not_exist);
    tcase_add_test(tests, link_open_names_what_is_wrong);
    tcase_add_test(tests, link_open_without_memory);
}

int main(void) {
    return suite_run("link", link_tests, 60);
}
