/* SPDX-License-Identifier: MIT */
/* Jobs of every kind through a real worker, and what it leaves in Redis. */
#include "engine.h"
#include "suite.h"
#include "wire.h"
#include "worker_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the engine says without any queue. */
static void simulate(uint32_t seed, double birds, uint32_t ticks, struct sim *sim,
                     struct sim_metrics *metrics) {
    const struct model *model = model_at(MODEL_FLOCK);
    struct sim_params params;
    model_default_params(model, &params);
    params.value[0] = birds;
    sim_init(sim, model, seed, &params);
    sim_run(sim, &engine_reference, ticks, &(struct sim_changes){0}, &(struct sim_watch){0});
    sim_measure(sim, &engine_reference, metrics);
}

static void expect_metrics(const struct sim_metrics *got, const struct sim_metrics *want) {
    ck_assert(got->polarization == want->polarization);
    ck_assert_uint_eq(got->cluster_count, want->cluster_count);
    ck_assert(got->mean_neighbor_distance == want->mean_neighbor_distance ||
              (isnan(got->mean_neighbor_distance) && isnan(want->mean_neighbor_distance)));
}

static void expect_fault(const struct result *result, enum result_status status,
                         enum fault_code code, const char *field) {
    ck_assert_msg(result->status == status && result->fault.code == code, "%s %s: %s",
                  result_status_name(result->status), fault_code_name(result->fault.code),
                  result->fault.message);
    ck_assert_str_eq(result->fault.field, field);
}

static void expect_ok(const struct result *result) {
    expect_fault(result, RESULT_OK, FAULT_NONE, "");
}

START_TEST(worker_verify) {
    struct result result;
    struct sim sim;
    struct sim_metrics metrics;
    simulate(42, 30, 100, &sim, &metrics);
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'a','kind':'verify','seed':42,'params':{'birds':30},'at_tick':100,"
               "'traceparent':'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'}",
               "a", &result);
    expect_ok(&result);
    ck_assert_int_eq(result.kind, JOB_VERIFY);
    ck_assert_uint_eq(result.state_hash, sim_hash(&sim));
    expect_metrics(&result.metrics, &metrics);
    ck_assert_int_eq(result.verdict, VERDICT_NONE);
    ck_assert_str_eq(result.engine_version, SUSURRATION_VERSION);
    ck_assert_str_ne(result.engine_isa, "");
    ck_assert_ptr_nonnull(strstr(result.worker, "-"));
    ck_assert(result.run_ms > 0);
    ck_assert_uint_lt(result.queued_ms, 20000);
    ck_assert_ptr_nonnull(strstr(result.traceparent, "b7ad6b7169203331"));
    ck_assert_str_ne(result.trace, "");
    worker_process_expect(&worker, "job=a ", "traceparent=00-0af7651916cd43dd8448eb211c80319c");

    ck_assert_str_eq(client_ask(&client, "XLEN flock:{main}:jobs:interactive"), "0");
    ck_assert_str_eq(client_ask(&client, "ZCARD flock:{main}:traces"), "1");
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:trace:%s", result.trace), "1");
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:ring:%s", result.trace), "0");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats verify:ok"), "1");
    int ttl = atoi(client_ask(&client, "TTL flock:{main}:result:a"));
    ck_assert(ttl > 3500 && ttl <= 3600);
    result_release(&result);
}
END_TEST

static struct trace trace;

static void take_trace(void *context, const struct link_reply *reply) {
    size_t size;
    const char *bytes = link_reply_text(reply, &size);
    (void)context;
    ck_assert_int_eq(wire_decode_trace(bytes, size, &trace), 0);
}

static void expect_slot(const char *ring, uint32_t tick, const struct sim_metrics *want) {
    unsigned char slot[WIRE_SLOT_SIZE];
    struct sim_metrics got;
    size_t offset = (size_t)(tick % RING_SLOTS) * WIRE_SLOT_SIZE;
    ck_assert_uint_eq(client_ring(&client, ring, offset, sizeof slot, slot), sizeof slot);
    ck_assert(wire_decode_slot(slot, tick, &got));
    expect_metrics(&got, want);
}

START_TEST(worker_verify_stores_trace_and_ring) {
    struct result result;
    struct sim sim;
    struct sim_metrics metrics;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'a','kind':'verify','seed':7,'params':{'birds':12},'at_tick':60,"
               "'note':'hello','ring':true}",
               "a", &result);
    expect_ok(&result);
    ck_assert_int_eq(queue_trace(&client.queue, result.trace, take_trace, NULL), 0);
    ck_assert_str_eq(trace.id, result.trace);
    ck_assert_uint_eq(trace.job.seed, 7);
    ck_assert_uint_eq(trace.job.ticks, 60);
    ck_assert_str_eq(trace.job.note, "hello");
    ck_assert_uint_eq(trace.state_hash, result.state_hash);
    ck_assert_int_gt(trace.verified_at_ms, 1500000000000);
    wire_release_trace(&trace);
    for (uint32_t tick = 0; tick <= 60; tick += 30) {
        simulate(7, 12, tick, &sim, &metrics);
        expect_slot(result.trace, tick, &metrics);
    }
    result_release(&result);
}
END_TEST

START_TEST(worker_verify_stores_no_mismatch) {
    struct result result;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'a','kind':'verify','seed':7,'at_tick':6,"
               "'claimed':{'state_hash':'0123456789abcdef'}}",
               "a", &result);
    expect_ok(&result);
    ck_assert_int_eq(result.verdict, VERDICT_MISMATCH);
    ck_assert_str_eq(result.trace, "");
    result_release(&result);
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'b','kind':'verify','seed':7,'at_tick':6,'store':false}", "b", &result);
    expect_ok(&result);
    ck_assert_str_eq(result.trace, "");
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:traces"), "0");
}
END_TEST

START_TEST(worker_answers_under_the_entry_and_to_a_list) {
    struct result result;
    client_add(&client, JOB_INTERACTIVE,
               "{'v':1,'kind':'verify','seed':1,'at_tick':1,'reply_to':'me','store':false}");
    client_result(&client, client.entry, &result);
    expect_ok(&result);
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "LLEN flock:{main}:reply:me"), "1");
}
END_TEST

START_TEST(worker_sweep_rows_are_what_verify_says) {
    struct result sweep, verify;
    client_run(&client, JOB_BATCH,
               "{'v':1,'id':'s','kind':'sweep','seeds':{'first':3,'count':5},'ticks':40,"
               "'params':{'birds':20}}",
               "s", &sweep);
    expect_ok(&sweep);
    ck_assert_uint_eq(sweep.row_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        char job[200], id[16];
        snprintf(id, sizeof id, "v%u", i);
        snprintf(job, sizeof job,
                 "{'v':1,'id':'%s','kind':'verify','seed':%u,'at_tick':40,'params':{'birds':20}}",
                 id, 3 + i);
        client_run(&client, JOB_INTERACTIVE, job, id, &verify);
        ck_assert_uint_eq(sweep.row[i].seed, 3 + i);
        ck_assert_uint_eq(sweep.row[i].state_hash, verify.state_hash);
        expect_metrics(&sweep.row[i].metrics, &verify.metrics);
        result_release(&verify);
    }
    result_release(&sweep);
}
END_TEST

START_TEST(worker_duplicate_id_has_one_result) {
    struct result result;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'d','kind':'verify','seed':1,'at_tick':1,'store':false}", "d", &result);
    uint64_t hash = result.state_hash;
    result_release(&result);
    client_add(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'d','kind':'verify','seed':2,'at_tick':1,'store':false}");
    client_until(&client, "0", "XLEN flock:{main}:jobs:interactive");
    client_result(&client, "d", &result);
    ck_assert_uint_eq(result.state_hash, hash);
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:stats duplicate"), "1");
}
END_TEST

/* --- sessions --------------------------------------------------------------------------------- */

static char session[JOB_ID_MAX + 1];

static void create_session(void) {
    struct result result;
    client_run(&client, JOB_INTERACTIVE,
               "{'v':1,'id':'create','kind':'session.create','seed':42,'params':{'birds':15}}",
               "create", &result);
    expect_ok(&result);
    ck_assert_ptr_nonnull(result.session);
    ck_assert_uint_eq(result.session->sim.tick, 0);
    ck_assert_uint_eq(result.session->seed, 42);
    memcpy(session, result.session->id, sizeof session);
    ck_assert_uint_eq(strlen(session), 32);
    result_release(&result);
}

static void step_job(char out[256], const char *id, unsigned ticks, const char *more) {
    snprintf(out, 256, "{'v':1,'id':'%s','kind':'session.step','session':'%s','ticks':%u%s}", id,
             session, ticks, more);
}

static void step(const char *id, unsigned ticks, const char *more, struct result *result) {
    char job[256];
    step_job(job, id, ticks, more);
    client_run(&client, JOB_INTERACTIVE, job, id, result);
}

START_TEST(worker_session_lives) {
    struct result result;
    struct sim sim;
    struct sim_metrics metrics;
    char job[256];
    create_session();
    step("s1", 30, "", &result);
    expect_ok(&result);
    simulate(42, 15, 30, &sim, &metrics);
    ck_assert_uint_eq(result.session->sim.tick, 30);
    ck_assert_uint_eq(sim_hash(&result.session->sim), sim_hash(&sim));
    expect_metrics(&result.session->metrics, &metrics);
    result_release(&result);

    snprintf(job, sizeof job,
             "{'v':1,'id':'p','kind':'session.params','session':'%s','params':{'weights':"
             "{'cohesion':0.9}}}",
             session);
    client_run(&client, JOB_INTERACTIVE, job, "p", &result);
    expect_ok(&result);
    ck_assert_uint_eq(result.change.tick, 30);
    ck_assert_uint_eq(result.session->change_count, 1);
    result_release(&result);
    step("s2", 10, "", &result);
    ck_assert_uint_eq(result.session->sim.tick, 40);
    ck_assert_uint_eq(result.session->change_count, 1);
    sim.params.value[1] = 0.9;
    sim_run(&sim, &engine_reference, 40, &(struct sim_changes){0}, &(struct sim_watch){0});
    ck_assert_uint_eq(sim_hash(&result.session->sim), sim_hash(&sim));
    result_release(&result);
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:session:%s tick", session), "40");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:session:%s rev", session), "4");
}
END_TEST

START_TEST(worker_session_ring_holds_every_tick) {
    struct result result;
    struct sim sim;
    struct sim_metrics metrics;
    create_session();
    step("s1", 7, "", &result);
    result_release(&result);
    step("s2", 3, "", &result);
    result_release(&result);
    for (uint32_t tick = 0; tick <= 10; tick++) {
        simulate(42, 15, tick, &sim, &metrics);
        expect_slot(session, tick, &metrics);
    }
    ck_assert_str_eq(client_ask(&client, "STRLEN flock:{main}:ring:%s", session), "264");
}
END_TEST

/* Session and ring together, renewed by every job that writes. */
START_TEST(worker_session_life_is_renewed) {
    struct result result;
    char job[256];
    create_session();
    static const char *const keys[] = {"session", "ring"};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            int ttl = atoi(client_ask(&client, "TTL flock:{main}:%s:%s", keys[i], session));
            ck_assert_msg(ttl > 86300 && ttl <= 86400, "%s in round %d: %d", keys[i], round, ttl);
            client_ask(&client, "EXPIRE flock:{main}:%s:%s 100", keys[i], session);
        }
        if (round == 0)
            step("s1", 1, "", &result);
        else
            break;
        result_release(&result);
    }
    snprintf(job, sizeof job,
             "{'v':1,'id':'p','kind':'session.params','session':'%s','params':{'weights':"
             "{'separation':0.1}}}",
             session);
    client_run(&client, JOB_INTERACTIVE, job, "p", &result);
    result_release(&result);
    for (int i = 0; i < 2; i++)
        ck_assert_int_gt(atoi(client_ask(&client, "TTL flock:{main}:%s:%s", keys[i], session)),
                         86300);
}
END_TEST

START_TEST(worker_session_unknown) {
    struct result result;
    snprintf(session, sizeof session, "nobody");
    step("s1", 1, "", &result);
    expect_fault(&result, RESULT_REJECTED, FAULT_SESSION_NOT_FOUND, "session");
    ck_assert_ptr_nonnull(strstr(result.fault.message, "nobody"));
    result_release(&result);
}
END_TEST

START_TEST(worker_session_unreadable_is_our_fault) {
    struct result result;
    create_session();
    client_ask(&client, "HSET flock:{main}:session:%s body garbage", session);
    step("s1", 1, "", &result);
    expect_fault(&result, RESULT_FAILED, FAULT_INTERNAL, "session");
    result_release(&result);
}
END_TEST

START_TEST(worker_session_steps_at_once_all_count) {
    enum { STEPS = 8 };
    struct result result;
    char job[256], id[16];
    bool ended_at[STEPS * 25 + 1] = {false};
    create_session();
    for (int i = 0; i < STEPS; i++) {
        snprintf(id, sizeof id, "s%d", i);
        step_job(job, id, 25, "");
        client_add(&client, JOB_INTERACTIVE, job);
    }
    for (int i = 0; i < STEPS; i++) {
        snprintf(id, sizeof id, "s%d", i);
        client_result(&client, id, &result);
        expect_ok(&result);
        ck_assert(!ended_at[result.session->sim.tick]); /* each its own ticks */
        ended_at[result.session->sim.tick] = true;
        result_release(&result);
    }
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:session:%s tick", session), "200");
}
END_TEST

START_TEST(worker_session_expect_tick_has_one_winner) {
    struct result a, b;
    char job[256];
    create_session();
    step_job(job, "a", 25, ",'expect_tick':0");
    client_add(&client, JOB_INTERACTIVE, job);
    step_job(job, "b", 25, ",'expect_tick':0");
    client_add(&client, JOB_INTERACTIVE, job);
    client_result(&client, "a", &a);
    client_result(&client, "b", &b);
    const struct result *loser = a.status == RESULT_OK ? &b : &a;
    ck_assert_int_eq((a.status == RESULT_OK) + (b.status == RESULT_OK), 1);
    expect_fault(loser, RESULT_REJECTED, FAULT_TICK_CONFLICT, "expect_tick");
    ck_assert_str_eq(client_ask(&client, "HGET flock:{main}:session:%s tick", session), "25");
    result_release(&a);
    result_release(&b);
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, "--slots 2 --lease 3");
    tcase_add_test(tests, worker_verify);
    tcase_add_test(tests, worker_verify_stores_trace_and_ring);
    tcase_add_test(tests, worker_verify_stores_no_mismatch);
    tcase_add_test(tests, worker_answers_under_the_entry_and_to_a_list);
    tcase_add_test(tests, worker_sweep_rows_are_what_verify_says);
    tcase_add_test(tests, worker_duplicate_id_has_one_result);
    tcase_add_test(tests, worker_session_lives);
    tcase_add_test(tests, worker_session_ring_holds_every_tick);
    tcase_add_test(tests, worker_session_life_is_renewed);
    tcase_add_test(tests, worker_session_unknown);
    tcase_add_test(tests, worker_session_unreadable_is_our_fault);
    tcase_add_test(tests, worker_session_steps_at_once_all_count);
    tcase_add_test(tests, worker_session_expect_tick_has_one_winner);
}

int main(void) {
    return suite_run("worker_jobs", add, 60);
}
