/* SPDX-License-Identifier: MIT */
/* Real sentinels: the link finds the master through them, and a worker outlasts a failover. */
#include "link.h"

#include "clock.h"
#include "link_probe.h"
#include "outlast.h"
#include "sentinels.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct sentinels set;
static struct link_probe probe;
static struct link_answers answers;

static void teardown(void) {
    sentinels_remove(&set);
}

static void has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static void is_at(const struct redis_server *server) {
    char where[32];
    snprintf(where, sizeof where, "laddr=127.0.0.1:%d ", server->port);
    has(link_probe_ask(&probe, "CLIENT INFO"), where);
}

static void open_up(const char *url) {
    probe = (struct link_probe){0};
    link_probe_open_up(&probe, url);
}

/* What must fail at once, since waiting will not mend it. */
static void refused(const char *url, int code, const char *why) {
    probe = (struct link_probe){0};
    link_probe_open(&probe, &(struct link_options){.url = url});
    ck_assert_int_eq(link_wait_up(probe.link, 20000), code);
    has(link_reason(probe.link), why);
    link_probe_close(&probe);
}

START_TEST(sentinel_logins) {
    char url[300], *at;
    sentinels_start(&set, "hush");
    open_up(set.url);
    is_at(&set.redis[0]);
    link_probe_close(&probe);
    strcpy(url, set.url);
    *strchr(url, '?') = '\0';
    refused(url, ERR_AUTH, "login refused: NOAUTH");
    snprintf(url, sizeof url, "%s!", set.url);
    refused(url, ERR_AUTH, "login refused: WRONGPASS");
    strcpy(url, set.url);
    at = strstr(url, "/main");
    snprintf(at, (size_t)(url + sizeof url - at), "/mian?sentinel_password=hush");
    refused(url, ERR_REFUSED, " knows no master \"mian\"");
    snprintf(url, sizeof url, "redis+sentinel://127.0.0.1:%d/main", set.redis[0].port);
    refused(url, ERR_REFUSED, "refused: ERR unknown command");
}
END_TEST

START_TEST(sentinel_some_are_away) {
    sentinels_start(&set, NULL);
    redis_server_freeze(&set.sentinel[0]);
    redis_server_kill(&set.sentinel[1]);
    open_up(set.url);
    is_at(&set.redis[0]);
    ck_assert_int_eq(probe.downs, 0);
    link_probe_close(&probe);
    redis_server_kill(&set.sentinel[2]);
    redis_server_kill(&set.sentinel[0]);
    probe = (struct link_probe){0};
    link_probe_open(&probe, &(struct link_options){.url = set.url});
    link_probe_until(&probe, &probe.downs, 1);
    has(probe.reason, "none of 3 addresses answers: cannot connect to sentinel 127.0.0.1:");
    redis_server_again(&set.sentinel[1]);
    link_probe_until(&probe, &probe.ups, 1);
    is_at(&set.redis[0]);
    link_probe_close(&probe);
}
END_TEST

static void kill_the_master(void) {
    open_up(set.url);
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 1"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "WAIT 1 5000"), "1");
    ck_assert_int_eq(link_probe_send(&probe, &answers, 60000, "BLPOP none 0"), 0);
    link_probe_run(&probe, 20);
    redis_server_freeze(&set.sentinel[0]); /* so that it misses what happens */
    redis_server_kill(&set.redis[0]);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(answers.none, 1);
    is_at(&set.redis[1]);
    ck_assert_str_eq(link_probe_ask(&probe, "GET a"), "1");
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 2"), "OK");
}

/* The old master is back, as a replica, and one sentinel may still believe in it. */
static void bring_it_back(void) {
    sentinels_swap(&set);
    redis_server_again(&set.redis[0]);
    ck_assert_str_eq(link_probe_ask(&probe, "WAIT 1 4000"), "1");
    redis_server_thaw(&set.sentinel[0]);
    struct link_probe other = {0};
    link_probe_open_up(&other, set.url);
    ck_assert_str_eq(link_probe_ask(&other, "SET a 3"), "OK");
    link_probe_close(&other);
    ck_assert_str_eq(link_probe_ask(&probe, "GET a"), "3");
    link_probe_close(&probe);
}

/*
 * The sentinels make the replica the master though nothing is wrong. The old one learns of it after
 * ten seconds; the link does not write to it for so long.
 */
static void have_it_replaced(void) {
    char reply[64] = "";
    open_up(set.url);
    for (int i = 0; i < 1000 && strcmp(reply, "+OK") != 0; i++) {
        redis_server_ask(&set.sentinel[1], "SENTINEL FAILOVER main", reply, sizeof reply);
        link_probe_run(&probe, 10); /* until it has seen that the replica is fit */
    }
    ck_assert_str_eq(reply, "+OK");
    int64_t start_ns = clock_now_ns();
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_lt(clock_now_ns() - start_ns, INT64_C(8000000000));
    is_at(&set.redis[0]);
    ck_assert_str_eq(link_probe_ask(&probe, "GET a"), "3");
    link_probe_close(&probe);
}

START_TEST(sentinel_failover_is_outlasted) {
    sentinels_start(&set, NULL);
    outlast_begin(set.url, set.redis[1].dir);
    outlast_busy(kill_the_master);
    outlast_idle(bring_it_back);
    outlast_idle(have_it_replaced);
    outlast_end();
}
END_TEST

static void tests_add(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, sentinel_logins);
    tcase_add_test(tests, sentinel_some_are_away);
    tcase_add_test(tests, sentinel_failover_is_outlasted);
}

int main(void) {
    return suite_run("sentinel", tests_add, 60);
}
