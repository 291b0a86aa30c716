/* SPDX-License-Identifier: MIT */
#include "link_route.h"

#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct link_url url;
static struct link_route route;

static void open_route(const char *text) {
    char why[256] = "";
    ck_assert_msg(link_url_parse(&url, text, why, sizeof why) == 0, "%s", why);
    link_route_init(&route, &url);
    link_route_begin(&route);
}

static void teardown(void) {
    link_url_release(&url);
}

static struct link_address address(const char *text) {
    struct link_address made = {.transport = url.transport};
    char why[64];
    ck_assert_int_eq(link_address_read(&made, text, 6379, why, sizeof why), 0);
    return made;
}

/* The next stop; NULL: the round is over. */
static const char *next(void) {
    return link_route_next(&route) ? route.stop.target : NULL;
}

static bool refer(const char *text) {
    struct link_address to = address(text);
    return link_route_refer(&route, &to);
}

static void fail_here(int verdict, bool is_there) {
    char why[LINK_ROUTE_TARGET + 8];
    snprintf(why, sizeof why, "why %s", route.stop.target);
    link_route_failed(&route, verdict, is_there, why);
}

START_TEST(route_of_one) {
    open_route("redis://h");
    ck_assert_str_eq(next(), "h:6379");
    ck_assert_uint_eq(link_route_patience_ms(&route, 2000), 2000);
    fail_here(0, false);
    ck_assert_ptr_null(next());
    ck_assert_str_eq(route.why, "why h:6379");
    link_route_begin(&route);
    ck_assert_str_eq(next(), "h:6379");
    link_route_arrived(&route);
    link_route_begin(&route);
    ck_assert_str_eq(next(), "h:6379");
    ck_assert_ptr_null(next());
}
END_TEST

START_TEST(route_begins_where_it_ended) {
    open_route("redis+cluster://a,b,c");
    ck_assert_str_eq(next(), "a:6379");
    ck_assert_uint_eq(link_route_patience_ms(&route, 2000), 500);
    ck_assert_uint_eq(link_route_patience_ms(&route, 3), 1);
    fail_here(0, false);
    ck_assert_str_eq(next(), "b:6379");
    link_route_arrived(&route);
    link_route_begin(&route);
    ck_assert_str_eq(next(), "b:6379");
    ck_assert_str_eq(next(), "c:6379");
    ck_assert_str_eq(next(), "a:6379");
    ck_assert_ptr_null(next());
}
END_TEST

START_TEST(route_goes_where_it_is_sent) {
    open_route("redis+cluster://a,b");
    ck_assert_str_eq(next(), "a:6379");
    ck_assert(refer("x:1"));
    ck_assert_str_eq(next(), "x:1 (told by a:6379)");
    ck_assert_uint_eq(link_route_patience_ms(&route, 2000), 2000);
    ck_assert(refer("b"));
    ck_assert_str_eq(next(), "b:6379 (told by x:1)");
    ck_assert(refer("y"));
    ck_assert_str_eq(next(), "y:6379 (told by b:6379)");
    ck_assert(!refer("z")); /* enough */
    fail_here(0, true);
    ck_assert_str_eq(next(), "b:6379"); /* the next address has all its hops again */
    ck_assert(refer("x:1"));
    ck_assert_str_eq(next(), "x:1 (told by b:6379)");
    link_route_arrived(&route);

    /* x is not in the URL: it comes first, without being told, and then the address that led there.
     */
    link_route_begin(&route);
    ck_assert_str_eq(next(), "x:1");
    ck_assert_uint_eq(link_route_patience_ms(&route, 2000), 500);
    ck_assert_str_eq(next(), "b:6379");
    ck_assert_str_eq(next(), "a:6379");
    ck_assert_ptr_null(next());
    link_route_begin(&route);
    ck_assert_str_eq(next(), "b:6379");
    link_route_arrived(&route);

    /* When all is well and then not: where we are sent, with all its hops. */
    for (int i = 0; i < 3; i++) {
        ck_assert(refer("x:1"));
        link_route_begin(&route);
        ck_assert_str_eq(next(), i == 0 ? "x:1 (told by b:6379)" : "x:1 (told by x:1)");
        link_route_arrived(&route);
    }
}
END_TEST

START_TEST(route_to_the_master) {
    open_route("redis+sentinel://a,b,c/m");
    ck_assert_str_eq(next(), "sentinel a:26379");
    ck_assert(route.stop.is_sentinel);
    fail_here(0, false);
    ck_assert_str_eq(next(), "sentinel b:26379");
    ck_assert(refer("m:1"));
    ck_assert_str_eq(next(), "m:1 (told by sentinel b:26379)");
    ck_assert(!route.stop.is_sentinel);
    link_route_arrived(&route);
    link_route_begin(&route);
    ck_assert_str_eq(next(), "sentinel b:26379"); /* who may know another one by now */
    ck_assert_str_eq(next(), "sentinel c:26379");
    ck_assert_str_eq(next(), "sentinel a:26379");
    ck_assert_ptr_null(next());
}
END_TEST

START_TEST(route_learns) {
    open_route("redis+cluster://a,b");
    struct link_address many[LINK_ROUTE_NODES + 1];
    const struct link_address three[] = {address("c"), address("b"), address("d:2")};
    link_route_learn(&route, three, 3);
    ck_assert_str_eq(next(), "a:6379");
    ck_assert_str_eq(next(), "b:6379");
    ck_assert_str_eq(next(), "c:6379");
    ck_assert_str_eq(next(), "d:2");
    link_route_learn(&route, three, 1); /* and there is one node less */
    ck_assert_ptr_null(next());
    link_route_begin(&route);
    ck_assert_str_eq(next(), "a:6379");
    ck_assert_str_eq(next(), "b:6379");
    ck_assert_str_eq(next(), "c:6379");
    link_route_arrived(&route);
    link_route_begin(&route);
    ck_assert_str_eq(next(), "c:6379");
    ck_assert_str_eq(next(), "a:6379");
    for (int i = 0; i <= LINK_ROUTE_NODES; i++) {
        char text[8];
        snprintf(text, sizeof text, "n:%d", i + 1);
        many[i] = address(text);
    }
    link_route_learn(&route, many, LINK_ROUTE_NODES + 1);
    ck_assert_uint_eq(route.nodes, LINK_ROUTE_NODES);
}
END_TEST

/* What becomes of a round: each letter is a stop of a, b, c that fails. */
static const struct {
    const char
        *stops; /* a: away, t: there, r: there and refuses, s: sends us on to one that is away */
    int verdict;
    const char *why;
} route_ends[] = {
    {"aaa", 0, "none of 3 addresses answers: why a:6379"},
    {"ata", 0, "why b:6379"},
    {"art", ERR_AUTH, "why b:6379"},
    {"atr", 0, "why b:6379"},
    {"trs", 0, "why x:6379 (told by c:6379)"},
    {"saa", 0, "why x:6379 (told by a:6379)"},
    {"ssr", 0, "why x:6379 (told by a:6379)"},
};

START_TEST(route_tells_what_matters_most) {
    open_route("redis+cluster://a,b,c");
    for (const char *stop = route_ends[_i].stops; *stop; stop++) {
        ck_assert_ptr_nonnull(next());
        if (*stop == 's') {
            ck_assert(refer("x"));
            ck_assert_ptr_nonnull(next());
        }
        fail_here(*stop == 'r' ? ERR_AUTH : 0, *stop == 't' || *stop == 'r');
    }
    ck_assert_ptr_null(next());
    ck_assert_int_eq(route.verdict, route_ends[_i].verdict);
    ck_assert_str_eq(route.why, route_ends[_i].why);
}
END_TEST

static void route_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, route_of_one);
    tcase_add_test(tests, route_begins_where_it_ended);
    tcase_add_test(tests, route_goes_where_it_is_sent);
    tcase_add_test(tests, route_to_the_master);
    tcase_add_test(tests, route_learns);
    tcase_add_loop_test(tests, route_tells_what_matters_most, 0,
                        sizeof route_ends / sizeof route_ends[0]);
}

int main(void) {
    return suite_run("link_route", route_tests, 10);
}
