/* SPDX-License-Identifier: MIT */
/* Results come from real runs by the reference engine; only times and names are made up. */
#include "samples.h"

#include "message.h"
#include "run.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERIFIED_AT_MS 1767225600123 /* 2026-01-01T00:00:00.123Z */
#define TRACEPARENT "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

#define CREATE "{'v':1,'id':'create-1','kind':'session.create','seed':42,'params':{'birds':10}}"
#define CHANGE                                                                                     \
    "{'v':1,'id':'params-1','kind':'session.params','session':'f00d','params':{'weights':{"        \
    "'cohesion':0.1,'separation':0.9}}}"
#define STEP "{'v':1,'id':'step-1','kind':'session.step','session':'f00d','ticks':10}"
#define VERIFY "{'v':1,'id':'claim-1','kind':'verify','seed':42"
#define CHANGES                                                                                    \
    ",'changes':[{'tick':0,'params':{'weights':{'cohesion':0.25}}},{'tick':100,'params':{"         \
    "'weights':{'alignment':1.0,'separation':0.0}}}]"

const struct sample samples[] = {
    {.name = "job_verify_least", .type = SAMPLE_JOB, .jobs = {VERIFY ",'at_tick':500}"}},
    {.name = "job_verify_full",
     .type = SAMPLE_JOB,
     .jobs = {"{'v':1,'id':'claim-2','kind':'verify','reply_to':'web-7','ttl_ms':60000,"
              "'budget_ms':5000,'traceparent':'" TRACEPARENT "','seed':4294967295,'params':{"
              "'birds':400,'weights':{'cohesion':0.1,'alignment':0.2,'separation':1}}" CHANGES
              ",'at_tick':20000,'note':'a flock of \\u00e4, \\u20ac and \\ud83d\\udc26','claimed':{"
              "'metrics':{'polarization':0.875,'cluster_count':3,'mean_neighbor_distance':12.25},"
              "'state_hash':'0123456789abcdef'},'store':false,'ring':true}"}},
    {.name = "job_verify_claimed_null",
     .type = SAMPLE_JOB,
     .jobs = {VERIFY ",'at_tick':1,'claimed':{'metrics':{'polarization':0.5,'cluster_count':10,"
                     "'mean_neighbor_distance':null}}}"}},
    {.name = "job_session_create_least",
     .type = SAMPLE_JOB,
     .jobs = {"{'v':1,'id':'create-0','kind':'session.create'}"}},
    {.name = "job_session_create_full", .type = SAMPLE_JOB, .jobs = {CREATE}},
    {.name = "job_session_step", .type = SAMPLE_JOB, .jobs = {STEP}},
    {.name = "job_session_step_expect_tick",
     .type = SAMPLE_JOB,
     .jobs = {"{'v':1,'id':'step-2','kind':'session.step','session':'f00d','ticks':1000,"
              "'expect_tick':0}"}},
    {.name = "job_session_params", .type = SAMPLE_JOB, .jobs = {CHANGE}},
    {.name = "job_sweep_range",
     .type = SAMPLE_JOB,
     .jobs = {"{'v':1,'id':'sweep-1','kind':'sweep','seeds':{'first':0,'count':10000},"
              "'ticks':500}"}},
    {.name = "job_sweep_list",
     .type = SAMPLE_JOB,
     .jobs = {"{'v':1,'id':'sweep-2','kind':'sweep','seeds':[0,200,70000,4294967295],'params':{"
              "'birds':10}" CHANGES ",'ticks':20000}"}},

    {.name = "result_verify",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':100}"}},
    {.name = "result_verify_checkpoints_ring",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10}" CHANGES
                     ",'at_tick':2500,'ring':true,'traceparent':'" TRACEPARENT "'}"}},
    {.name = "result_verify_null_distance",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':100}"},
     .null_distance = true},
    {.name = "result_verify_exact",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':100,'claimed':{'state_hash':"
                     "'28673656b3e770f7'}}"}},
    {.name = "result_verify_match",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':100,'claimed':{'metrics':{'polarization':"
                     "0.4384,'cluster_count':7,'mean_neighbor_distance':98.2}}}"}},
    {.name = "result_verify_indicative",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':201,'claimed':{'metrics':{'polarization':"
                     "0.5,'cluster_count':5,'mean_neighbor_distance':50}}}"}},
    {.name = "result_verify_mismatch",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':100,'claimed':{'state_hash':"
                     "'0000000000000000'}}"}},
    {.name = "result_session_create", .type = SAMPLE_RESULT, .jobs = {CREATE}},
    {.name = "result_session_params", .type = SAMPLE_RESULT, .jobs = {CREATE, CHANGE}},
    {.name = "result_session_step", .type = SAMPLE_RESULT, .jobs = {CREATE, CHANGE, STEP}},
    {.name = "result_sweep",
     .type = SAMPLE_RESULT,
     .jobs =
         {"{'v':1,'id':'sweep-3','kind':'sweep','seeds':[42,7,4294967295],'params':{'birds':10},"
          "'ticks':20}"}},
    {.name = "result_sweep_null_distance",
     .type = SAMPLE_RESULT,
     .jobs = {"{'v':1,'id':'sweep-4','kind':'sweep','seeds':{'first':42,'count':1},'params':{"
              "'birds':10},'ticks':20}"},
     .null_distance = true},

    {.name = "result_rejected_out_of_range",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'at_tick':500,'params':{'weights':{'cohesion':1.1}}}"}},
    {.name = "result_rejected_unknown_kind",
     .type = SAMPLE_RESULT,
     .jobs = {"{'v':1,'id':'dance-1','kind':'dance'}"}},
    {.name = "result_rejected_malformed", .type = SAMPLE_RESULT, .jobs = {"{'$raw':'83a176'}"}},
    {.name = "result_rejected_budget_exceeded_verify",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':20000,'budget_ms':1}"},
     .end = SAMPLE_OUT_OF_BUDGET},
    {.name = "result_rejected_budget_exceeded_sweep",
     .type = SAMPLE_RESULT,
     .jobs = {"{'v':1,'id':'sweep-5','kind':'sweep','seeds':{'first':0,'count':10000},'params':{"
              "'birds':10},'ticks':30}"},
     .end = SAMPLE_OUT_OF_BUDGET},
    {.name = "result_rejected_session_not_found", .type = SAMPLE_RESULT, .jobs = {STEP}},
    {.name = "result_rejected_tick_conflict",
     .type = SAMPLE_RESULT,
     .jobs = {CREATE, "{'v':1,'id':'step-3','kind':'session.step','session':'f00d','ticks':1,"
                      "'expect_tick':5}"}},
    {.name = "result_cancelled",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':500}"},
     .end = SAMPLE_CANCELLED},
    {.name = "result_expired",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'at_tick':500,'ttl_ms':100}"},
     .fault = FAULT_EXPIRED},
    {.name = "result_failed_worker_lost",
     .type = SAMPLE_RESULT,
     .jobs = {VERIFY ",'at_tick':500}"},
     .fault = FAULT_WORKER_LOST},

    {.name = "session_at_tick_0", .type = SAMPLE_SESSION, .jobs = {CREATE}},
    {.name = "session_changed_and_stepped", .type = SAMPLE_SESSION, .jobs = {CREATE, CHANGE, STEP}},
    {.name = "trace_least",
     .type = SAMPLE_TRACE,
     .jobs = {VERIFY ",'params':{'birds':10},'at_tick':1}"}},
    {.name = "trace_full",
     .type = SAMPLE_TRACE,
     .jobs = {VERIFY ",'params':{'birds':10}" CHANGES ",'at_tick':1001,'note':'three flocks',"
                     "'claimed':{'metrics':{'polarization':0.5,'cluster_count':5,"
                     "'mean_neighbor_distance':50}}}"}},
};

const size_t sample_count = sizeof samples / sizeof samples[0];

/* Fifty ticks are let through. */
static enum run_order sample_order(void *context, uint64_t done, uint64_t total) {
    static const enum run_order orders[] = {[SAMPLE_DONE] = RUN_ON,
                                            [SAMPLE_OUT_OF_BUDGET] = RUN_OUT_OF_BUDGET,
                                            [SAMPLE_CANCELLED] = RUN_CANCELLED};
    (void)total;
    return done < 50 ? RUN_ON : orders[*(const enum sample_end *)context];
}

/* What the worker, and not the run, puts into a result. */
static void sample_sign(struct result *result) {
    memcpy(result->worker, "example-1", sizeof "example-1");
    memcpy(result->engine_version, "0.1.0", sizeof "0.1.0");
    memcpy(result->engine_isa, "reference", sizeof "reference");
    result->queued_ms = 3;
    result->run_ms = 12.5;
}

static void sample_fail(const struct sample *sample, struct sample_value *value) {
    struct fault fault = {0};
    fault_set(&fault, sample->fault, "", "%s",
              sample->fault == FAULT_EXPIRED ? "not started within ttl_ms (100)"
                                             : "its worker died 3 times");
    result_init(&value->result, &value->job);
    result_fail(&value->result, &fault);
}

static void sample_run(const struct sample *sample, const char *json, bool last,
                       struct session *session, struct sample_value *value) {
    struct mem_buffer bytes = {0};
    struct fault fault;
    enum sample_end end = last ? sample->end : SAMPLE_DONE;
    struct run_env env = {.engine = &engine_reference,
                          .order = sample_order,
                          .context = &end,
                          .session = session,
                          .fresh_id = "f00d"};
    message_from_json(json, &bytes);
    if (wire_decode_job(bytes.data, bytes.size, "1767225600000-0", &value->job, &fault) != 0) {
        result_init(&value->result, &value->job);
        result_fail(&value->result, &fault);
    } else if (last && sample->fault != FAULT_NONE) {
        sample_fail(sample, value);
    } else if (sample->type != SAMPLE_JOB) {
        run_job(&value->job, &env, &value->result);
    }
    mem_buffer_release(&bytes);
}

void sample_make(const struct sample *sample, struct sample_value *value) {
    struct session *session = NULL;
    int count = 1;
    while (count < 3 && sample->jobs[count])
        count++;
    for (int i = 0; i < count; i++) {
        *value = (struct sample_value){.type = sample->type};
        sample_run(sample, sample->jobs[i], i == count - 1, session, value);
        if (session)
            session_release(session);
        free(session);
        session = NULL;
        if (i < count - 1) {
            session = value->result.session;
            value->result.session = NULL;
            sample_release(value);
        }
    }
    sample_sign(&value->result);
    if (sample->null_distance && value->result.row)
        value->result.row[0].metrics.mean_neighbor_distance = NAN;
    else if (sample->null_distance)
        value->result.metrics.mean_neighbor_distance = NAN;
}

int sample_encode(const struct sample_value *value, struct mem_buffer *out) {
    switch (value->type) {
    case SAMPLE_JOB:
        return wire_encode_job(&value->job, out);
    case SAMPLE_RESULT:
        return wire_encode_result(&value->result, out);
    case SAMPLE_SESSION:
        return wire_encode_session(value->result.session, out);
    case SAMPLE_TRACE:
        return wire_encode_trace(&value->job, &value->result, VERIFIED_AT_MS, out);
    }
    return ERR_INVALID;
}

static int sample_decode_job(const void *data, size_t size, struct sample_value *value) {
    struct fault fault;
    if (wire_decode_job(data, size, "0-1", &value->job, &fault) == 0)
        return 0;
    return fault.code == FAULT_NO_MEMORY ? ERR_NO_MEMORY : ERR_PROTOCOL;
}

/* As the job and the result that it came from, with what it keeps of them. */
static int sample_decode_trace(const void *data, size_t size, struct sample_value *value) {
    struct trace trace;
    int answer = wire_decode_trace(data, size, &trace);
    struct result *result = &value->result;
    value->job = trace.job;
    memcpy(result->trace, trace.id, sizeof trace.id);
    memcpy(result->checkpoint, trace.checkpoint, sizeof trace.checkpoint);
    memcpy(result->engine_version, trace.engine_version, sizeof trace.engine_version);
    memcpy(result->engine_isa, trace.engine_isa, sizeof trace.engine_isa);
    result->checkpoint_count = trace.checkpoint_count;
    result->metrics = trace.metrics;
    result->state_hash = trace.state_hash;
    result->verdict = trace.verdict;
    if (answer == 0)
        ck_assert_int_eq(trace.verified_at_ms, VERIFIED_AT_MS);
    return answer;
}

int sample_decode(enum sample_type type, const void *data, size_t size,
                  struct sample_value *value) {
    *value = (struct sample_value){.type = type};
    switch (type) {
    case SAMPLE_JOB:
        return sample_decode_job(data, size, value);
    case SAMPLE_RESULT:
        return wire_decode_result(data, size, &value->result);
    case SAMPLE_SESSION:
        value->result.session = calloc(1, sizeof *value->result.session);
        ck_assert_ptr_nonnull(value->result.session);
        return wire_decode_session(data, size, value->result.session);
    case SAMPLE_TRACE:
        return sample_decode_trace(data, size, value);
    }
    return ERR_INVALID;
}

void sample_release(struct sample_value *value) {
    job_release(&value->job);
    result_release(&value->result);
}
