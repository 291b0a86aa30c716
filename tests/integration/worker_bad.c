/* SPDX-License-Identifier: MIT */
/* Whatever a producer puts into the queue gets a result that says what is wrong with it, and the
 * worker neither dies of it nor grows. */
#include "bad_jobs.h"
#include "suite.h"
#include "worker_fixture.h"

#include <string.h>

/* The job still runs that is good. With an id, since an entry of the other lane may have its
 * entry's. */
static void expect_alive(void) {
    struct result result;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'good','kind':'verify','seed':1,'at_tick':1,'store':false}", "good",
               &result);
    ck_assert_int_eq(result.status, RESULT_OK);
    result_release(&result);
}

static void expect_rejected(const struct result *result, const struct bad_job *bad) {
    ck_assert_msg(result->status == RESULT_REJECTED, "%s: %s", bad->name,
                  result_status_name(result->status));
    ck_assert_msg(strcmp(fault_code_name(result->fault.code), bad->code) == 0, "%s: %s", bad->name,
                  fault_code_name(result->fault.code));
    ck_assert_msg(strcmp(result->fault.field, bad->field) == 0, "%s: %s", bad->name,
                  result->fault.field);
    ck_assert_msg(strstr(result->fault.message, bad->says), "%s: %s", bad->name,
                  result->fault.message);
}

/* The id that a bad job is answered under: its own where that is legal; none of these has one. */
START_TEST(worker_rejects_every_bad_job) {
    struct result result;
    for (size_t i = 0; i < bad_job_count; i++) {
        client_add(&client, JOB_INTERACTIVE, bad_jobs[i].json);
        client_result(&client, client.entry, &result);
        expect_rejected(&result, &bad_jobs[i]);
        result_release(&result);
    }
    expect_alive();
    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:jobs:interactive"), "0");
    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:dead"), "0");
}
END_TEST

START_TEST(worker_rejects_an_entry_without_job) {
    struct result result;
    char id[64];
    snprintf(id, sizeof id, "%s",
             client_ask(&client, "XADD flock:{main}:jobs:interactive * work x more y"));
    client_result(&client, id, &result);
    ck_assert_int_eq(result.status, RESULT_REJECTED);
    ck_assert_int_eq(result.fault.code, FAULT_MISSING_FIELD);
    ck_assert_str_eq(result.fault.field, "job");
    result_release(&result);
    expect_alive();
}
END_TEST

START_TEST(worker_rejects_under_a_legal_id) {
    struct result result;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'mine','kind':'verify','seed':-1,'at_tick':5,'reply_to':'me'}", "mine",
               &result);
    ck_assert_int_eq(result.fault.code, FAULT_OUT_OF_RANGE);
    ck_assert_str_eq(result.fault.field, "seed");
    ck_assert_int_eq(result.kind, JOB_VERIFY);
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
    worker_process_expect(&worker, "job=mine", "status=rejected");
}
END_TEST

/* Heaps of garbage, again and again: what the first rounds needed is all that it ever needs. */
START_TEST(worker_does_not_grow) {
    struct result result;
    long after_first = 0;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 30; i++) {
            client_add(&client, JOB_INTERACTIVE, "{'$raw':'dfffffffff'}");
            client_add(&client, JOB_INTERACTIVE, "{'v':1,'x':{'$nest':'100000'}}");
            client_add(&client, JOB_BATCH,
                       "{'v':1,'kind':'verify','seed':1,'at_tick':1,'note':{'$text':'100000 x'}}");
        }
        client_result(&client, client.entry, &result);
        ck_assert_int_eq(result.status, RESULT_REJECTED);
        result_release(&result);
        if (round == 1)
            after_first = worker_process_rss(&worker);
    }
    long after_last = worker_process_rss(&worker);
    ck_assert_msg(after_last < after_first + 4096, "%ld KiB, then %ld KiB", after_first,
                  after_last);
    expect_alive();
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, "--slots 1 --log-level warning --log-format json");
    tcase_add_test(tests, worker_rejects_every_bad_job);
    tcase_add_test(tests, worker_rejects_an_entry_without_job);
    tcase_add_test(tests, worker_does_not_grow);
}

static void add_loud(TCase *tests) {
    worker_fixture(tests, "--slots 1");
    tcase_add_test(tests, worker_rejects_under_a_legal_id);
}

int main(void) {
    int quiet = suite_run("worker_bad", add, 120);
    int loud = suite_run("worker_bad_loud", add_loud, 60);
    return quiet == EXIT_SUCCESS ? loud : quiet;
}
