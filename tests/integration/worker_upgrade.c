/* SPDX-License-Identifier: MIT */
/* Workers and functions of different versions, as they meet while a fleet is upgraded. */
#include "queue_load.h"
#include "suite.h"
#include "worker_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct worker_process other;

/* As an operator does. */
static void load(const char *text) {
    struct link_answers answers = {0};
    const char *argv[] = {"FUNCTION", "LOAD", "REPLACE", text};
    ck_assert_int_eq(link_call(client.probe.link, link_answers_take, &answers, 0, 4, argv, NULL),
                     0);
    ck_assert_str_eq(answers.text, "susurration_v1");
}

/* The functions of this program under another number. */
static void load_version(const char *number) {
    static const char before[] = "\nlocal VERSION = ";
    size_t size;
    const char *text = queue_library(&size), *at = strstr(text, before);
    char *changed = malloc(size + 16);
    ck_assert(at && changed);
    at += sizeof before - 1;
    (void)snprintf(changed, size + 16, "%.*s%s%s", (int)(at - text), text, number,
                   strchr(at, '\n'));
    load(changed);
    free(changed);
}

static void expect_version(unsigned want) {
    char number[16];
    (void)snprintf(number, sizeof number, "%u", want);
    ck_assert_str_eq(client_ask(&client, "FCALL_RO susurration_v1_version 0"), number);
}

static void expect_job(const char *id) {
    char job[128];
    (void)snprintf(job, sizeof job, "{'v':1,'id':'%s'," SHORT_JOB "}", id);
    client_add(&client, JOB_INTERACTIVE, job);
    client_expect(&client, id, RESULT_OK);
}

START_TEST(upgrade_newer_functions_do) {
    load_version("77");
    worker_process_start(&worker, &server, "");
    worker_process_expect(&worker, "this Redis has newer functions", "theirs=77 ours=");
    expect_job("a");
    client_ask(&client, "CLIENT KILL TYPE normal SKIPME yes");
    worker_process_expect(&worker, "no connection to Redis", "");
    expect_job("b");
    expect_version(77);
    worker_process_stop(&worker);
}
END_TEST

/* Newer ones come while an old worker is in the middle of a job, and a second old one starts. */
START_TEST(upgrade_goes_on_under_a_running_job) {
    worker_process_start(&worker, &server, "--slots 1");
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':1500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    load_version("77");
    worker_process_start(&other, &server, "--slots 1 --name other");
    expect_job("b");
    client_expect(&client, "a", RESULT_REJECTED);
    worker_process_signal(&worker, SIGTERM);
    ck_assert_int_eq(worker_process_wait(&worker), 0);
    expect_job("c");
    expect_version(77);
    worker_process_stop(&other);
}
END_TEST

START_TEST(upgrade_replaces_older_functions) {
    load_version("0");
    worker_process_start(&worker, &server, "");
    ck_assert(worker_process_said(&worker, "loaded the Redis functions", ""));
    expect_version(queue_library_version());
    expect_job("a");
    worker_process_stop(&worker);
}
END_TEST

/* It says what there is to do, and goes on when somebody else has done it. */
START_TEST(upgrade_of_older_functions_without_the_right) {
    load_version("0");
    client_ask(&client, "ACL SETUSER default -function|load");
    worker_process_launch(&worker, &server, "");
    worker_process_answers(&worker, "/readyz", 503, "those that are there are older: NOPERM");
    worker_process_answers(&worker, "/readyz", 503, "load functions.lua by hand");
    client_ask(&client, "ACL SETUSER default +function|load");
    worker_process_until_ready(&worker);
    expect_version(queue_library_version());
    expect_job("a");
    worker_process_stop(&worker);
}
END_TEST

static long commands(void) {
    static const char name[] = "total_commands_processed:";
    const char *at = strstr(client_ask(&client, "INFO stats"), name);
    ck_assert_ptr_nonnull(at);
    return atol(at + sizeof name - 1);
}

/* It has the right number and lacks the rest. */
START_TEST(upgrade_to_a_library_with_gaps) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "#!lua name=susurration_v1\nredis.register_function{function_name="
                   "'susurration_v1_version', callback=function() return %u end, "
                   "flags={'no-writes'}}",
                   queue_library_version());
    load(text);
    worker_process_launch(&worker, &server, "");
    worker_process_answers(&worker, "/readyz", 503, "ERR Function not found");
    long before = commands();
    worker_process_pause(1000);
    ck_assert_int_lt(commands() - before, 60);
    client_ask(&client, "FUNCTION FLUSH");
    worker_process_until_ready(&worker);
    expect_job("a");
    worker_process_stop(&worker);
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, NULL);
    tcase_add_test(tests, upgrade_newer_functions_do);
    tcase_add_test(tests, upgrade_goes_on_under_a_running_job);
    tcase_add_test(tests, upgrade_replaces_older_functions);
    tcase_add_test(tests, upgrade_of_older_functions_without_the_right);
    tcase_add_test(tests, upgrade_to_a_library_with_gaps);
}

int main(void) {
    return suite_run("worker_upgrade", add, 60);
}
