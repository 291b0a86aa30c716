/* SPDX-License-Identifier: MIT */
/*
 * json_job_parse and json_job_read, as a front-end uses them: the first byte is the kind of job,
 * the rest is a body. What is taken is a job that the wire takes too, and its parameters written as
 * JSON lead to the same job.
 */
#include "fuzz.h"

#include "json_job.h"
#include "shape.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

static void add_head(json_t *body, enum job_kind kind) {
    int code = json_object_set_new(body, "v", json_integer(1)) |
               json_object_set_new(body, "id", json_string("a")) |
               json_object_set_new(body, "kind", json_string(job_kind_name(kind)));
    if (kind == JOB_SESSION_STEP || kind == JOB_SESSION_PARAMS)
        code |= json_object_set_new(body, "session", json_string("b"));
    assert(code == 0);
}

static void check_wire(const struct job *job) {
    struct mem_buffer bytes = {0};
    struct fault fault;
    struct job again;
    assert(wire_encode_job(job, &bytes) == 0);
    assert(wire_decode_job(bytes.data, bytes.size, "", &again, &fault) == 0);
    assert(again.ticks == job->ticks && again.seed == job->seed);
    assert(memcmp(&again.params, &job->params, sizeof again.params) == 0);
    assert(again.change_count == job->change_count && strcmp(again.note, job->note) == 0);
    job_release(&again);
    mem_buffer_release(&bytes);
}

static void check_params(json_t *body, const struct job *job) {
    struct mem_buffer text = {0};
    struct fault fault = {0};
    struct job again;
    struct jot jot;
    jot_begin(&jot, &text);
    shape_params(&jot, NULL, job->model,
                 job->kind == JOB_SESSION_PARAMS ? job->params_set : SHAPE_ALL_PARAMS,
                 &job->params);
    json_t *params = json_loadb((const char *)text.data, text.size, 0, NULL);
    assert(params && json_object_set_new(body, "params", params) == 0);
    assert(json_job_read(body, &again, &fault) == 0);
    assert(memcmp(&again.params, &job->params, sizeof again.params) == 0);
    job_release(&again);
    mem_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fault fault = {0};
    struct job job = {0};
    if (size == 0)
        return 0;
    json_t *body = json_job_parse(data + 1, size - 1, &fault);
    assert(body || fault.code != FAULT_NONE);
    if (!body)
        return 0;
    add_head(body, (enum job_kind)(data[0] % JOB_KINDS));
    if (json_job_read(body, &job, &fault) == 0) {
        check_wire(&job);
        if (job.kind != JOB_SESSION_STEP)
            check_params(body, &job);
    } else {
        assert(fault.code != FAULT_NONE && fault.message[0]);
    }
    job_release(&job);
    json_decref(body);
    return 0;
}
