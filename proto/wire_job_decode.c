/* SPDX-License-Identifier: MIT */
/*
 * A job from bytes: what every job has (v, id, kind, model), then the field table, row by row. Each
 * field is read with a fault of its own and the first one is kept, so that behind a bad field the
 * others are read all the same: the answer to a bad job needs its id, kind and reply_to. Any
 * thread.
 */
#include "wire.h"

#include "field.h"
#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_params.h"
#include "wire_read.h"
#include "wire_reject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALL_KINDS ((1u << JOB_KINDS) - 1)
#define NAMES_MAX 160

typedef void read_fn(const struct wire_map *map, const struct field *row, enum wire_need need,
                     struct job *job);

static void *wire_job_member(struct job *job, size_t offset) {
    return (char *)job + offset;
}

static void read_id(const struct wire_map *map, const struct field *row, enum wire_need need,
                    struct job *job) {
    wire_read_id(map, row->key, need, wire_job_member(job, row->offset));
}

static void read_ascii(const struct wire_map *map, const struct field *row, enum wire_need need,
                       struct job *job) {
    wire_read_ascii(map, row->key, need, row->min, row->max, wire_job_member(job, row->offset));
}

static void read_text(const struct wire_map *map, const struct field *row, enum wire_need need,
                      struct job *job) {
    wire_read_text(map, row->key, need, row->max, wire_job_member(job, row->offset));
}

static void read_uint(const struct wire_map *map, const struct field *row, enum wire_need need,
                      struct job *job) {
    if (wire_read_u32(map, row->key, need, row->min, row->max, wire_job_member(job, row->offset)) &&
        row->has_offset)
        *(bool *)wire_job_member(job, row->has_offset) = true;
}

static void read_bool(const struct wire_map *map, const struct field *row, enum wire_need need,
                      struct job *job) {
    wire_read_bool(map, row->key, need, wire_job_member(job, row->offset));
}

static void read_params(const struct wire_map *map, const struct field *row, enum wire_need need,
                        struct job *job) {
    wire_params_read(map, row->key, need, job->model, job->kind == JOB_SESSION_PARAMS, &job->params,
                     &job->params_set);
}

static void read_changes(const struct wire_map *map, const struct field *row, enum wire_need need,
                         struct job *job) {
    wire_changes_read(map, row->key, need, job->model, row->max, SIM_TICKS_MAX - 1, &job->change,
                      &job->change_count);
}

static void read_claimed(const struct wire_map *map, const struct field *row, enum wire_need need,
                         struct job *job) {
    struct wire_map claimed;
    struct job_claimed *out = wire_job_member(job, row->offset);
    if (!wire_read_map(map, row->key, need, &claimed))
        return;
    out->has_metrics = wire_metrics_read(&claimed, "metrics", WIRE_OPTIONAL, &out->metrics);
    out->has_hash = wire_read_hash(&claimed, "state_hash", WIRE_OPTIONAL, &out->state_hash);
}

static void read_seed_list(const struct wire_map *map, const struct field *row,
                           struct job_seeds *seeds) {
    struct wire_list list;
    if (!wire_read_list(map, row->key, WIRE_REQUIRED, row->min, row->max, &list))
        return;
    seeds->list = mem_alloc(list.count * sizeof *seeds->list);
    if (!seeds->list) {
        fault_set(map->fault, FAULT_NO_MEMORY, row->key, "no memory for %" PRIu32 " seeds",
                  list.count);
        return;
    }
    seeds->count = list.count;
    for (uint32_t i = 0; i < list.count; i++)
        wire_read_item_u32(&list, i, 0, UINT32_MAX, &seeds->list[i]);
}

static void read_seed_range(const struct wire_map *map, const struct field *row,
                            struct job_seeds *seeds) {
    struct wire_map range;
    if (!wire_read_map(map, row->key, WIRE_REQUIRED, &range))
        return;
    wire_read_u32(&range, "first", WIRE_REQUIRED, 0, UINT32_MAX, &seeds->first);
    wire_read_u32(&range, "count", WIRE_REQUIRED, row->min, row->max, &seeds->count);
    if (map->fault->code == FAULT_NONE && seeds->count - 1 > UINT32_MAX - seeds->first)
        wire_reject(&range, "first", -1, FAULT_OUT_OF_RANGE,
                    wire_read_find(&range, "first", WIRE_REQUIRED),
                    "must be at most %" PRIu32 " with a count of %" PRIu32,
                    UINT32_MAX - (seeds->count - 1), seeds->count);
}

static void read_seeds(const struct wire_map *map, const struct field *row, enum wire_need need,
                       struct job *job) {
    struct job_seeds *seeds = wire_job_member(job, row->offset);
    const msgpack_object *value = wire_read_find(map, row->key, need);
    if (!value)
        return;
    if (value->type == MSGPACK_OBJECT_ARRAY)
        read_seed_list(map, row, seeds);
    else if (value->type == MSGPACK_OBJECT_MAP)
        read_seed_range(map, row, seeds);
    else
        wire_reject(map, row->key, -1, FAULT_WRONG_TYPE, value,
                    "must be {first, count} or a list of %" PRIu32 " to %" PRIu32 " seeds",
                    row->min, row->max);
}

static read_fn *const readers[FIELD_TYPES] = {
    [FIELD_ID] = read_id,           [FIELD_ASCII] = read_ascii,     [FIELD_TEXT] = read_text,
    [FIELD_UINT] = read_uint,       [FIELD_BOOL] = read_bool,       [FIELD_PARAMS] = read_params,
    [FIELD_CHANGES] = read_changes, [FIELD_CLAIMED] = read_claimed, [FIELD_SEEDS] = read_seeds,
};

/* The names of a list as "a, b, c". */
static void wire_job_join(char *out, size_t size, const char *name) {
    size_t used = strlen(out);
    (void)snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
}

static void read_version(const struct wire_map *map) {
    const msgpack_object *value = wire_read_find(map, "v", WIRE_REQUIRED);
    if (!value || (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 == 1))
        return;
    bool integer = value->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
                   value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
    wire_reject(map, "v", -1, integer ? FAULT_UNSUPPORTED_VERSION : FAULT_WRONG_TYPE, value,
                "must be the integer 1");
}

static enum job_kind read_kind(const struct wire_map *map) {
    struct wire_text name;
    if (!wire_read_bytes(map, "kind", WIRE_REQUIRED, &name))
        return JOB_KINDS;
    enum job_kind kind = job_kind_find(name.start, name.length);
    if (kind == JOB_KINDS) {
        char names[NAMES_MAX] = "";
        for (int k = 0; k < JOB_KINDS; k++)
            wire_job_join(names, sizeof names, job_kind_name((enum job_kind)k));
        wire_reject(map, "kind", -1, FAULT_UNKNOWN_KIND, wire_read_find(map, "kind", WIRE_REQUIRED),
                    "must be one of %s", names);
    }
    return kind;
}

static const struct model *read_model(const struct wire_map *map) {
    struct wire_text name;
    if (!wire_read_bytes(map, "model", WIRE_OPTIONAL, &name))
        return model_at(MODEL_FLOCK);
    const struct model *model = model_find(name.start, name.length);
    if (model)
        return model;
    char names[NAMES_MAX] = "";
    for (size_t m = 0; m < MODEL_COUNT; m++)
        wire_job_join(names, sizeof names, model_at(m)->name);
    wire_reject(map, "model", -1, FAULT_UNKNOWN_MODEL, wire_read_find(map, "model", WIRE_OPTIONAL),
                "must be one of %s", names);
    return model_at(MODEL_FLOCK);
}

/* The same map with a fault of its own, to be kept with wire_job_keep. */
static struct wire_map wire_job_aside(const struct wire_map *top, struct fault *own) {
    struct wire_map view = *top;
    own->code = FAULT_NONE;
    view.fault = own;
    return view;
}

static void wire_job_keep(struct fault *fault, const struct fault *own) {
    if (fault->code == FAULT_NONE && own->code != FAULT_NONE)
        *fault = *own;
}

/* v, id, kind, model; everything else at its default. */
static void read_head(const struct wire_map *top, const char *entry, struct job *job,
                      struct fault *fault) {
    struct fault own;
    struct wire_map view = wire_job_aside(top, &own);
    read_version(&view);
    wire_job_keep(fault, &own);

    char id[JOB_ID_MAX + 1];
    (void)snprintf(id, sizeof id, "%s", entry);
    view = wire_job_aside(top, &own);
    wire_read_id(&view, "id", WIRE_OPTIONAL, id);
    wire_job_keep(fault, &own);

    view = wire_job_aside(top, &own);
    enum job_kind kind = read_kind(&view);
    wire_job_keep(fault, &own);

    view = wire_job_aside(top, &own);
    const struct model *model = read_model(&view);
    wire_job_keep(fault, &own);

    job_init(job, kind, model);
    memcpy(job->id, id, sizeof id);
}

/* Of an unknown kind, the fields that all kinds have. */
static bool wire_job_takes(enum job_kind kind, const struct field *row) {
    return kind == JOB_KINDS ? row->takes == ALL_KINDS : (row->takes >> kind & 1u) != 0;
}

int wire_decode_job(const void *data, size_t size, const char *entry, struct job *job,
                    struct fault *fault) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    *fault = (struct fault){0};
    wire_read_open(data, size, "job", &unpacked, &top, fault);
    read_head(&top, entry, job, fault);
    for (size_t i = 0; i < field_count; i++) {
        const struct field *row = &field_table[i];
        if (!wire_job_takes(job->kind, row))
            continue;
        bool needed = job->kind != JOB_KINDS && (row->needs >> job->kind & 1u);
        struct fault own;
        struct wire_map view = wire_job_aside(&top, &own);
        readers[row->type](&view, row, needed ? WIRE_REQUIRED : WIRE_OPTIONAL, job);
        wire_job_keep(fault, &own);
    }
    wire_read_close(&unpacked);
    return fault->code == FAULT_NONE ? job_check(job, fault) : -1;
}
