/* SPDX-License-Identifier: MIT */
/* Jobs from JSON: read as from the wire, and strictly. */
#include "json_job.h"

#include "suite.h"

#include <check.h>
#include <string.h>

static struct fault fault;
static struct job job;

/* As json_job_read; ' stands for ". */
static int read_text(const char *text) {
    char quoted[512];
    size_t size = strlen(text);
    for (size_t i = 0; i <= size; i++)
        quoted[i] = text[i] == '\'' ? '"' : text[i];
    fault = (struct fault){0};
    job = (struct job){0};
    json_t *body = json_job_parse(quoted, size, &fault);
    int code = body ? json_job_read(body, &job, &fault) : -1;
    json_decref(body);
    return code;
}

#define HEAD "'v':1,'id':'a','kind':'verify',"

START_TEST(json_job_is_read_whole) {
    ck_assert_int_eq(read_text("{" HEAD "'seed':4294967295,'params':{'birds':10,'weights':"
                               "{'cohesion':1,'alignment':0.25,'separation':1e-06}},"
                               "'changes':[{'tick':3,'params':{'weights':{'cohesion':0}}}],"
                               "'at_tick':200,'note':'\\u00e9','ring':true,'claimed':null}"),
                     0);
    ck_assert_str_eq(job.id, "a");
    ck_assert_uint_eq(job.seed, UINT32_MAX);
    ck_assert(job.params.value[0] == 10 && job.params.value[2] == 0.25);
    ck_assert(job.params.value[3] == 1e-06);
    ck_assert_uint_eq(job.change_count, 1);
    ck_assert_uint_eq(job.change[0].tick, 3);
    ck_assert_uint_eq(job.ticks, 200);
    ck_assert_str_eq(job.note, "\xc3\xa9");
    ck_assert(job.ring && job.store && !job.claimed.has_hash);
    job_release(&job);
}
END_TEST

static const struct {
    const char *text, *field;
    enum fault_code code;
} bad[] = {
    {"", "", FAULT_MALFORMED},
    {"[]", "", FAULT_MALFORMED},
    {"7", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'at_tick':1} x", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'seed':2,'at_tick':1}", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'at_tick':1,'note':'\\u0000'}", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':99999999999999999999,'at_tick':1}", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':NaN,'at_tick':1}", "", FAULT_MALFORMED},
    {"{'a':[[[[[[[[1]]]]]]]]}", "", FAULT_MALFORMED},
    {"{" HEAD "'seed':-1,'at_tick':1}", "seed", FAULT_OUT_OF_RANGE},
    {"{" HEAD "'seed':1.0,'at_tick':1}", "seed", FAULT_OUT_OF_RANGE},
    {"{" HEAD "'seed':'1','at_tick':1}", "seed", FAULT_WRONG_TYPE},
    {"{" HEAD "'seed':1,'at_tick':20001}", "at_tick", FAULT_OUT_OF_RANGE},
    {"{" HEAD "'seed':1}", "at_tick", FAULT_MISSING_FIELD},
    {"{" HEAD "'seed':1,'at_tick':9,'params':{'weights':{'cohesion':1.5}}}",
     "params.weights.cohesion", FAULT_OUT_OF_RANGE},
    {"{" HEAD "'seed':1,'at_tick':9,'params':{'weights':{'cohesoin':1}}}",
     "params.weights.cohesoin", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'at_tick':9,'params':{'cohesion':1}}", "params.cohesion", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'at_tick':9,'changes':[{'tick':1,'params':{'w':1}}]}",
     "changes[0].params.w", FAULT_MALFORMED},
    {"{" HEAD "'seed':1,'at_tick':9,'model':'geese'}", "model", FAULT_UNKNOWN_MODEL},
};

START_TEST(json_job_bad_is_refused) {
    ck_assert_int_ne(read_text(bad[_i].text), 0);
    ck_assert_msg(fault.code == bad[_i].code, "%s: %s", bad[_i].text, fault.message);
    ck_assert_str_eq(fault.field, bad[_i].field);
    job_release(&job);
}
END_TEST

/* Eight deep with the object itself: the wire's own limit. */
START_TEST(json_job_depth_counts_no_brackets_in_texts) {
    ck_assert_int_eq(read_text("{" HEAD "'seed':1,'at_tick':1,'note':'[[[[[[[[[[\\\"[[['}"), 0);
    ck_assert_str_eq(job.note, "[[[[[[[[[[\"[[[");
    job_release(&job);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, json_job_is_read_whole);
    tcase_add_loop_test(tests, json_job_bad_is_refused, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(tests, json_job_depth_counts_no_brackets_in_texts);
}

int main(void) {
    return suite_run("json_job", add, 10);
}
