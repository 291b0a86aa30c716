/* SPDX-License-Identifier: MIT */
/*
 * wire_decode_job. A job that is taken keeps every rule of the tables, and written and read again
 * it is the same; one that is not gets a fault that can be told, and the answer that a worker would
 * give is a legal result.
 */
#include "fuzz.h"

#include "field.h"
#include "text.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY "1700000000000-7"

static void check_utf8(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    assert(length < room);
    assert(text_utf8_count(text, length) >= 0);
}

static void check_id(const char *id, bool may_be_empty) {
    size_t length = strnlen(id, JOB_ID_MAX + 1);
    assert(job_id_is_legal(id, length) || (may_be_empty && length == 0));
}

static void check_field(const struct job *job, const struct field *row) {
    const char *member = (const char *)job + row->offset;
    if (row->type == FIELD_ID)
        check_id(member, !(row->needs >> job->kind & 1u));
    if (row->type == FIELD_TEXT)
        check_utf8(member, 4 * (size_t)row->max + 1);
    if (row->type == FIELD_ASCII)
        assert(strnlen(member, row->max + 1) <= row->max);
    const bool *has = (const bool *)((const char *)job + row->has_offset);
    bool given = row->has_offset ? *has : row->preset == NULL;
    uint32_t value;
    memcpy(&value, member, sizeof value);
    if (row->type == FIELD_UINT && given)
        assert(value >= row->min && value <= row->max);
}

static void check_changes(const struct job *job) {
    const struct model *model = job->model;
    assert(job->change_count <= SIM_CHANGES_MAX && !job->change == (job->change_count == 0));
    for (size_t i = 0; i < job->change_count; i++) {
        const struct sim_change *change = &job->change[i];
        assert(change->tick < job->ticks && (i == 0 || change->tick >= change[-1].tick));
        assert(change->set != 0 && change->set < UINT32_C(1) << model->param_count);
        assert(model_check_params(model, &change->params) == -1);
        for (size_t p = 0; p < model->param_count; p++)
            assert(!(model->param[p].fixed && (change->set >> p & 1u)));
    }
}

static void check_seeds(const struct job *job) {
    const struct job_seeds *seeds = &job->seeds;
    assert(job->kind != JOB_SWEEP || (seeds->count >= 1 && seeds->count <= JOB_SEEDS_MAX));
    assert(seeds->list || seeds->count == 0 || seeds->first + (seeds->count - 1) >= seeds->first);
}

static void check_job(const struct job *job) {
    check_id(job->id, false);
    assert(job->kind < JOB_KINDS && job->model);
    assert(job->budget_ms >= 1 && job->budget_ms <= JOB_BUDGET_MS);
    assert(model_check_params(job->model, &job->params) == -1);
    for (size_t i = 0; i < field_count; i++)
        if (field_table[i].takes >> job->kind & 1u)
            check_field(job, &field_table[i]);
    check_changes(job);
    check_seeds(job);
}

static void check_again(const struct job *job) {
    struct mem_buffer once = {0}, twice = {0};
    struct job again;
    struct fault fault;
    assert(wire_encode_job(job, &once) == 0);
    assert(wire_decode_job(once.data, once.size, "0-1", &again, &fault) == 0);
    check_job(&again);
    assert(wire_encode_job(&again, &twice) == 0);
    assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    assert(again.kind == job->kind && again.change_count == job->change_count);
    assert(again.seeds.count == job->seeds.count && !again.seeds.list == !job->seeds.list);
    job_release(&again);
    mem_buffer_release(&once);
    mem_buffer_release(&twice);
}

/* As a worker answers it. */
static void check_refusal(const struct job *job, const struct fault *fault) {
    struct mem_buffer bytes = {0};
    struct result result, back;
    assert(fault->code > FAULT_NONE && fault->code < FAULT_CODE_COUNT);
    assert(fault->message[0] != '\0');
    check_utf8(fault->message, sizeof fault->message);
    check_utf8(fault->field, sizeof fault->field);
    check_utf8(fault->advice, sizeof fault->advice);
    check_id(job->id, false);
    check_id(job->reply_to, true);
    result_init(&result, job);
    result_fail(&result, fault);
    assert(wire_encode_result(&result, &bytes) == 0);
    assert(wire_decode_result(bytes.data, bytes.size, &back) == 0);
    assert(back.fault.code == fault->code && strcmp(back.id, job->id) == 0);
    assert(strcmp(back.fault.message, fault->message) == 0);
    assert(back.status == RESULT_REJECTED && back.kind == job->kind);
    result_release(&back);
    mem_buffer_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct job job;
    struct fault fault;
    if (wire_decode_job(data, size, ENTRY, &job, &fault) == 0) {
        assert(fault.code == FAULT_NONE);
        check_job(&job);
        check_again(&job);
    } else {
        check_refusal(&job, &fault);
    }
    job_release(&job);
    return 0;
}
