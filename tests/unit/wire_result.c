/* SPDX-License-Identifier: MIT */
/* Results of every kind and status, there and back, and what is not a result. */
#include "wire.h"

#include "message.h"
#include "run.h"
#include "suite.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs the job and adds what the worker does. */
static void run(const char *json, struct session *session, struct result *result) {
    struct mem_buffer bytes = {0};
    struct job job;
    struct fault fault;
    struct run_env env = {
        .engine = &engine_reference, .session = session, .fresh_seed = 99, .fresh_id = "fresh"};
    message_from_json(json, &bytes);
    if (wire_decode_job(bytes.data, bytes.size, "1-0", &job, &fault) == 0) {
        run_job(&job, &env, result);
    } else {
        result_init(result, &job);
        result_fail(result, &fault);
    }
    strcpy(result->worker, "host-1");
    strcpy(result->engine_version, "0.1.0");
    strcpy(result->engine_isa, "avx2");
    result->queued_ms = 70000;
    result->run_ms = 12.75;
    job_release(&job);
    mem_buffer_release(&bytes);
}

/* There, back, and there again: the same bytes. *back is the caller's to release. */
static void come_back(const struct result *result, struct result *back) {
    struct mem_buffer there = {0}, again = {0};
    ck_assert_int_eq(wire_encode_result(result, &there), 0);
    ck_assert_int_eq(wire_decode_result(there.data, there.size, back), 0);
    ck_assert_int_eq(wire_encode_result(back, &again), 0);
    ck_assert_uint_eq(again.size, there.size);
    ck_assert_mem_eq(again.data, there.data, there.size);
    mem_buffer_release(&there);
    mem_buffer_release(&again);
}

START_TEST(verify_comes_back) {
    struct result result, back;
    run("{'v':1,'kind':'verify','seed':42,'at_tick':2000,'params':{'birds':10},'traceparent':'00-1'"
        ","
        "'claimed':{'state_hash':'0000000000000000'}}",
        NULL, &result);
    come_back(&result, &back);
    ck_assert_str_eq(back.id, "1-0");
    ck_assert_int_eq(back.kind, JOB_VERIFY);
    ck_assert_int_eq(back.status, RESULT_OK);
    ck_assert_int_eq(back.verdict, VERDICT_MISMATCH);
    ck_assert_uint_eq(back.at_tick, 2000);
    ck_assert_uint_eq(back.checkpoint_count, 2);
    ck_assert_uint_eq(back.checkpoint[1], result.state_hash);
    ck_assert_uint_eq(back.state_hash, result.state_hash);
    ck_assert(back.metrics.polarization == result.metrics.polarization);
    ck_assert_str_eq(back.trace, "");
    ck_assert_str_eq(back.worker, "host-1");
    ck_assert_str_eq(back.engine_version, "0.1.0");
    ck_assert_str_eq(back.engine_isa, "avx2");
    ck_assert_uint_eq(back.queued_ms, 70000);
    ck_assert(back.run_ms == 12.75);
    ck_assert_str_eq(back.traceparent, "00-1");
    result_release(&result);
    result_release(&back);
}
END_TEST

START_TEST(verify_says_that_there_is_a_ring) {
    struct result result;
    struct mem_buffer bytes = {0};
    run("{'v':1,'kind':'verify','seed':42,'at_tick':5,'params':{'birds':10},'ring':true}", NULL,
        &result);
    ck_assert_int_eq(wire_encode_result(&result, &bytes), 0);
    ck_assert_ptr_nonnull(memmem(bytes.data, bytes.size, "\xa4ring\xc3", 6));
    ck_assert_ptr_nonnull(memmem(bytes.data, bytes.size,
                                 "\xa5trace\xa5"
                                 "fresh",
                                 12));
    ck_assert_ptr_null(memmem(bytes.data, bytes.size, "verdict", 7));
    mem_buffer_release(&bytes);
    result_release(&result);
}
END_TEST

START_TEST(distance_null_comes_back) {
    struct result result, back;
    run("{'v':1,'kind':'verify','seed':42,'at_tick':5,'params':{'birds':10}}", NULL, &result);
    result.metrics.mean_neighbor_distance = NAN;
    come_back(&result, &back);
    ck_assert(isnan(back.metrics.mean_neighbor_distance));
    result_release(&result);
    result_release(&back);
}
END_TEST

START_TEST(session_kinds_come_back) {
    struct result created, stepped, changed, back;
    run("{'v':1,'kind':'session.create','seed':7,'params':{'birds':400}}", NULL, &created);
    come_back(&created, &back);
    ck_assert_str_eq(back.session->id, "fresh");
    ck_assert_uint_eq(back.session->sim.count, 400);

    run("{'v':1,'kind':'session.params','session':'fresh','params':{'weights':{'cohesion':0.1}}}",
        back.session, &changed);
    result_release(&back);
    come_back(&changed, &back);
    ck_assert_uint_eq(back.change.tick, 0);
    ck_assert_uint_eq(back.session->change_count, 1);
    ck_assert(back.session->start.value[1] == 0.5);
    ck_assert(back.session->sim.params.value[1] == 0.1);

    run("{'v':1,'kind':'session.step','session':'fresh','ticks':3}", back.session, &stepped);
    result_release(&back);
    come_back(&stepped, &back);
    ck_assert_uint_eq(back.session->sim.tick, 3);
    ck_assert_mem_eq(back.session->sim.x, stepped.session->sim.x, sizeof stepped.session->sim.x);
    ck_assert_mem_eq(back.session->sim.vy, stepped.session->sim.vy, sizeof stepped.session->sim.vy);
    ck_assert(back.session->metrics.polarization == stepped.session->metrics.polarization);
    result_release(&back);
    result_release(&created);
    result_release(&stepped);
    result_release(&changed);
}
END_TEST

START_TEST(sweep_comes_back) {
    struct result result, back;
    run("{'v':1,'kind':'sweep','seeds':[3,1,4294967295],'params':{'birds':10},'ticks':2}", NULL,
        &result);
    result.row[1].metrics.mean_neighbor_distance = NAN;
    come_back(&result, &back);
    ck_assert_uint_eq(back.row_count, 3);
    ck_assert_uint_eq(back.row[2].seed, UINT32_MAX);
    ck_assert(isnan(back.row[1].metrics.mean_neighbor_distance));
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(back.row[i].state_hash, result.row[i].state_hash);
        ck_assert_uint_eq(back.row[i].metrics.cluster_count, result.row[i].metrics.cluster_count);
        ck_assert(back.row[i].metrics.polarization == result.row[i].metrics.polarization);
    }
    result_release(&result);
    result_release(&back);
}
END_TEST

START_TEST(sweep_of_10000_comes_back) {
    struct result result = {.id = "big", .kind = JOB_SWEEP, .row_count = JOB_SEEDS_MAX}, back;
    result.row = mem_zero(result.row_count, sizeof *result.row);
    for (uint32_t i = 0; i < result.row_count; i++)
        result.row[i] = (struct result_sweep_row){
            UINT32_MAX - i,
            {.polarization = 0.1, .mean_neighbor_distance = 1.5, .cluster_count = 9},
            UINT64_MAX - i};
    come_back(&result, &back);
    ck_assert_uint_eq(back.row_count, JOB_SEEDS_MAX);
    ck_assert_uint_eq(back.row[9999].state_hash, UINT64_MAX - 9999);
    result_release(&result);
    result_release(&back);
}
END_TEST

/* Every code as the result of a fault, with all its texts. */
START_TEST(fault_comes_back) {
    struct job job;
    struct result result, back;
    struct fault fault = {.code = (enum fault_code)_i,
                          .message = "m \xc3\xa4",
                          .field = "params.birds",
                          .advice = "lower it",
                          .fits = 17};
    job_init(&job, JOB_VERIFY, model_at(MODEL_FLOCK));
    strcpy(job.id, "a");
    result_init(&result, &job);
    result_fail(&result, &fault);
    come_back(&result, &back);
    ck_assert_int_eq(back.status, result.status);
    ck_assert_int_ne(back.status, RESULT_OK);
    ck_assert_int_eq(back.fault.code, fault.code);
    ck_assert_str_eq(back.fault.message, fault.message);
    ck_assert_str_eq(back.fault.field, fault.field);
    ck_assert_str_eq(back.fault.advice, fault.advice);
    ck_assert_uint_eq(back.fault.fits, fault.code == FAULT_BUDGET_EXCEEDED ? 17 : 0);
    result_release(&back);
}
END_TEST

START_TEST(fault_without_kind_comes_back) {
    struct result result, back;
    run("{'v':1,'kind':'dance'}", NULL, &result);
    come_back(&result, &back);
    ck_assert_int_eq(back.kind, JOB_KINDS);
    ck_assert_int_eq(back.status, RESULT_REJECTED);
    ck_assert_str_eq(back.fault.field, "kind");
    result_release(&back);
}
END_TEST

#define OK                                                                                         \
    "{'v':1,'id':'a','kind':'verify','status':'ok','at_tick':5,'state_hash':'0000000000000001'"
#define METRICS "'metrics':{'polarization':0,'cluster_count':1,'mean_neighbor_distance':2}"

/* What another writer may do: integers for floats, no worker, codes and kinds of a later version.
 */
START_TEST(result_of_others_is_read) {
    static const struct {
        const char *json;
        enum fault_code code;
    } cases[] = {
        {OK ",'checkpoints':[]," METRICS ",'run_ms':3}", FAULT_NONE},
        {"{'v':1,'id':'a','status':'failed','error':{'code':'worker_lost','message':'lost'}}",
         FAULT_WORKER_LOST},
        {"{'v':1,'id':'a','kind':'dance','status':'rejected','error':{'code':'no_rhythm',"
         "'message':'out of step','more':[1]},'queued_ms':5}",
         FAULT_INTERNAL},
        {"{'v':1,'id':'a','status':'expired','error':{'code':'expired','message':{'$text':"
         "'300 \\u00e4'}}}",
         FAULT_EXPIRED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mem_buffer bytes = {0};
        struct result result;
        message_from_json(cases[i].json, &bytes);
        ck_assert_msg(wire_decode_result(bytes.data, bytes.size, &result) == 0, "%s",
                      cases[i].json);
        ck_assert_int_eq(result.fault.code, cases[i].code);
        ck_assert_int_ge(text_utf8_count(result.fault.message, strlen(result.fault.message)), 0);
        result_release(&result);
        mem_buffer_release(&bytes);
    }
}
END_TEST

static const char *const not_results[] = {
    "[]",
    "{'$raw':'81a17601c0'}",
    "{'v':2,'id':'a','status':'expired','error':{'code':'expired','message':''}}",
    "{'v':1,'status':'expired','error':{'code':'expired','message':''}}",
    "{'v':1,'id':'a','status':'expired','error':{'code':'expired','message':{'$str':'61ff'}}}",
    "{'v':1,'id':'a','kind':'verify','status':'great'}",
    "{'v':1,'id':'a','kind':'verify','status':'rejected'}",
    "{'v':1,'id':'a','kind':'verify','status':'rejected','error':{'message':'no code'}}",
    "{'v':1,'id':'a','kind':'dance','status':'ok'}",
    "{'v':1,'id':'a','status':'ok'}",
    "{'v':1,'id':'a','kind':'verify','status':'ok'}",
    OK "," METRICS "}",
    OK ",'checkpoints':[1]," METRICS "}",
    OK ",'checkpoints':[]," METRICS ",'verdict':'maybe'}",
    OK ",'checkpoints':[]," METRICS ",'trace':'a b'}",
    OK ",'checkpoints':[]," METRICS ",'run_ms':-1}",
    OK ",'checkpoints':[]," METRICS ",'engine':{'version':'1'}}",
    "{'v':1,'id':'a','kind':'session.step','status':'ok'}",
    "{'v':1,'id':'a','kind':'session.step','status':'ok','session':{}}",
    "{'v':1,'id':'a','kind':'sweep','status':'ok','rows':[]}",
    ("{'v':1,'id':'a','kind':'sweep','status':'ok','rows':{'seed':[1,2],'polarization':[0,0],"
     "'cluster_count':[1],'mean_neighbor_distance':[1,1],'state_hash':['0000000000000001',"
     "'0000000000000001']}}"),
    ("{'v':1,'id':'a','kind':'sweep','status':'ok','rows':{'seed':[1],'polarization':[null],"
     "'cluster_count':[1],'mean_neighbor_distance':[1],'state_hash':['0000000000000001']}}"),
};

START_TEST(not_a_result) {
    struct mem_buffer bytes = {0};
    struct result result;
    message_from_json(not_results[_i], &bytes);
    ck_assert_msg(wire_decode_result(bytes.data, bytes.size, &result) == ERR_PROTOCOL, "%s",
                  not_results[_i]);
    result_release(&result);
    mem_buffer_release(&bytes);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, verify_comes_back);
    tcase_add_test(tests, verify_says_that_there_is_a_ring);
    tcase_add_test(tests, distance_null_comes_back);
    tcase_add_test(tests, session_kinds_come_back);
    tcase_add_test(tests, sweep_comes_back);
    tcase_add_test(tests, sweep_of_10000_comes_back);
    tcase_add_loop_test(tests, fault_comes_back, FAULT_NONE + 1, FAULT_CODE_COUNT);
    tcase_add_test(tests, fault_without_kind_comes_back);
    tcase_add_test(tests, result_of_others_is_read);
    tcase_add_loop_test(tests, not_a_result, 0, (int)(sizeof not_results / sizeof not_results[0]));
}

int main(void) {
    return suite_run("wire_result", add, 10);
}
