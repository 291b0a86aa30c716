/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include "suite.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>

#define SECOND INT64_C(1000000000)

static struct limit limit;

static unsigned take(const char *address, int64_t now_ns) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
        return limit_take(&limit, (const struct sockaddr *)&four, now_ns);
    ck_assert_int_eq(inet_pton(AF_INET6, address, &six.sin6_addr), 1);
    return limit_take(&limit, (const struct sockaddr *)&six, now_ns);
}

/* How many of `count` at one moment may. */
static unsigned burst(const char *address, int64_t now_ns, unsigned count) {
    unsigned may = 0;
    for (unsigned i = 0; i < count; i++)
        may += take(address, now_ns) == 0;
    return may;
}

START_TEST(limit_lets_as_many_through_as_a_second_brings) {
    limit = (struct limit){.rate = 10};
    ck_assert_uint_eq(burst("192.0.2.1", SECOND, 100), 10);
    ck_assert_uint_eq(take("192.0.2.1", SECOND), 1);
    ck_assert_uint_eq(burst("192.0.2.1", SECOND + SECOND / 2, 100), 5);
    ck_assert_uint_eq(burst("192.0.2.1", 100 * SECOND, 100), 10); /* no more than that is saved */
}
END_TEST

START_TEST(limit_counts_each_address_for_itself) {
    limit = (struct limit){.rate = 2};
    ck_assert_uint_eq(burst("192.0.2.1", SECOND, 9), 2);
    ck_assert_uint_eq(burst("192.0.2.2", SECOND, 9), 2);
    ck_assert_uint_eq(burst("2001:db8::1", SECOND, 9), 2);
    ck_assert_uint_eq(burst("2001:db8:0:1::1", SECOND, 9), 2);
    ck_assert_uint_eq(burst("2001:db8::2", SECOND, 9), 0);      /* of the same network */
    ck_assert_uint_eq(burst("::ffff:192.0.2.1", SECOND, 9), 0); /* the first one, otherwise said */
    ck_assert_uint_eq(burst("::ffff:192.0.2.3", SECOND, 9), 2);
}
END_TEST

START_TEST(limit_leaves_the_loopback_alone) {
    limit = (struct limit){.rate = 1};
    ck_assert_uint_eq(burst("127.0.0.1", SECOND, 99), 99);
    ck_assert_uint_eq(burst("127.1.2.3", SECOND, 99), 99);
    ck_assert_uint_eq(burst("::1", SECOND, 99), 99);
    ck_assert_uint_eq(burst("::ffff:127.0.0.1", SECOND, 99), 99);
    ck_assert_uint_eq(limit_take(&limit, NULL, SECOND), 0);
}
END_TEST

START_TEST(limit_of_0_is_none) {
    limit = (struct limit){.rate = 0};
    ck_assert_uint_eq(burst("192.0.2.1", SECOND, 99), 99);
}
END_TEST

START_TEST(limit_says_how_long_to_wait) {
    limit = (struct limit){.rate = 1};
    ck_assert_uint_eq(take("192.0.2.1", SECOND), 0);
    ck_assert_uint_eq(take("192.0.2.1", SECOND), 1);
    ck_assert_uint_eq(take("192.0.2.1", SECOND + SECOND - 1), 1);
    ck_assert_uint_eq(take("192.0.2.1", SECOND + 2 * SECOND), 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, limit_lets_as_many_through_as_a_second_brings);
    tcase_add_test(tests, limit_counts_each_address_for_itself);
    tcase_add_test(tests, limit_leaves_the_loopback_alone);
    tcase_add_test(tests, limit_of_0_is_none);
    tcase_add_test(tests, limit_says_how_long_to_wait);
}

int main(void) {
    return suite_run("limit", add, 10);
}
