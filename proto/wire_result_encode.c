/* SPDX-License-Identifier: MIT */
/*
 * A result to bytes: what every result has around what its kind gives. What does not apply is left
 * out, nil stands for nothing but a mean_neighbor_distance that is null. Any thread.
 */
#include "wire.h"

#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_result.h"
#include "wire_session.h"

#include <math.h>

static void write_error(struct wire_writer *writer, const struct fault *fault) {
    wire_write_open(writer, "error");
    wire_write_text(writer, "code", fault_code_name(fault->code));
    wire_write_text(writer, "message", fault->message);
    wire_write_optional(writer, "field", fault->field);
    wire_write_optional(writer, "advice", fault->advice);
    if (fault->code == FAULT_BUDGET_EXCEEDED)
        wire_write_uint(writer, "fits", fault->fits);
    wire_write_close(writer);
}

static void write_verify(struct wire_writer *writer, const struct result *result) {
    wire_write_uint(writer, "at_tick", result->at_tick);
    wire_metrics_write(writer, "metrics", &result->metrics);
    wire_write_hash(writer, "state_hash", result->state_hash);
    wire_result_write_checkpoints(writer, result->checkpoint, result->checkpoint_count);
    wire_result_write_verdict(writer, result->verdict);
    wire_write_optional(writer, "trace", result->trace);
    if (result->ring)
        wire_write_bool(writer, "ring", true);
}

static void write_session(struct wire_writer *writer, const struct result *result) {
    wire_write_open(writer, "session");
    wire_session_write(writer, result->session);
    wire_write_close(writer);
}

static void write_session_params(struct wire_writer *writer, const struct result *result) {
    wire_changes_write_one(writer, "change", result->session->sim.model, &result->change);
    write_session(writer, result);
}

/* Columns and not a map a row: 10,000 rows would repeat their keys 10,000 times. */
static void write_sweep(struct wire_writer *writer, const struct result *result) {
    const struct result_sweep_row *row = result->row, *end = row + result->row_count;
    uint32_t count = (uint32_t)result->row_count;
    wire_write_open(writer, "rows");
    wire_write_list(writer, "seed", count);
    for (row = result->row; row < end; row++)
        wire_write_uint(writer, NULL, row->seed);
    wire_write_list(writer, "polarization", count);
    for (row = result->row; row < end; row++)
        wire_write_real(writer, NULL, row->metrics.polarization);
    wire_write_list(writer, "cluster_count", count);
    for (row = result->row; row < end; row++)
        wire_write_uint(writer, NULL, row->metrics.cluster_count);
    wire_write_list(writer, "mean_neighbor_distance", count);
    for (row = result->row; row < end; row++)
        if (isnan(row->metrics.mean_neighbor_distance))
            wire_write_nil(writer, NULL);
        else
            wire_write_real(writer, NULL, row->metrics.mean_neighbor_distance);
    wire_write_list(writer, "state_hash", count);
    for (row = result->row; row < end; row++)
        wire_write_hash(writer, NULL, row->state_hash);
    wire_write_close(writer);
}

static void (*const write_kind[JOB_KINDS])(struct wire_writer *, const struct result *) = {
    [JOB_VERIFY] = write_verify,        [JOB_SESSION_CREATE] = write_session,
    [JOB_SESSION_STEP] = write_session, [JOB_SESSION_PARAMS] = write_session_params,
    [JOB_SWEEP] = write_sweep,
};

int wire_encode_result(const struct result *result, struct mem_buffer *out) {
    struct wire_writer writer;
    wire_write_begin(&writer, out);
    wire_write_uint(&writer, "v", 1);
    wire_write_text(&writer, "id", result->id);
    wire_write_optional(&writer, "kind", job_kind_name(result->kind));
    wire_write_text(&writer, "status", result_status_name(result->status));
    if (result->status == RESULT_OK)
        write_kind[result->kind](&writer, result);
    else
        write_error(&writer, &result->fault);
    wire_write_optional(&writer, "worker", result->worker);
    wire_result_write_engine(&writer, result->engine_version, result->engine_isa);
    wire_write_uint(&writer, "queued_ms", result->queued_ms);
    wire_write_real(&writer, "run_ms", result->run_ms);
    wire_write_optional(&writer, "traceparent", result->traceparent);
    return wire_write_end(&writer);
}
