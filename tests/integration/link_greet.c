/* SPDX-License-Identifier: MIT */
/* What the link makes of a Redis that is not ready, not fit, or not Redis: played by a fake. */
#include "link.h"

#include "fake_redis.h"
#include "link_probe.h"
#include "suite.h"

#include <check.h>
#include <string.h>

static struct link_probe probe;
static struct fake_redis fake;
static struct link_answers answers;

static void link_setup(void) {
    fake_redis_start(&fake, link_probe_loop(&probe));
}

static void link_teardown(void) {
    fake_redis_stop(&fake);
    link_probe_close(&probe);
}

static void link_open_at_fake(void) {
    link_probe_open(&probe, &(struct link_options){.url = fake.url});
}

static void link_has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

/* What gets better: tried again until it is, and told once. */
static const struct {
    struct fake_rule rules[2];
    const char *welcome, *why;
} link_transient[] = {
    {{{"PING", "-LOADING Redis is loading the dataset in memory\r\n"}},
     NULL,
     "not ready: LOADING Redis is loading the dataset in memory"},
    {{{"AUTH", "-LOADING Redis is loading\r\n"}}, NULL, "not ready: LOADING"},
    {{{"PING", "-MASTERDOWN Link with MASTER is down\r\n"}}, NULL, "not ready: MASTERDOWN"},
    {{{"INFO", "-BUSY Redis is busy running a script.\r\n"}}, NULL, "not ready: BUSY"},
    {{{0}}, "-ERR max number of clients reached\r\n", "ERR max number of clients reached"},
    {{{"PING", NULL}}, NULL, "broke: "},
    {{{"AUTH", NULL}}, NULL, "broke: "},
    {{{"INFO", "HTTP/1.1 400 Bad Request\r\n"}}, NULL, "broke: Protocol error"},
    {{{"INFO", ""}}, NULL, "did not answer within 200 ms"},
    {{{"PING", ""}}, NULL, "did not answer within 200 ms"},
};

START_TEST(link_greet_waits_for_better_times) {
    char url[160];
    snprintf(url, sizeof url, "unix://:pw@%s", fake.url + strlen("unix://"));
    fake.rules = link_transient[_i].rules;
    fake.welcome = link_transient[_i].welcome;
    const char *reply = fake.rules[0].reply;
    bool silent = reply && !*reply;
    link_probe_open(&probe,
                    &(struct link_options){.url = url, .connect_timeout_ms = silent ? 200 : 0});
    link_probe_until(&probe, &fake.connections, 3);
    ck_assert_int_eq(probe.downs, 1);
    link_has(probe.reason, link_transient[_i].why);
    ck_assert(!link_is_up(probe.link));
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), ERR_DOWN);
    fake.rules = NULL;
    fake.welcome = NULL;
    ck_assert_int_eq(link_wait_up(probe.link, 20000), 0);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
}
END_TEST

/* What does not get better by itself: said at once, and tried again seldom. */
static const struct {
    struct fake_rule rules[2];
    const char *welcome;
    int code;
    const char *why;
} link_lasting[] = {
    {{{"INFO", "=redis_version:6.2.1\r\n\r\n"}},
     NULL,
     ERR_UNSUPPORTED,
     "Redis 6.2.1 is too old: 7.0 or newer is needed"},
    {{{"INFO", "=redis_version:5.0.\n"}}, NULL, ERR_UNSUPPORTED, "Redis 5.0. is too old"},
    {{{"INFO", "=redis_version:6\x1b[2J\r\n"}}, NULL, ERR_UNSUPPORTED, "Redis 6\\x1b[2J is too"},
    {{{"INFO", "-NOAUTH Authentication required.\r\n"}}, NULL, ERR_AUTH, "login refused: NOAUTH"},
    {{{"AUTH", "-WRONGPASS invalid username-password pair\r\n"}},
     NULL,
     ERR_AUTH,
     "login refused: WRONGPASS"},
    {{{"AUTH", "-NOPERM no\r\n"}}, NULL, ERR_AUTH, "login refused: NOPERM no"},
    {{{"SELECT", "-ERR DB index is out of range\r\n"}},
     NULL,
     ERR_REFUSED,
     "refused: ERR DB index is out of range"},
    {{{0}},
     "-DENIED Redis is running in protected mode\r\n",
     ERR_REFUSED,
     "refused: DENIED Redis is running in protected mode"},
};

START_TEST(link_greet_gives_up_for_now) {
    char url[160];
    snprintf(url, sizeof url, "unix://:pw@%s?db=1", fake.url + strlen("unix://"));
    fake.rules = link_lasting[_i].rules;
    fake.welcome = link_lasting[_i].welcome;
    link_probe_open(&probe, &(struct link_options){.url = url});
    ck_assert_int_eq(link_wait_up(probe.link, 20000), link_lasting[_i].code);
    link_has(link_reason(probe.link), link_lasting[_i].why);
    link_probe_run(&probe, 500); /* the shortest backoffs would allow four more */
    ck_assert_int_eq(fake.connections, 1);
    ck_assert_int_eq(probe.downs, 1);
    ck_assert_str_eq(probe.reason, link_reason(probe.link));
}
END_TEST

static const struct fake_rule link_tolerated[][2] = {
    {{"CLIENT", "-ERR Client names cannot contain spaces\r\n"}},
    {{"CLIENT", "-NOPERM this user has no permissions\r\n"}},
    {{"INFO", "-NOPERM this user has no permissions\r\n"}},
    {{"PING", "-NOPERM this user has no permissions\r\n"}},
    {{"INFO", "=server_name:proxy\r\n"}},
    {{"INFO", "$-1\r\n"}},
    {{"INFO", "=redis_version:redis!!\r\n\r\n"}},
    {{"INFO", "=redis_version:255.255\r\n"}},
    {{"INFO", "=redis_version:10.0.0\r\n"}},
};

START_TEST(link_greet_lets_pass) {
    fake.rules = link_tolerated[_i];
    link_probe_open(&probe, &(struct link_options){.url = fake.url, .client_name = "n"});
    ck_assert_int_eq(link_wait_up(probe.link, 20000), 0);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_int_eq(fake.connections, 1);
}
END_TEST

/* Error replies that tell of the server and not of the command end the connection; others do not.
 */
static const struct {
    struct fake_rule rules[2];
    int ends;
} link_later[] = {
    {{{"GET", "-LOADING Redis is loading\r\n"}}, 1},
    {{{"GET", "-READONLY You can't write\r\n"}}, 1},
    {{{"GET", "-MASTERDOWN Link with MASTER is down\r\n"}}, 1},
    {{{"GET", "-ERR READONLY is not the code\r\n"}}, 0},
    {{{"GET", "-READONLYISH\r\n"}}, 0},
    {{{"GET", "-NOPERM no\r\n"}}, 0},
    {{{"GET", "-QUEUEFULL 100\r\n"}}, 0},
    {{{"GET", "+READONLY as a status\r\n"}}, 0},
};

START_TEST(link_error_replies_when_up) {
    link_open_at_fake();
    link_probe_until(&probe, &probe.ups, 1);
    fake.rules = link_later[_i].rules;
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET a"), 0);
    link_probe_until(&probe, &answers.count, 1);
    ck_assert_int_eq(answers.none, 0); /* the caller gets the error itself */
    ck_assert_int_eq(strncmp(answers.text, link_later[_i].rules[0].reply + 1, strlen(answers.text)),
                     0);
    ck_assert_int_eq(probe.downs, link_later[_i].ends);
    fake.rules = NULL;
    link_probe_until(&probe, &probe.ups, 1 + link_later[_i].ends);
}
END_TEST

static void link_get(struct link_probe *self) {
    ck_assert_int_eq(link_probe_send(self, &answers, 0, "GET a"), 0);
}

/* Each time the connection comes up and breaks at once: the waits grow all the same. */
START_TEST(link_flapping_is_not_a_hot_loop) {
    static const struct fake_rule rules[] = {{"GET", "-READONLY no\r\n"}, {NULL, NULL}};
    fake.rules = rules;
    probe.on_up = link_get;
    link_open_at_fake();
    link_probe_until(&probe, &probe.downs, 5);
    ck_assert_int_eq(fake.connections, 5);
    link_probe_run(&probe, 300); /* the fifth wait is 400 ms at least */
    ck_assert_int_eq(fake.connections, 5);
}
END_TEST

/* What is no reply, and lists that no memory holds, announced by a few bytes. */
static const struct {
    struct fake_rule rules[2];
    const char *why;
} link_garbage[] = {
    {{{"GET", "?what\r\n"}}, "Protocol error"},
    {{{"GET", "*2147483647\r\n"}}, "broke: Out of memory"},
    {{{"GET", "*1048577\r\n"}}, "broke: Out of memory"},
    {{{"GET", "*1\r\n*2147483647\r\n"}}, "broke: Out of memory"},
};

START_TEST(link_garbage_when_up) {
    link_open_at_fake();
    link_probe_until(&probe, &probe.ups, 1);
    fake.rules = link_garbage[_i].rules;
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET a"), 0);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "PING"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.count, 3);
    ck_assert_int_eq(answers.none, 2);
    link_has(probe.reason, link_garbage[_i].why);
}
END_TEST

/* Whatever a server says, it must not steer the terminal that its words are shown on. */
START_TEST(link_reason_can_be_printed) {
    static const struct fake_rule rules[] = {{"GET", "-READONLY \x1b[2J\r\n"}, {NULL, NULL}};
    link_open_at_fake();
    link_probe_until(&probe, &probe.ups, 1);
    fake.rules = rules;
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET a"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    link_has(probe.reason, "READONLY \\x1b[2J");
}
END_TEST

/* More replies than commands: whatever this is, its next reply would go to the wrong caller. */
START_TEST(link_reply_that_nobody_asked_for) {
    static const struct fake_rule rules[] = {{"GET", "+one\r\n+two\r\n"}, {NULL, NULL}};
    link_open_at_fake();
    link_probe_until(&probe, &probe.ups, 1);
    fake.rules = rules;
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET a"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_str_eq(answers.text, "one");
    link_has(probe.reason, "redis.sock sent a reply that nobody asked for");
    link_probe_until(&probe, &probe.ups, 2);
}
END_TEST

#define LINK_COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void link_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, link_setup, link_teardown);
    tcase_add_loop_test(tests, link_greet_waits_for_better_times, 0, LINK_COUNT(link_transient));
    tcase_add_loop_test(tests, link_greet_gives_up_for_now, 0, LINK_COUNT(link_lasting));
    tcase_add_loop_test(tests, link_greet_lets_pass, 0, LINK_COUNT(link_tolerated));
    tcase_add_loop_test(tests, link_error_replies_when_up, 0, LINK_COUNT(link_later));
    tcase_add_test(tests, link_flapping_is_not_a_hot_loop);
    tcase_add_loop_test(tests, link_garbage_when_up, 0, LINK_COUNT(link_garbage));
    tcase_add_test(tests, link_reason_can_be_printed);
    tcase_add_test(tests, link_reply_that_nobody_asked_for);
}

int main(void) {
    return suite_run("link_greet", link_tests, 60);
}
