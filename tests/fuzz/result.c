/* SPDX-License-Identifier: MIT */
/* wire_decode_result: what is taken keeps the struct's rules, and written and read again it is the
 * same. */
#include "fuzz.h"

#include "text.h"
#include "wire.h"

#include <math.h>
#include <string.h>

static void check_utf8(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    assert(length < room);
    assert(text_utf8_count(text, length) >= 0);
}

static void check_metrics(const struct sim_metrics *metrics) {
    assert(metrics->polarization >= 0 && isfinite(metrics->polarization));
    assert(metrics->cluster_count >= 1 && metrics->cluster_count <= SIM_AGENTS_MAX);
    assert(isnan(metrics->mean_neighbor_distance) ||
           (metrics->mean_neighbor_distance >= 0 && isfinite(metrics->mean_neighbor_distance)));
}

static void check_fault(const struct result *result) {
    const struct fault *fault = &result->fault;
    assert((result->status == RESULT_OK) == (fault->code == FAULT_NONE));
    assert(fault->code < FAULT_CODE_COUNT);
    check_utf8(fault->message, sizeof fault->message);
    check_utf8(fault->field, sizeof fault->field);
    check_utf8(fault->advice, sizeof fault->advice);
}

static void check_ok(const struct result *result) {
    assert(result->kind < JOB_KINDS);
    bool has_session = result->kind != JOB_VERIFY && result->kind != JOB_SWEEP;
    assert(has_session == (result->session != NULL));
    assert((result->kind == JOB_SWEEP) == (result->row_count > 0));
    if (has_session)
        assert(result->session->sim.model->is_legal(&result->session->sim));
    if (result->kind == JOB_VERIFY) {
        assert(result->at_tick >= 1 && result->at_tick <= SIM_TICKS_MAX);
        check_metrics(&result->metrics);
    }
    assert(result->checkpoint_count <= RESULT_CHECKPOINTS_MAX);
    assert(result->verdict < RESULT_VERDICTS);
    assert(result->row_count <= JOB_SEEDS_MAX);
    for (size_t i = 0; i < result->row_count; i++)
        check_metrics(&result->row[i].metrics);
}

static void check_result(const struct result *result) {
    assert(job_id_is_legal(result->id, strnlen(result->id, sizeof result->id)));
    assert(result->status < RESULT_STATUSES && result->kind <= JOB_KINDS);
    check_utf8(result->worker, sizeof result->worker);
    check_utf8(result->engine_version, sizeof result->engine_version);
    check_utf8(result->engine_isa, sizeof result->engine_isa);
    check_utf8(result->traceparent, sizeof result->traceparent);
    assert(result->run_ms >= 0 && isfinite(result->run_ms));
    assert(!result->ring);
    check_fault(result);
    if (result->status == RESULT_OK)
        check_ok(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mem_buffer once = {0}, twice = {0};
    struct result result, again;
    if (wire_decode_result(data, size, &result) == 0) {
        check_result(&result);
        assert(wire_encode_result(&result, &once) == 0);
        assert(wire_decode_result(once.data, once.size, &again) == 0);
        check_result(&again);
        assert(wire_encode_result(&again, &twice) == 0);
        assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
        assert(again.queued_ms == result.queued_ms && again.row_count == result.row_count);
        result_release(&again);
    }
    result_release(&result);
    mem_buffer_release(&once);
    mem_buffer_release(&twice);
    return 0;
}
