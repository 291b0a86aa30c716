/* SPDX-License-Identifier: MIT */
/*
 * A stored trace: a claim that was verified, complete enough to be run again from it alone, with
 * every parameter written out. Any thread.
 */
#include "wire.h"

#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_params.h"
#include "wire_reject.h"
#include "wire_result.h"

int wire_encode_trace(const struct job *job, const struct result *result, int64_t verified_at_ms,
                      struct mem_buffer *out) {
    struct wire_writer writer;
    wire_write_begin(&writer, out);
    wire_write_uint(&writer, "v", 1);
    wire_write_text(&writer, "id", result->trace);
    wire_write_text(&writer, "model", job->model->name);
    wire_write_uint(&writer, "seed", job->seed);
    wire_params_write(&writer, "params", job->model, &job->params, wire_params_all(job->model));
    wire_changes_write(&writer, "changes", job->model, job->change, job->change_count);
    wire_write_uint(&writer, "at_tick", job->ticks);
    wire_write_text(&writer, "note", job->note);
    wire_metrics_write(&writer, "metrics", &result->metrics);
    wire_write_hash(&writer, "state_hash", result->state_hash);
    wire_result_write_checkpoints(&writer, result->checkpoint, result->checkpoint_count);
    wire_result_write_verdict(&writer, result->verdict);
    wire_write_uint(&writer, "verified_at_ms", (uint64_t)verified_at_ms);
    wire_result_write_engine(&writer, result->engine_version, result->engine_isa);
    return wire_write_end(&writer);
}

static const struct model *read_model(const struct wire_map *map) {
    struct wire_text name;
    if (!wire_read_bytes(map, "model", WIRE_REQUIRED, &name))
        return model_at(MODEL_FLOCK);
    const struct model *model = model_find(name.start, name.length);
    if (model)
        return model;
    wire_reject(map, "model", -1, FAULT_UNKNOWN_MODEL, NULL, "is not known");
    return model_at(MODEL_FLOCK);
}

static void read_claim(const struct wire_map *map, struct job *job) {
    uint32_t set;
    job_init(job, JOB_VERIFY, read_model(map));
    job->has_seed = wire_read_u32(map, "seed", WIRE_REQUIRED, 0, UINT32_MAX, &job->seed);
    wire_params_read(map, "params", WIRE_REQUIRED, job->model, false, &job->params, &set);
    wire_changes_read(map, "changes", WIRE_OPTIONAL, job->model, SIM_CHANGES_MAX, SIM_TICKS_MAX - 1,
                      &job->change, &job->change_count);
    wire_read_u32(map, "at_tick", WIRE_REQUIRED, 1, SIM_TICKS_MAX, &job->ticks);
    wire_read_text(map, "note", WIRE_OPTIONAL, JOB_NOTE_MAX, job->note);
    if (map->fault->code == FAULT_NONE)
        (void)job_check(job, map->fault);
}

int wire_decode_trace(const void *data, size_t size, struct trace *trace) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    uint32_t version;
    uint64_t verified_at = 0;
    *trace = (struct trace){0};
    wire_read_open(data, size, "trace", &unpacked, &top, &fault);
    wire_read_u32(&top, "v", WIRE_REQUIRED, 1, 1, &version);
    wire_read_id(&top, "id", WIRE_REQUIRED, trace->id);
    read_claim(&top, &trace->job);
    wire_metrics_read(&top, "metrics", WIRE_REQUIRED, &trace->metrics);
    wire_read_hash(&top, "state_hash", WIRE_REQUIRED, &trace->state_hash);
    wire_result_read_checkpoints(&top, trace->checkpoint, &trace->checkpoint_count);
    wire_result_read_verdict(&top, &trace->verdict);
    wire_read_uint(&top, "verified_at_ms", WIRE_REQUIRED, 0, INT64_MAX, &verified_at);
    trace->verified_at_ms = (int64_t)verified_at;
    wire_result_read_engine(&top, trace->engine_version, trace->engine_isa);
    wire_read_close(&unpacked);
    return wire_read_error(&fault);
}

void wire_release_trace(struct trace *trace) {
    job_release(&trace->job);
}
