/* SPDX-License-Identifier: MIT */
/* What a job may not be: each gets the right code, names the field, the value and the range. */
#include "wire.h"

#include "bad_jobs.h"
#include "message.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY "1700000000000-7"

START_TEST(job_rejected) {
    const struct bad_job *bad = &bad_jobs[_i];
    struct mem_buffer bytes = {0};
    struct job job;
    struct fault fault;
    message_from_json(bad->json, &bytes);
    ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault), -1);
    ck_assert_msg(strcmp(fault_code_name(fault.code), bad->code) == 0, "%s: code %s (%s)",
                  bad->name, fault_code_name(fault.code), fault.message);
    ck_assert_msg(strcmp(fault.field, bad->field) == 0, "%s: field %s", bad->name, fault.field);
    ck_assert_msg(strstr(fault.message, bad->says), "%s: message %s", bad->name, fault.message);
    ck_assert_str_eq(job.id, ENTRY);
    job_release(&job);
    mem_buffer_release(&bytes);
}
END_TEST

/* Every prefix of a job is malformed, wherever it is cut. */
START_TEST(job_truncated_anywhere) {
    struct mem_buffer bytes = {0};
    struct job job;
    struct fault fault;
    message_from_json("{'v':1,'id':'a','kind':'sweep','seeds':[1,2,70000],'ticks':300,'params':"
                      "{'birds':20,'weights':{'cohesion':0.25}},'changes':[{'tick':3,'params':"
                      "{'weights':{'separation':1}}}],'reply_to':'list'}",
                      &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        unsigned char *part = malloc(size ? size : 1); /* of its exact size, for the sanitizer */
        memcpy(part, bytes.data, size);
        ck_assert_int_eq(wire_decode_job(part, size, ENTRY, &job, &fault), -1);
        ck_assert_int_eq(fault.code, FAULT_MALFORMED);
        job_release(&job);
        free(part);
    }
    ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault), 0);
    job_release(&job);
    mem_buffer_release(&bytes);
}
END_TEST

/* One byte changed, all places and values: no crash, and either a legal job or a fault. */
START_TEST(job_damaged_anywhere) {
    struct mem_buffer bytes = {0};
    message_from_json("{'v':1,'id':'a','kind':'verify','seed':7,'at_tick':300,'note':'n','params':"
                      "{'birds':20,'weights':{'cohesion':0.25}},'changes':[{'tick':3,'params':"
                      "{'weights':{'separation':1}}}],'claimed':{'state_hash':'0123456789abcdef'}}",
                      &bytes);
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char before = bytes.data[i];
        for (unsigned value = 0; value < 256; value++) {
            struct job job;
            struct fault fault;
            bytes.data[i] = (unsigned char)value;
            int answer = wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault);
            ck_assert_int_eq(answer, fault.code == FAULT_NONE ? 0 : -1);
            ck_assert(job_id_is_legal(job.id, strlen(job.id)));
            job_release(&job);
        }
        bytes.data[i] = before;
    }
    mem_buffer_release(&bytes);
}
END_TEST

/* The answer to a bad job needs to know where to go. */
START_TEST(job_address_is_read_behind_a_fault) {
    struct mem_buffer bytes = {0};
    struct job job;
    struct fault fault;
    message_from_json("{'v':2,'id':'mine','kind':'sweep','seeds':0,'traceparent':'00-1',"
                      "'reply_to':'list'}",
                      &bytes);
    ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault), -1);
    ck_assert_int_eq(fault.code, FAULT_UNSUPPORTED_VERSION);
    ck_assert_str_eq(job.id, "mine");
    ck_assert_str_eq(job.reply_to, "list");
    ck_assert_str_eq(job.traceparent, "00-1");
    ck_assert_int_eq(job.kind, JOB_SWEEP);
    job_release(&job);
    mem_buffer_release(&bytes);
}
END_TEST

START_TEST(job_address_is_read_of_an_unknown_kind) {
    struct mem_buffer bytes = {0};
    struct job job;
    struct fault fault;
    message_from_json("{'v':1,'id':'mine','kind':'dance','reply_to':'list'}", &bytes);
    ck_assert_int_eq(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault), -1);
    ck_assert_str_eq(job.id, "mine");
    ck_assert_str_eq(job.reply_to, "list");
    ck_assert_int_eq(job.kind, JOB_KINDS);
    ck_assert_ptr_nonnull(job.model);
    job_release(&job);
    mem_buffer_release(&bytes);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, job_rejected, 0, (int)bad_job_count);
    tcase_add_test(tests, job_truncated_anywhere);
    tcase_add_test(tests, job_damaged_anywhere);
    tcase_add_test(tests, job_address_is_read_behind_a_fault);
    tcase_add_test(tests, job_address_is_read_of_an_unknown_kind);
}

int main(void) {
    return suite_run("wire_job_bad", add, 30);
}
