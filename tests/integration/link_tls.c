/* SPDX-License-Identifier: MIT */
/*
 * rediss:// against a redis-server with a certificate made for the test. Where the build is without
 * TLS, each test sees that the link says so, and nothing more.
 */
#include "link.h"

#include "link_probe.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool tls_there;
static char tls_dir[] = "/tmp/susurration-tls-XXXXXX";
static char tls_port[16], tls_cert[64], tls_key[64], tls_clients[8] = "no";
static const char *const tls_extra[] = {"--tls-port",
                                        tls_port,
                                        "--tls-cert-file",
                                        tls_cert,
                                        "--tls-key-file",
                                        tls_key,
                                        "--tls-ca-cert-file",
                                        tls_cert,
                                        "--tls-auth-clients",
                                        tls_clients,
                                        NULL};
static struct redis_server server;
static struct link_probe probe;
static struct link_answers answers;

static void tls_has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

/* One certificate plays the authority, the server and the client. */
static void tls_make_certificate(void) {
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2"
             " -subj /CN=flock -addext subjectAltName=DNS:flock.test,IP:127.0.0.1 >log 2>&1",
             tls_dir);
    ck_assert_msg(system(command) == 0, "%s", command);
    snprintf(tls_cert, sizeof tls_cert, "%s/cert", tls_dir);
    snprintf(tls_key, sizeof tls_key, "%s/key", tls_dir);
}

/* "rediss://127.0.0.1:PORT" and what stands behind it, CERT and KEY replaced by the files. */
static const char *tls_url(const char *settings) {
    static char url[512];
    size_t used = (size_t)snprintf(url, sizeof url, "rediss://127.0.0.1:%s", tls_port);
    for (const char *at = settings; *at; at++) {
        const char *file = strncmp(at, "CERT", 4) == 0  ? tls_cert
                           : strncmp(at, "KEY", 3) == 0 ? tls_key
                                                        : NULL;
        if (file)
            used += (size_t)snprintf(url + used, sizeof url - used, "%s", file);
        else
            url[used++] = *at;
        if (file)
            at += file == tls_cert ? 3 : 2;
    }
    url[used] = '\0';
    return url;
}

static void tls_setup(void) {
    uv_loop_t loop;
    struct link *link = NULL;
    char why[256] = "";
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    int result = link_open(&link, &loop, &(struct link_options){.url = "rediss://127.0.0.1:1"}, why,
                           sizeof why);
    tls_there = result == 0;
    if (tls_there)
        link_close(link, NULL, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    if (!tls_there) {
        ck_assert_int_eq(result, ERR_UNSUPPORTED);
        ck_assert_str_eq(why, "rediss:// needs TLS, which this build is without");
        return;
    }
    ck_assert_ptr_nonnull(mkdtemp(tls_dir));
    tls_make_certificate();
    snprintf(tls_port, sizeof tls_port, "%d", redis_server_free_port());
    redis_server_start(&server, true, tls_extra);
}

static void tls_teardown(void) {
    if (!tls_there)
        return;
    char command[64];
    redis_server_remove(&server);
    snprintf(command, sizeof command, "rm -r %s", tls_dir);
    ck_assert_int_eq(system(command), 0);
}

static void tls_refused(const char *url, const char *why) {
    probe = (struct link_probe){0};
    link_probe_open(&probe, &(struct link_options){.url = url});
    link_probe_until(&probe, &probe.downs, 1);
    tls_has(probe.reason, why);
    ck_assert_int_eq(probe.ups, 0);
    link_probe_close(&probe);
}

START_TEST(tls_commands) {
    if (!tls_there)
        return;
    link_probe_open_up(&probe, tls_url("?cacert=CERT"));
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 1"), "OK");
    ck_assert_str_eq(link_probe_ask(&probe, "GET a"), "1");
    for (int i = 0; i < 20000; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 60000, "INCR a"), 0);
    link_probe_until(&probe, &answers.count, 20000);
    ck_assert_str_eq(answers.text, "20001");
    ck_assert_int_eq(probe.downs, 0);
    link_probe_close(&probe);
}
END_TEST

enum { TLS_BIG = 3 << 20 };
static char tls_big[TLS_BIG];

static void tls_check_big(void *context, const struct link_reply *reply) {
    size_t size;
    const char *text = link_reply_text(reply, &size);
    ck_assert_uint_eq(size, TLS_BIG);
    ck_assert(memcmp(text, tls_big, TLS_BIG) == 0);
    ++*(int *)context;
}

START_TEST(tls_big_values_to_a_slow_server) {
    if (!tls_there)
        return;
    int count = 0;
    for (size_t i = 0; i < TLS_BIG; i++)
        tls_big[i] = (char)(i * 2654435761u >> 13);
    link_probe_open_up(&probe, tls_url("?cacert=CERT"));
    redis_server_freeze(&server);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(link_send(probe.link, tls_check_big, &count, 60000, 2,
                                   (const char *[]){"ECHO", tls_big}, (size_t[]){4, TLS_BIG}),
                         0);
    link_probe_run(&probe, 50);
    redis_server_thaw(&server);
    link_probe_until(&probe, &count, 5);
    link_probe_close(&probe);
}
END_TEST

START_TEST(tls_certificate_is_checked) {
    if (!tls_there)
        return;
    tls_refused(tls_url(""), "TLS: certificate: self");
    tls_refused(tls_url("?cacert=CERT&server_name=other.test"),
                "TLS: certificate: hostname mismatch");
    tls_refused(tls_url("?cacert=CERT&server_name=127.0.0.2"), "TLS: certificate: IP address");
    probe = (struct link_probe){0};
    link_probe_open_up(&probe, tls_url("/2?cacert=CERT&server_name=flock.test"));
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    link_probe_close(&probe);
}
END_TEST

START_TEST(tls_certificate_of_the_client) {
    if (!tls_there)
        return;
    redis_server_stop(&server);
    strcpy(tls_clients, "yes");
    redis_server_again(&server);
    tls_refused(tls_url("?cacert=CERT"), "certificate required");
    probe = (struct link_probe){0};
    link_probe_open_up(&probe, tls_url("?cacert=CERT&cert=CERT&key=KEY"));
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    link_probe_close(&probe);
}
END_TEST

START_TEST(tls_to_a_server_without) {
    if (!tls_there)
        return;
    char url[64];
    snprintf(url, sizeof url, "rediss://127.0.0.1:%d", server.port);
    /* Redis waits for the end of what it takes for a line. */
    tls_refused(url, "did not accept a TLS connection within 2000 ms");
}
END_TEST

START_TEST(tls_server_killed_and_restarted) {
    if (!tls_there)
        return;
    link_probe_open_up(&probe, tls_url("?cacert=CERT"));
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "BLPOP none 0"), 0);
    redis_server_kill(&server);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.none, 1);
    redis_server_again(&server);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
    link_probe_close(&probe);
}
END_TEST

START_TEST(tls_server_that_does_not_shake_hands) {
    if (!tls_there)
        return;
    redis_server_freeze(&server);
    link_probe_open(
        &probe, &(struct link_options){.url = tls_url("?cacert=CERT"), .connect_timeout_ms = 200});
    link_probe_until(&probe, &probe.downs, 1);
    tls_has(probe.reason, "within 200 ms");
    redis_server_thaw(&server);
    link_probe_close(&probe);
}
END_TEST

START_TEST(tls_files_that_are_wrong) {
    if (!tls_there)
        return;
    static const struct {
        const char *settings, *why;
    } bad[] = {
        {"?cacert=/nonexistent/ca", "cacert /nonexistent/ca: "},
        {"?cacert=KEY", "cacert /"},
        {"?cert=CERT", "cert and key go together"},
        {"?key=KEY", "cert and key go together"},
        {"?cert=/nonexistent/c&key=KEY", "cert /nonexistent/c: "},
        {"?cert=CERT&key=/nonexistent/k", "key /nonexistent/k: "},
        {"?cert=CERT&key=CERT", "key /"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct link *link = NULL;
        char why[256] = "";
        const struct link_options options = {.url = tls_url(bad[i].settings)};
        ck_assert_int_eq(link_open(&link, link_probe_loop(&probe), &options, why, sizeof why),
                         ERR_INVALID);
        tls_has(why, bad[i].why);
    }
    ck_assert_int_eq(uv_loop_close(&probe.loop), 0);
}
END_TEST

/* The sentinel speaks TLS like the master that it names, and both certificates are checked. */
START_TEST(tls_to_a_sentinel_and_its_master) {
    if (!tls_there)
        return;
    char port[16], path[96], url[256];
    const char *extra[16] = {"--sentinel", "--tls-replication", "yes"};
    struct redis_server sentinel;
    memcpy(extra + 3, tls_extra, sizeof tls_extra);
    extra[4] = port;
    snprintf(port, sizeof port, "%d", redis_server_free_port());
    redis_server_prepare(&sentinel, false, extra);
    snprintf(path, sizeof path, "%s/redis.conf", sentinel.dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "sentinel monitor main 127.0.0.1 %s 1\n", tls_port);
    fclose(file);
    redis_server_again(&sentinel);
    snprintf(url, sizeof url, "rediss+sentinel://127.0.0.1:%s/main?cacert=%s", port, tls_cert);
    link_probe_open_up(&probe, url);
    ck_assert_str_eq(link_probe_ask(&probe, "SET a 1"), "OK");
    link_probe_close(&probe);
    *strchr(url, '?') = '\0';
    tls_refused(url, "TLS: certificate: self");
    redis_server_remove(&sentinel);
}
END_TEST

static void tls_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, tls_setup, tls_teardown);
    tcase_add_test(tests, tls_commands);
    tcase_add_test(tests, tls_big_values_to_a_slow_server);
    tcase_add_test(tests, tls_certificate_is_checked);
    tcase_add_test(tests, tls_certificate_of_the_client);
    tcase_add_test(tests, tls_to_a_server_without);
    tcase_add_test(tests, tls_server_killed_and_restarted);
    tcase_add_test(tests, tls_server_that_does_not_shake_hands);
    tcase_add_test(tests, tls_files_that_are_wrong);
    tcase_add_test(tests, tls_to_a_sentinel_and_its_master);
}

int main(void) {
    return suite_run("link_tls", tls_tests, 60);
}
