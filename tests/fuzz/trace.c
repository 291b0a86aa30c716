/* SPDX-License-Identifier: MIT */
/* wire_decode_trace: what is taken can be run, and written and read again it is the same. */
#include "fuzz.h"

#include "text.h"
#include "wire.h"

#include <string.h>

static void check_trace(const struct trace *trace) {
    const struct job *job = &trace->job;
    struct fault fault = {0};
    assert(job_id_is_legal(trace->id, strnlen(trace->id, sizeof trace->id)));
    assert(job->kind == JOB_VERIFY && job->model && job->has_seed);
    assert(job->ticks >= 1 && job->ticks <= SIM_TICKS_MAX);
    assert(model_check_params(job->model, &job->params) == -1);
    assert(job_check(job, &fault) == 0);
    assert(text_utf8_count(job->note, strnlen(job->note, sizeof job->note)) <= JOB_NOTE_MAX);
    assert(trace->metrics.cluster_count >= 1 && trace->metrics.cluster_count <= SIM_AGENTS_MAX);
    assert(trace->checkpoint_count <= RESULT_CHECKPOINTS_MAX);
    assert(trace->verdict < RESULT_VERDICTS && trace->verified_at_ms >= 0);
}

/* The writer takes a claim and its result, as the worker has them. */
static void encode(const struct trace *trace, struct mem_buffer *out) {
    struct result result;
    result_init(&result, &trace->job);
    memcpy(result.trace, trace->id, sizeof result.trace);
    result.metrics = trace->metrics;
    result.state_hash = trace->state_hash;
    memcpy(result.checkpoint, trace->checkpoint, sizeof result.checkpoint);
    result.checkpoint_count = trace->checkpoint_count;
    result.verdict = trace->verdict;
    memcpy(result.engine_version, trace->engine_version, sizeof result.engine_version);
    memcpy(result.engine_isa, trace->engine_isa, sizeof result.engine_isa);
    assert(wire_encode_trace(&trace->job, &result, trace->verified_at_ms, out) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mem_buffer once = {0}, twice = {0};
    struct trace trace, again;
    if (wire_decode_trace(data, size, &trace) == 0) {
        check_trace(&trace);
        encode(&trace, &once);
        assert(wire_decode_trace(once.data, once.size, &again) == 0);
        check_trace(&again);
        encode(&again, &twice);
        assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
        wire_release_trace(&again);
    }
    wire_release_trace(&trace);
    mem_buffer_release(&once);
    mem_buffer_release(&twice);
    return 0;
}
