/* SPDX-License-Identifier: MIT */
/* Budgets, times to live, cancelling: what stops a job, and how soon. */
#include "suite.h"
#include "worker_fixture.h"

#include <signal.h>
#include <string.h>

static void expect_fault(const struct result *result, enum result_status status,
                         enum fault_code code) {
    ck_assert_msg(result->status == status && result->fault.code == code, "%s %s: %s",
                  result_status_name(result->status), fault_code_name(result->fault.code),
                  result->fault.message);
}

START_TEST(worker_budget_exceeded_says_what_fits) {
    struct result result;
    char job[256];
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'a','kind':'verify','seed':1,'params':{'birds':400},'at_tick':20000,"
               "'budget_ms':200}",
               "a", &result);
    expect_fault(&result, RESULT_REJECTED, FAULT_BUDGET_EXCEEDED);
    ck_assert_str_eq(result.fault.field, "at_tick");
    uint64_t fits = result.fault.fits;
    ck_assert(fits > 0 && fits < 20000);
    char advice[64];
    snprintf(advice, sizeof advice, "%llu", (unsigned long long)fits);
    ck_assert_ptr_nonnull(strstr(result.fault.advice, advice));
    ck_assert(result.run_ms >= 200);
    result_release(&result);

    snprintf(job, sizeof job,
             "{'v':1,'id':'b','kind':'verify','seed':1,'params':{'birds':400},'at_tick':%llu}",
             (unsigned long long)fits);
    client_run(&client, JOB_INTERACTIVE, job, "b", &result);
    ck_assert_int_eq(result.status, RESULT_OK);
    result_release(&result);
}
END_TEST

START_TEST(worker_sweep_over_budget_says_how_many_seeds_fit) {
    struct result result;
    client_run(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':100," LONG_JOB "}", "a", &result);
    expect_fault(&result, RESULT_REJECTED, FAULT_BUDGET_EXCEEDED);
    ck_assert_str_eq(result.fault.field, "seeds");
    ck_assert_uint_lt(result.fault.fits, 10000);
    result_release(&result);
}
END_TEST

START_TEST(worker_cancels_a_running_job) {
    struct result result;
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a'," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_ask(&client, "SADD flock:{main}:cancelled b%s", client.entry);
    client_result(&client, "a", &result);
    expect_fault(&result, RESULT_CANCELLED, FAULT_CANCELLED);
    ck_assert(result.run_ms < 9000); /* not at the end of its budget */
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:cancelled"), "0");
}
END_TEST

/* The slot is busy for longer than the second job may wait. */
START_TEST(worker_expires_what_started_too_late) {
    struct result result;
    client_add(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'a','kind':'verify','seed':1,'params':{'birds':400},'at_tick':20000,"
               "'budget_ms':400}");
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'b','kind':'verify','seed':1,'at_tick':1,'ttl_ms':100}", "b", &result);
    expect_fault(&result, RESULT_EXPIRED, FAULT_EXPIRED);
    ck_assert_str_eq(result.fault.field, "ttl_ms");
    ck_assert_uint_ge(result.queued_ms, 100);
    result_release(&result);
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'c','kind':'verify','seed':1,'at_tick':1,'ttl_ms':20000}", "c",
               &result);
    ck_assert_int_eq(result.status, RESULT_OK);
    result_release(&result);
}
END_TEST

/* One slot, full of a sweep: the extra thread answers. */
START_TEST(worker_interactive_does_not_wait_for_batch) {
    struct result result;
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':3000," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'b','kind':'verify','seed':1,'at_tick':1,'store':false}", "b", &result);
    ck_assert_int_eq(result.status, RESULT_OK);
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:a"), "0");
    client_result(&client, "a", &result);
    expect_fault(&result, RESULT_REJECTED, FAULT_BUDGET_EXCEEDED);
    result_release(&result);
}
END_TEST

START_TEST(worker_tells_progress) {
    struct result result;
    char answer[16384];
    client_add(&client, JOB_BATCH, "{'v':1,'id':'a','budget_ms':3000," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    const char *about = client_ask(&client, "HGET flock:{main}:running b%s", client.entry);
    ck_assert_ptr_nonnull(strstr(about, "sweep"));
    ck_assert_int_eq(worker_process_http(&worker, "GET", "/metrics", answer, sizeof answer), 200);
    ck_assert_ptr_nonnull(strstr(answer, "\nsusurration_jobs_running 1\n"));
    client_result(&client, "a", &result);
    result_release(&result);
    client_until(&client, "0", "HLEN flock:{main}:running");
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, "--slots 1 --lease 3");
    tcase_add_test(tests, worker_budget_exceeded_says_what_fits);
    tcase_add_test(tests, worker_sweep_over_budget_says_how_many_seeds_fit);
    tcase_add_test(tests, worker_cancels_a_running_job);
    tcase_add_test(tests, worker_expires_what_started_too_late);
    tcase_add_test(tests, worker_interactive_does_not_wait_for_batch);
    tcase_add_test(tests, worker_tells_progress);
}

int main(void) {
    return suite_run("worker_time", add, 60);
}
