/* SPDX-License-Identifier: MIT */
/* Budgets, times to live, cancelling: what stops a job, and how soon. */
#include "clock.h"
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
    int64_t asked_ns = clock_now_ns();
    client_ask(&client, "SADD flock:{main}:cancelled b%s", client.entry);
    client_result(&client, "a", &result);
    ck_assert_int_lt(clock_now_ns() - asked_ns, 2 * INT64_C(1000000000));
    expect_fault(&result, RESULT_CANCELLED, FAULT_CANCELLED);
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:cancelled"), "0");
}
END_TEST

static struct queue_place place;
static enum queue_cancelled cancelled;

static void take_place(void *context, const struct link_reply *reply) {
    (void)context;
    ck_assert_int_eq(queue_read_enqueue(reply, 0, &place), 0);
}

static void take_cancelled(void *context, const struct link_reply *reply) {
    (void)context;
    ck_assert_int_eq(queue_read_cancel(reply, &cancelled), 0);
}

/* {v: 1, id: "cNN", kind: "verify", seed: 1, at_tick: 3000, params: {birds: 50}, store: false} */
static void enqueue(const char *id) {
    static const char rest[] = "\xa4kind\xa6verify\xa4seed\x01\xa7"
                               "at_tick\xcd\x0b\xb8\xa6params\x81\xa5"
                               "birds\x32\xa5store\xc2";
    char bytes[128];
    int size = snprintf(bytes, sizeof bytes, "\x87\xa1v\x01\xa2id\xa3%s%s", id, rest);
    struct queue_job job = {id, bytes, (size_t)size};
    ck_assert_int_eq(queue_enqueue(&client.queue, JOB_INTERACTIVE, &job, 1, take_place, NULL), 0);
    ck_assert_int_eq(place.state, QUEUE_STATE_QUEUED);
}

static void cancel(const char *id) {
    ck_assert_int_eq(queue_cancel(&client.queue, id, take_cancelled, NULL), 0);
}

/* Jobs of some milliseconds follow each other in the only slot, and every other one is cancelled,
 * while it waits, runs, or is just done: whenever that comes, the next one is not hit. */
START_TEST(worker_cancels_no_other_job) {
    enum { JOBS = 80, BEHIND = 6 };
    char id[JOBS][8];
    struct result result;
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(id[i], sizeof id[i], "c%02d", i);
        enqueue(id[i]);
        if (i >= BEHIND && i % 2 == 0)
            cancel(id[i - BEHIND]);
        worker_process_pause(5);
    }
    for (int i = 0; i < JOBS; i++) {
        client_result(&client, id[i], &result);
        ck_assert_msg(result.status == RESULT_OK ||
                          (result.status == RESULT_CANCELLED && i % 2 == 0),
                      "%s: %s", id[i], result_status_name(result.status));
        result_release(&result);
    }
    for (int i = 0; i < JOBS; i += 2) {
        cancel(id[i]);
        ck_assert_int_eq(cancelled, QUEUE_CANCEL_DONE);
    }
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
    tcase_add_test(tests, worker_cancels_no_other_job);
    tcase_add_test(tests, worker_expires_what_started_too_late);
    tcase_add_test(tests, worker_interactive_does_not_wait_for_batch);
    tcase_add_test(tests, worker_tells_progress);
}

int main(void) {
    return suite_run("worker_time", add, 60);
}
