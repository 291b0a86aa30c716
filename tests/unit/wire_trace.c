/* SPDX-License-Identifier: MIT */
/* Stored traces: complete in themselves, and what is not one. */
#include "wire.h"

#include "flock.h"
#include "message.h"
#include "samples.h"
#include "suite.h"

#include <string.h>

START_TEST(trace_keeps_claim_and_numbers) {
    const struct sample *sample = samples;
    struct sample_value value;
    struct mem_buffer bytes = {0};
    struct trace trace;
    while (strcmp(sample->name, "trace_full") != 0)
        sample++;
    sample_make(sample, &value);
    ck_assert_int_eq(wire_encode_trace(&value.job, &value.result, 1234567890123, &bytes), 0);
    ck_assert_int_eq(wire_decode_trace(bytes.data, bytes.size, &trace), 0);
    ck_assert_str_eq(trace.id, value.result.trace);
    ck_assert_int_eq(trace.job.kind, JOB_VERIFY);
    ck_assert_uint_eq(trace.job.seed, 42);
    ck_assert_uint_eq(trace.job.ticks, 1001);
    ck_assert(trace.job.params.value[FLOCK_BIRDS] == 10);
    ck_assert_uint_eq(trace.job.change_count, 2);
    ck_assert_str_eq(trace.job.note, "three flocks");
    ck_assert(trace.metrics.polarization == value.result.metrics.polarization);
    ck_assert_uint_eq(trace.state_hash, value.result.state_hash);
    ck_assert_uint_eq(trace.checkpoint_count, 1);
    ck_assert_uint_eq(trace.checkpoint[0], value.result.checkpoint[0]);
    ck_assert_int_eq(trace.verdict, VERDICT_INDICATIVE);
    ck_assert(trace.verified_at_ms == 1234567890123);
    ck_assert_str_eq(trace.engine_version, "0.1.0");
    ck_assert_str_eq(trace.engine_isa, "reference");
    for (size_t size = 0; size < bytes.size; size++) {
        struct trace part;
        ck_assert_int_eq(wire_decode_trace(bytes.data, size, &part), ERR_PROTOCOL);
        wire_release_trace(&part);
    }
    wire_release_trace(&trace);
    sample_release(&value);
    mem_buffer_release(&bytes);
}
END_TEST

#define HEAD "{'v':1,'id':'t','model':'flock','seed':1,'params':{'birds':10},"
#define NUMBERS                                                                                    \
    "'metrics':{'polarization':0,'cluster_count':1,'mean_neighbor_distance':null},"                \
    "'state_hash':'0000000000000000','checkpoints':[],'verified_at_ms':5"

START_TEST(trace_of_others_is_read) {
    struct mem_buffer bytes = {0};
    struct trace trace;
    message_from_json(HEAD "'at_tick':5,'later':[]," NUMBERS "}", &bytes);
    ck_assert_int_eq(wire_decode_trace(bytes.data, bytes.size, &trace), 0);
    ck_assert_int_eq(trace.verdict, VERDICT_NONE);
    ck_assert_str_eq(trace.job.note, "");
    wire_release_trace(&trace);
    mem_buffer_release(&bytes);
}
END_TEST

static const char *const not_traces[] = {
    "{}",
    "{'v':1,'id':'t','model':'herd','seed':1,'params':{},'at_tick':5," NUMBERS "}",
    "{'v':1,'id':'t u','model':'flock','seed':1,'params':{},'at_tick':5," NUMBERS "}",
    HEAD "'at_tick':0," NUMBERS "}",
    HEAD "'at_tick':5,'verdict':'perhaps'," NUMBERS "}",
    HEAD "'at_tick':5,'changes':[{'tick':5,'params':{'weights':{'cohesion':1}}}]," NUMBERS "}",
    HEAD "'at_tick':5,'note':{'$text':'501 x'}," NUMBERS "}",
    HEAD "'at_tick':5,'state_hash':'0000000000000000'}",
};

START_TEST(not_a_trace) {
    struct mem_buffer bytes = {0};
    struct trace trace;
    message_from_json(not_traces[_i], &bytes);
    ck_assert_int_eq(wire_decode_trace(bytes.data, bytes.size, &trace), ERR_PROTOCOL);
    wire_release_trace(&trace);
    mem_buffer_release(&bytes);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, trace_keeps_claim_and_numbers);
    tcase_add_test(tests, trace_of_others_is_read);
    tcase_add_loop_test(tests, not_a_trace, 0, (int)(sizeof not_traces / sizeof not_traces[0]));
}

int main(void) {
    return suite_run("wire_trace", add, 10);
}
