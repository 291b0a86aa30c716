/* SPDX-License-Identifier: MIT */
#include "link_url.h"

#include "mem.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
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
    char why[256] = "", target[LINK_ADDRESS_TEXT];
    int result = link_url_parse(&url, good->text, why, sizeof why);
    ck_assert_msg(result == 0, "%s: %s", good->text, why);
    ck_assert_int_eq(url.transport, good->transport);
    ck_assert_int_eq(url.topology, LINK_SINGLE);
    ck_assert_uint_eq(url.count, 1);
    ck_assert_int_eq(url.address[0].transport, good->transport);
    ck_assert_str_eq(url.address[0].host, good->host);
    ck_assert_uint_eq(url.address[0].port, good->port);
    ck_assert_uint_eq(url.db, good->db);
    link_url_same(url.user, good->user);
    link_url_same(url.password, good->password);
    link_address_text(&url.address[0], target);
    ck_assert_str_eq(target, good->target);
    link_url_release(&url);
}
END_TEST

static const struct link_url_many {
    const char *text;
    enum link_transport transport;
    enum link_topology topology;
    const char *addresses; /* as link_address_text gives them, parted by spaces */
    const char *master;
    uint32_t db;
    const char *user, *password, *sentinel_user, *sentinel_password;
} link_url_many[] = {
    {"redis+sentinel://s1/main", LINK_TCP, LINK_SENTINEL, "s1:26379", "main", 0, NULL, NULL, NULL,
     NULL},
    {"redis+sentinel:///m", LINK_TCP, LINK_SENTINEL, "127.0.0.1:26379", "m", 0, NULL, NULL, NULL,
     NULL},
    {"Redis+Sentinel://u:p%2Fq@s1,s2:5,[::1]:7,[::2]/my%20master/3", LINK_TCP, LINK_SENTINEL,
     "s1:26379 s2:5 [::1]:7 [::2]:26379", "my master", 3, "u", "p/q", NULL, NULL},
    {"redis+sentinel://:p@s/m?db=2&sentinel_user=v&sentinel_password=x%40y", LINK_TCP,
     LINK_SENTINEL, "s:26379", "m", 2, NULL, "p", "v", "x@y"},
    {"redis+sentinel://s/m/?sentinel_password=x", LINK_TCP, LINK_SENTINEL, "s:26379", "m", 0, NULL,
     NULL, NULL, "x"},
    {"rediss+sentinel://s/m?cacert=/c&sentinel_password=x", LINK_TLS, LINK_SENTINEL, "s:26379", "m",
     0, NULL, NULL, NULL, "x"},
    {"redis+cluster://n1", LINK_TCP, LINK_CLUSTER, "n1:6379", NULL, 0, NULL, NULL, NULL, NULL},
    {"redis+cluster://", LINK_TCP, LINK_CLUSTER, "127.0.0.1:6379", NULL, 0, NULL, NULL, NULL, NULL},
    {"redis+cluster://u:a,b@n1:1,n2,[::1]:3/0", LINK_TCP, LINK_CLUSTER, "n1:1 n2:6379 [::1]:3",
     NULL, 0, "u", "a,b", NULL, NULL},
    {"rediss+cluster://:p@n1,n2?server_name=n", LINK_TLS, LINK_CLUSTER, "n1:6379 n2:6379", NULL, 0,
     NULL, "p", NULL, NULL},
    {"redis+cluster://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16:1", LINK_TCP, LINK_CLUSTER,
     "1:6379 2:6379 3:6379 4:6379 5:6379 6:6379 7:6379 8:6379 9:6379 10:6379 11:6379 12:6379 "
     "13:6379 14:6379 15:6379 16:1",
     NULL, 0, NULL, NULL, NULL, NULL},
};

START_TEST(link_url_takes_many) {
    const struct link_url_many *many = &link_url_many[_i];
    struct link_url url;
    char why[256] = "", addresses[LINK_URL_ADDRESSES * LINK_ADDRESS_TEXT];
    size_t used = 0;
    int result = link_url_parse(&url, many->text, why, sizeof why);
    ck_assert_msg(result == 0, "%s: %s", many->text, why);
    ck_assert_int_eq(url.transport, many->transport);
    ck_assert_int_eq(url.topology, many->topology);
    for (size_t i = 0; i < url.count; i++) {
        char text[LINK_ADDRESS_TEXT];
        ck_assert_int_eq(url.address[i].transport, many->transport);
        link_address_text(&url.address[i], text);
        used +=
            (size_t)snprintf(addresses + used, sizeof addresses - used, "%s%s", i ? " " : "", text);
    }
    ck_assert_str_eq(addresses, many->addresses);
    ck_assert_uint_eq(url.db, many->db);
    link_url_same(url.master, many->master);
    link_url_same(url.user, many->user);
    link_url_same(url.password, many->password);
    link_url_same(url.sentinel_user, many->sentinel_user);
    link_url_same(url.sentinel_password, many->sentinel_password);
    link_url_release(&url);
}
END_TEST

#define LINK_URL_64 "123456789:123456789:123456789:123456789:123456789:123456789:1234"
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
    {"redis://[]", "not [address]"},
    {"redis://[" LINK_URL_64 LINK_URL_64 LINK_URL_64 LINK_URL_64 "]", "too long"},
    {"redis://a,b", "\"a,b\" is not a host name"},
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
    {"redis+sentinel://s", "stands what they call the master"},
    {"redis+sentinel://s/", "stands what they call the master"},
    {"redis+sentinel://s/?db=1", "stands what they call the master"},
    {"redis+sentinel://s//1", "stands what they call the master"},
    {"redis+sentinel://s/m%", "the master's name holds a %"},
    {"redis+sentinel://s/m/x", "database \"x\""},
    {"redis+sentinel://s/m/1?db=1", "given twice"},
    {"redis+sentinel://s,/m", "missing beside a comma"},
    {"redis+sentinel://,s/m", "missing beside a comma"},
    {"redis+sentinel://a,b:x,c/m", "port \"x\""},
    {"redis+sentinel://a,b c/m", "\"b c\" is not a host name"},
    {"redis+sentinel://s/m?sentinel_user=u", "sentinel_user without a sentinel_password"},
    {"redis+sentinel://s/m?sentinel_password=", "sentinel_password is empty"},
    {"redis+sentinel://s/m?sentinel_password=sec@ret", "? as %3F and @ as %40"},
    {"redis+sentinel://u:sec/ret@s/m", "write / as %2F"},
    {"redis+sentinel://s/m?cacert=/a", "may stand db, sentinel_user, sentinel_password"},
    {"redis://s?sentinel_password=x",
     "\"sentinel_password\" is not known; behind the ? may stand db"},
    {"redis+cluster://n,,n", "missing beside a comma"},
    {"redis+cluster://n/1", "no database but 0"},
    {"redis+cluster://n?db=1", "no database but 0"},
    {"redis+cluster://n/m", "database \"m\""},
    {"redis+cluster://n?sentinel_user=u", "\"sentinel_user\" is not known"},
    {"redis+cluster://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "more than 16 addresses"},
    {"unix+sentinel:///a/m", "redis+sentinel://"},
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
    ck_assert_uint_eq(strlen(url.address[0].host), 107);
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
    tcase_add_loop_test(tests, link_url_takes_many, 0,
                        sizeof link_url_many / sizeof link_url_many[0]);
    tcase_add_loop_test(tests, link_url_rejects, 0, sizeof link_url_bad / sizeof link_url_bad[0]);
    tcase_add_test(tests, link_url_of_tls);
    tcase_add_test(tests, link_url_longest_path);
    tcase_add_test(tests, link_url_without_memory);
    tcase_add_test(tests, link_url_message_is_cut);
}

int main(void) {
    return suite_run("link_url", link_url_tests, 10);
}
