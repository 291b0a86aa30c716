/* SPDX-License-Identifier: MIT */
/* A worker and what its Redis lets it do: passwords, users, rights, and a Redis that is too old. */
#include "fake_redis.h"
#include "queue_load.h"
#include "rights.h"
#include "suite.h"
#include "worker_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The server as that user sees it, with the password in a file. */
static struct redis_server guests;
static char secret_path[128], options[192];

static void set_secret(const char *password) {
    (void)snprintf(secret_path, sizeof secret_path, "%s/secret", server.dir);
    FILE *file = fopen(secret_path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fprintf(file, "%s\n", password), 0);
    fclose(file);
    guests = server;
    (void)snprintf(guests.url, sizeof guests.url, "unix://guest@%s", server.path);
    (void)snprintf(options, sizeof options, "--slots 1 --lease 2 --password-file %s", secret_path);
}

/* A user with the password "right" and all rights of the document but one. */
static void make_guest(const char *without) {
    struct rights rights;
    char rules[1024] = "";
    rights_read(&rights);
    for (int i = 0; i < rights.count; i++)
        if (strcmp(rights.word[i], without) != 0)
            (void)snprintf(rules + strlen(rules), sizeof rules - strlen(rules), " %s",
                           rights.word[i]);
    redis_server_ask(&server, "ACL DELUSER guest", (char[64]){0}, 64);
    char command[1200], reply[64];
    (void)snprintf(command, sizeof command, "ACL SETUSER guest on >right%s", rules);
    redis_server_ask(&server, command, reply, sizeof reply);
    ck_assert_str_eq(reply, "+OK");
}

static void load_functions(void) {
    struct link_answers answers = {0};
    size_t size;
    const char *argv[] = {"FUNCTION", "LOAD", "REPLACE", queue_library(&size)};
    ck_assert_int_eq(link_call(client.probe.link, link_answers_take, &answers, 0, 4, argv, NULL),
                     0);
    ck_assert_str_eq(answers.text, "susurration_v1");
}

static int connections(void) {
    static const char name[] = "total_connections_received:";
    const char *at = strstr(client_ask(&client, "INFO stats"), name);
    ck_assert_ptr_nonnull(at);
    return atoi(at + sizeof name - 1);
}

START_TEST(login_refused_is_told_and_not_tried_again_and_again) {
    make_guest("");
    load_functions();
    set_secret("wrong");
    worker_process_launch(&worker, &guests, options);
    worker_process_expect(&worker, "no connection to Redis", "login refused: WRONGPASS");
    worker_process_answers(&worker, "/readyz", 503, "login refused: WRONGPASS");
    int before = connections();
    unsigned lines = worker_process_lines(&worker);
    worker_process_pause(1500);
    ck_assert_int_le(connections() - before, 2); /* one of each link */
    ck_assert_uint_eq(worker_process_lines(&worker), lines);
    set_secret("right");
    worker_process_until_ready(&worker);
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    client_expect(&client, "a", RESULT_OK);
    worker_process_stop(&worker);
}
END_TEST

START_TEST(login_with_a_password_that_changed) {
    make_guest("");
    load_functions();
    set_secret("right");
    worker_process_start(&worker, &guests, options);
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1000," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_ask(&client, "ACL SETUSER guest resetpass >new");
    set_secret("new");
    ck_assert_str_eq(client_ask(&client, "CLIENT KILL USER guest"), "2");
    client_expect(&client, "a", RESULT_REJECTED);
    worker_process_stop(&worker);
    ck_assert(!worker_process_said(&worker, "login refused", ""));
}
END_TEST

static void expect_ok(enum job_lane lane, const char *id, const char *fields) {
    char job[512];
    (void)snprintf(job, sizeof job, "{'v':1,'id':'%s','reply_to':'me',%s}", id, fields);
    client_add(&client, lane, job);
    client_expect(&client, id, RESULT_OK);
}

/* The operator loads the functions; then jobs of every kind run, and nothing is ever refused. */
START_TEST(login_with_the_least_rights) {
    char fields[256];
    struct result result;
    make_guest("");
    client_ask(&client, "FUNCTION FLUSH");
    set_secret("right");
    worker_process_launch(&worker, &guests, options);
    worker_process_answers(&worker, "/readyz", 503, "load functions.lua by hand");
    unsigned lines = worker_process_lines(&worker);
    worker_process_pause(300);
    ck_assert_uint_eq(worker_process_lines(&worker), lines);
    load_functions();
    worker_process_until_ready(&worker);
    expect_ok(JOB_INTERACTIVE, "claim", "'kind':'verify','seed':1,'at_tick':9,'ring':true");
    expect_ok(JOB_BATCH, "sweep", "'kind':'sweep','seeds':{'first':0,'count':3},'ticks':5");
    expect_ok(JOB_INTERACTIVE, "new", "'kind':'session.create'");
    client_result(&client, "new", &result);
    (void)snprintf(fields, sizeof fields, "'kind':'session.step','ticks':3,'session':'%s'",
                   result.session->id);
    expect_ok(JOB_INTERACTIVE, "step", fields);
    (void)snprintf(fields, sizeof fields,
                   "'kind':'session.params','params':{'weights':{'cohesion':1}},'session':'%s'",
                   result.session->id);
    expect_ok(JOB_INTERACTIVE, "params", fields);
    result_release(&result);
    worker_process_stop(&worker);
    ck_assert(!worker_process_said(&worker, "Redis refuses", ""));
}
END_TEST

/* HGET is first needed to complete. For as long as it is missing the result is kept as it is, and
 * not made a failure after some tries. */
START_TEST(login_without_a_right_keeps_the_result) {
    make_guest("+hget");
    load_functions();
    set_secret("right");
    worker_process_start(&worker, &guests, options);
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    worker_process_answers(&worker, "/readyz", 503, "PROTOCOL.md, Rights");
    worker_process_pause(1000);
    client_ask(&client, "ACL SETUSER guest +hget");
    client_expect(&client, "a", RESULT_OK);
    worker_process_until_ready(&worker);
    worker_process_stop(&worker);
}
END_TEST

START_TEST(login_at_a_redis_that_is_too_old) {
    static const struct fake_rule old[] = {{"INFO", "=redis_version:6.2.1\r\n"}, {NULL, NULL}};
    struct fake_redis fake;
    struct redis_server at_fake = server;
    fake_redis_start(&fake, &client.probe.loop);
    fake.rules = old;
    (void)snprintf(at_fake.url, sizeof at_fake.url, "%s", fake.url);
    worker_process_launch(&worker, &at_fake, "");
    for (int i = 0; i < 1000 && !worker_process_said(&worker, "too old", ""); i++)
        link_probe_run(&client.probe, 20);
    worker_process_answers(&worker, "/readyz", 503,
                           "Redis 6.2.1 is too old: 7.0 or newer is needed");
    link_probe_run(&client.probe, 1000);
    ck_assert_int_le(fake.connections, 2);
    worker_process_stop(&worker);
    fake_redis_stop(&fake);
    link_probe_run(&client.probe, 20);
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, NULL);
    tcase_add_test(tests, login_refused_is_told_and_not_tried_again_and_again);
    tcase_add_test(tests, login_with_a_password_that_changed);
    tcase_add_test(tests, login_with_the_least_rights);
    tcase_add_test(tests, login_without_a_right_keeps_the_result);
    tcase_add_test(tests, login_at_a_redis_that_is_too_old);
}

int main(void) {
    return suite_run("worker_login", add, 60);
}
