/* SPDX-License-Identifier: MIT */
#include "link_url.h"

#include "mem.h"
#include "suite.h"

#include <check.h>
#include <string.h>

static const struct link_url_good {
    const char *text;
    enum link_transport transport;
    const char *host; /* or path */
    uint16_t port;
    uint32_t db;
    const char *user, *password, *target;
} link_url_good[] = {
    {"redis://", LINK_TCP, "127.0.0.1", 6379, 0, NULL, NULL, "127.0.0.1:6379"},
    {"redis://localhost", LINK_TCP, "localhost", 6379, 0, NULL, NULL, "localhost:6379"},
    {"REDIS://h.example:1/", LINK_TCP, "h.example", 1, 0, NULL, NULL, "h.example:1"},
    {"redis://h:65535/15", LINK_TCP, "h", 65535, 15, NULL, NULL, "h:65535"},
    {"redis://h?db=3", LINK_TCP, "h", 6379, 3, NULL, NULL, "h:6379"},
    {"redis://:secret@h", LINK_TCP, "h", 6379, 0, NULL, "secret", "h:6379"},
    {"redis://:@h", LINK_TCP, "h", 6379, 0, NULL, NULL, "h:6379"},
    {"redis://u:@h", LINK_TCP, "h", 6379, 0, "u", "", "h:6379"},
    {"redis://u@h", LINK_TCP, "h", 6379, 0, "u", NULL, "h:6379"},
    {"redis://u:p:q@h", LINK_TCP, "h", 6379, 0, "u", "p:q", "h:6379"},
    {"redis://u%3a:p%40%2F%3F%25@h:7/1", LINK_TCP, "h", 7, 1, "u:", "p@/?%", "h:7"},
    {"redis://u:p@q@h", LINK_TCP, "h", 6379, 0, "u", "p@q", "h:6379"},
    {"redis://[::1]", LINK_TCP, "::1", 6379, 0, NULL, NULL, "[::1]:6379"},
    {"redis://:x@[fe80::1%eth0]:5/2", LINK_TCP, "fe80::1%eth0", 5, 2, NULL, "x",
     "[fe80::1%eth0]:5"},
    {"rediss://h", LINK_TLS, "h", 6379, 0, NULL, NULL, "h:6379"},
    {"unix:///run/redis.sock", LINK_UNIX, "/run/redis.sock", 0, 0, NULL, NULL, "/run/redis.sock"},
    {"unix:///a?db=9", LINK_UNIX, "/a", 0, 9, NULL, NULL, "/a"},
    {"unix://u:p%20@/a%3Fb", LINK_UNIX, "/a?b", 0, 0, "u", "p ", "/a?b"},
    {"unix:///a@/b", LINK_UNIX, "/a@/b", 0, 0, NULL, NULL, "/a@/b"},
};

static void link_url_same(const char *is, const char *should) {
    if (should)
        ck_assert_str_eq(is, should);
    else
        ck_assert_ptr_null(is);
}

START_TEST(link_url_takes) {
    const struct link_url_good *good = &link_url_good[_i];
    struct link_url url;
    char why[256] = "";
    int result = link_url_parse(&url, good->text, why, sizeof why);
    ck_assert_msg(result == 0, "%s: %s", good->text, why);
    ck_assert_int_eq(url.transport, good->transport);
    ck_assert_str_eq(good->transport == LINK_UNIX ? url.path : url.host, good->host);
    ck_assert_uint_eq(url.port, good->port);
    ck_assert_uint_eq(url.db, good->db);
    link_url_same(url.user, good->user);
    link_url_same(url.password, good->password);
    ck_assert_str_eq(url.target, good->target);
    link_url_release(&url);
}
END_TEST

#define LINK_URL_50 "/2345678901234567890123456789012345678901234567890"

static const struct {
    const char *text, *why; /* a part of the message */
} link_url_bad[] = {
    {"", "redis://, rediss:// or unix://"},
    {"localhost:6379", "redis://, rediss:// or unix://"},
    {"http://localhost", "redis://, rediss:// or unix://"},
    {"redis:/h", "redis://, rediss:// or unix://"},
    {"redis://h:", "port \"\""},
    {"redis://h:0", "port \"0\""},
    {"redis://h:65536", "port \"65536\""},
    {"redis://h:6379.0", "port \"6379.0\""},
    {"redis://h:+1", "port \"+1\""},
    {"redis://h:x", "port \"x\""},
    {"redis://h: 1", "port \" 1\""},
    {"redis://a b", "\"a b\" is not a host name"},
    {"redis://h\n", "\"h\\x0a\" is not a host name"},
    {"redis://h\xc3\xa9", "\"h\\xc3\\xa9\" is not a host name"},
    {"redis://::1", "brackets"},
    {"redis://[::1", "not [address]"},
    {"redis://[::1]6379", "not [address]"},
    {"redis://[::1]:x", "port \"x\""},
    {"redis://h/x", "database \"x\""},
    {"redis://h/-1", "database \"-1\""},
    {"redis://h/1.5", "database \"1.5\""},
    {"redis://h/99999999999", "database \"99999999999\""},
    {"redis://h/1/2", "database \"1/2\""},
    {"redis://h/1?db=2", "given twice"},
    {"redis://h?db=", "database \"\""},
    {"redis://h?timeout=3", "\"timeout\" is not known"},
    {"redis://h?cacert=/a", "\"cacert\" is not known; behind the ? may stand db"},
    {"rediss://h?ca=/a", "\"ca\" is not known; behind the ? may stand db, cacert, cert, key"},
    {"rediss://h?cert", "cert is empty"},
    {"rediss://h?key=", "key is empty"},
    {"rediss://h?key=%4", "the key holds a %"},
    {"redis://u:%zz@h", "the password holds a %"},
    {"redis://u:%4@h", "the password holds a %"},
    {"redis://u%:p@h", "the user holds a %"},
    {"redis://u:a%00b@h", "the password holds a zero byte"},
    {"redis://:sec/ret@h", "write / as %2F"},
    {"redis://:sec?ret@h", "write / as %2F"},
    {"unix://", "absolute"},
    {"unix://run/redis.sock", "absolute"},
    {"unix:///", "empty"},
    {"unix://u:p@/", "empty"},
    {"unix:///a%0", "the path holds a %"},
    {"unix:///a?db=x", "database \"x\""},
    {"unix://" LINK_URL_50 LINK_URL_50 "/2345678", "longer than 107 bytes"},
};

START_TEST(link_url_rejects) {
    struct link_url url = {0};
    char why[256] = "";
    ck_assert_int_eq(link_url_parse(&url, link_url_bad[_i].text, why, sizeof why), ERR_INVALID);
    ck_assert_msg(strstr(why, link_url_bad[_i].why) != NULL, "%s: %s", link_url_bad[_i].text, why);
    ck_assert_msg(strstr(why, "sec") == NULL && strstr(why, "ret") == NULL, "a secret in: %s", why);
}
END_TEST

START_TEST(link_url_of_tls) {
    struct link_url url;
    char why[256] = "";
    ck_assert_int_eq(
        link_url_parse(&url, "rediss://h/2?cacert=/a%20b&cert=c&key=%2Fk&server_name=n.example",
                       why, sizeof why),
        0);
    ck_assert_uint_eq(url.db, 2);
    ck_assert_str_eq(url.cacert, "/a b");
    ck_assert_str_eq(url.cert, "c");
    ck_assert_str_eq(url.key, "/k");
    ck_assert_str_eq(url.server_name, "n.example");
    link_url_release(&url);
}
END_TEST

START_TEST(link_url_longest_path) {
    struct link_url url;
    char why[256] = "";
    ck_assert_int_eq(
        link_url_parse(&url, "unix://" LINK_URL_50 LINK_URL_50 "/234567", why, sizeof why), 0);
    ck_assert_uint_eq(strlen(url.path), 107);
    link_url_release(&url);
}
END_TEST

START_TEST(link_url_without_memory) {
    struct link_url url = {0};
    char why[256] = "";
    mem_fail(1, 0);
    ck_assert_int_eq(link_url_parse(&url, "redis://h", why, sizeof why), ERR_NO_MEMORY);
    ck_assert_str_eq(why, "out of memory");
}
END_TEST

START_TEST(link_url_message_is_cut) {
    struct link_url url = {0};
    char why[8] = "";
    ck_assert_int_eq(link_url_parse(&url, "x", why, sizeof why), ERR_INVALID);
    ck_assert_uint_eq(strlen(why), 7);
}
END_TEST

static void link_url_tests(TCase *tests) {
    tcase_add_loop_test(tests, link_url_takes, 0, sizeof link_url_good / sizeof link_url_good[0]);
    tcase_add_loop_test(tests, link_url_rejects, 0, sizeof link_url_bad / sizeof link_url_bad[0]);
    tcase_add_test(tests, link_url_of_tls);
    tcase_add_test(tests, link_url_longest_path);
    tcase_add_test(tests, link_url_without_memory);
    tcase_add_test(tests, link_url_message_is_cut);
}

int main(void) {
    return suite_run("link_url", link_url_tests, 10);
}
