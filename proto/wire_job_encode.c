/* SPDX-License-Identifier: MIT */
/*
 * A job to bytes, by the same table as the decoder's: what a kind takes and what is not at its
 * default, in the table's order. Any thread.
 */
#include "wire.h"

#include "field.h"
#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_params.h"
#include "wire_write.h"

/* The row's value, unless it is the default; `preset` is a job with nothing but defaults. */
typedef void write_fn(struct wire_writer *writer, const struct field *row, const struct job *job,
                      const struct job *preset);

static const void *wire_job_member(const struct job *job, size_t offset) {
    return (const char *)job + offset;
}

static bool wire_job_needs(const struct job *job, const struct field *row) {
    return (row->needs >> job->kind & 1u) != 0;
}

static void write_text(struct wire_writer *writer, const struct field *row, const struct job *job,
                       const struct job *preset) {
    (void)preset;
    wire_write_optional(writer, row->key, wire_job_member(job, row->offset));
}

static void write_uint(struct wire_writer *writer, const struct field *row, const struct job *job,
                       const struct job *preset) {
    uint32_t value = *(const uint32_t *)wire_job_member(job, row->offset);
    bool given = row->has_offset ? *(const bool *)wire_job_member(job, row->has_offset)
                                 : value != *(const uint32_t *)wire_job_member(preset, row->offset);
    if (given || wire_job_needs(job, row))
        wire_write_uint(writer, row->key, value);
}

static void write_bool(struct wire_writer *writer, const struct field *row, const struct job *job,
                       const struct job *preset) {
    bool value = *(const bool *)wire_job_member(job, row->offset);
    if (value != *(const bool *)wire_job_member(preset, row->offset))
        wire_write_bool(writer, row->key, value);
}

static void write_params(struct wire_writer *writer, const struct field *row, const struct job *job,
                         const struct job *preset) {
    uint32_t set = job->kind == JOB_SESSION_PARAMS
                       ? job->params_set
                       : wire_params_differing(job->model, &job->params, &preset->params);
    if (set != 0 || wire_job_needs(job, row))
        wire_params_write(writer, row->key, job->model, &job->params, set);
}

static void write_changes(struct wire_writer *writer, const struct field *row,
                          const struct job *job, const struct job *preset) {
    (void)preset;
    if (job->change_count > 0)
        wire_changes_write(writer, row->key, job->model, job->change, job->change_count);
}

static void write_claimed(struct wire_writer *writer, const struct field *row,
                          const struct job *job, const struct job *preset) {
    (void)preset;
    const struct job_claimed *claimed = wire_job_member(job, row->offset);
    if (!claimed->has_metrics && !claimed->has_hash)
        return;
    wire_write_open(writer, row->key);
    if (claimed->has_metrics)
        wire_metrics_write(writer, "metrics", &claimed->metrics);
    if (claimed->has_hash)
        wire_write_hash(writer, "state_hash", claimed->state_hash);
    wire_write_close(writer);
}

static void write_seeds(struct wire_writer *writer, const struct field *row, const struct job *job,
                        const struct job *preset) {
    (void)preset;
    const struct job_seeds *seeds = wire_job_member(job, row->offset);
    if (seeds->list) {
        wire_write_list(writer, row->key, seeds->count);
        for (uint32_t i = 0; i < seeds->count; i++)
            wire_write_uint(writer, NULL, seeds->list[i]);
        return;
    }
    wire_write_open(writer, row->key);
    wire_write_uint(writer, "first", seeds->first);
    wire_write_uint(writer, "count", seeds->count);
    wire_write_close(writer);
}

static write_fn *const writers[FIELD_TYPES] = {
    [FIELD_ID] = write_text,         [FIELD_ASCII] = write_text,      [FIELD_TEXT] = write_text,
    [FIELD_UINT] = write_uint,       [FIELD_BOOL] = write_bool,       [FIELD_PARAMS] = write_params,
    [FIELD_CHANGES] = write_changes, [FIELD_CLAIMED] = write_claimed, [FIELD_SEEDS] = write_seeds,
};

int wire_encode_job(const struct job *job, struct mem_buffer *out) {
    struct wire_writer writer;
    struct job preset;
    job_init(&preset, job->kind, job->model);
    wire_write_begin(&writer, out);
    wire_write_uint(&writer, "v", 1);
    wire_write_optional(&writer, "id", job->id);
    wire_write_text(&writer, "kind", job_kind_name(job->kind));
    if (job->model != model_at(MODEL_FLOCK))
        wire_write_text(&writer, "model", job->model->name);
    for (size_t i = 0; i < field_count; i++)
        if (field_table[i].takes >> job->kind & 1u)
            writers[field_table[i].type](&writer, &field_table[i], job, &preset);
    return wire_write_end(&writer);
}
