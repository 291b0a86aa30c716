/* SPDX-License-Identifier: MIT */
/*
 * A result from bytes, for clients written in C. Names that a later version may add (codes of
 * errors) are taken as far as they are understood; what the struct cannot hold without them is not
 * a result. Any thread.
 */
#include "wire.h"

#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_reject.h"
#include "wire_result.h"
#include "wire_session.h"

#include <math.h>

static void read_error(const struct wire_map *map, struct fault *out) {
    struct wire_map error;
    struct wire_text code;
    if (!wire_read_map(map, "error", WIRE_REQUIRED, &error))
        return;
    if (wire_read_bytes(&error, "code", WIRE_REQUIRED, &code)) {
        out->code = fault_code_find(code.start, code.length);
        if (out->code == FAULT_CODE_COUNT || out->code == FAULT_NONE)
            out->code = FAULT_INTERNAL;
    }
    wire_read_label(&error, "message", WIRE_REQUIRED, out->message, sizeof out->message);
    wire_read_label(&error, "field", WIRE_OPTIONAL, out->field, sizeof out->field);
    wire_read_label(&error, "advice", WIRE_OPTIONAL, out->advice, sizeof out->advice);
    wire_read_uint(&error, "fits", WIRE_OPTIONAL, 0, UINT64_MAX, &out->fits);
}

static void read_verify(const struct wire_map *map, struct result *result) {
    wire_read_u32(map, "at_tick", WIRE_REQUIRED, 1, SIM_TICKS_MAX, &result->at_tick);
    wire_metrics_read(map, "metrics", WIRE_REQUIRED, &result->metrics);
    wire_read_hash(map, "state_hash", WIRE_REQUIRED, &result->state_hash);
    wire_result_read_checkpoints(map, result->checkpoint, &result->checkpoint_count);
    wire_result_read_verdict(map, &result->verdict);
    wire_read_id(map, "trace", WIRE_OPTIONAL, result->trace);
}

static void read_session(const struct wire_map *map, struct result *result) {
    struct wire_map session;
    if (!wire_read_map(map, "session", WIRE_REQUIRED, &session))
        return;
    result->session = mem_zero(1, sizeof *result->session);
    if (result->session)
        wire_session_read(&session, result->session);
    else
        fault_set(map->fault, FAULT_NO_MEMORY, "session", "no memory for the session");
}

static void read_session_params(const struct wire_map *map, struct result *result) {
    read_session(map, result);
    if (map->fault->code == FAULT_NONE)
        wire_changes_read_one(map, "change", WIRE_REQUIRED, result->session->sim.model, UINT32_MAX,
                              &result->change);
}

static bool read_columns(const struct wire_map *rows, uint32_t count, struct wire_list *column,
                         const char *const *key, size_t columns) {
    for (size_t c = 0; c < columns; c++)
        if (!wire_read_list(rows, key[c], WIRE_REQUIRED, count, count, &column[c]))
            return false;
    return true;
}

static void read_sweep(const struct wire_map *map, struct result *result) {
    enum { POLARIZATION, CLUSTERS, DISTANCE, HASH, COLUMNS };
    static const char *const key[COLUMNS] = {"polarization", "cluster_count",
                                             "mean_neighbor_distance", "state_hash"};
    struct wire_map rows;
    struct wire_list seed, column[COLUMNS];
    if (!wire_read_map(map, "rows", WIRE_REQUIRED, &rows) ||
        !wire_read_list(&rows, "seed", WIRE_REQUIRED, 1, JOB_SEEDS_MAX, &seed) ||
        !read_columns(&rows, seed.count, column, key, COLUMNS))
        return;
    result->row = mem_zero(seed.count, sizeof *result->row);
    if (!result->row) {
        fault_set(map->fault, FAULT_NO_MEMORY, "rows", "no memory for %u rows", seed.count);
        return;
    }
    result->row_count = seed.count;
    for (uint32_t i = 0; i < seed.count; i++) {
        struct result_sweep_row *row = &result->row[i];
        wire_read_item_u32(&seed, i, 0, UINT32_MAX, &row->seed);
        wire_read_item_real(&column[POLARIZATION], i, 0, INFINITY, &row->metrics.polarization);
        wire_read_item_u32(&column[CLUSTERS], i, 1, SIM_AGENTS_MAX, &row->metrics.cluster_count);
        if (column[DISTANCE].item[i].type == MSGPACK_OBJECT_NIL)
            row->metrics.mean_neighbor_distance = NAN;
        else
            wire_read_item_real(&column[DISTANCE], i, 0, INFINITY,
                                &row->metrics.mean_neighbor_distance);
        wire_read_item_hash(&column[HASH], i, &row->state_hash);
    }
}

static void (*const read_kind[JOB_KINDS])(const struct wire_map *, struct result *) = {
    [JOB_VERIFY] = read_verify,        [JOB_SESSION_CREATE] = read_session,
    [JOB_SESSION_STEP] = read_session, [JOB_SESSION_PARAMS] = read_session_params,
    [JOB_SWEEP] = read_sweep,
};

/* What came out: the kind's own fields, or the error. */
static void read_outcome(const struct wire_map *map, struct result *result) {
    struct wire_text name;
    result->kind = JOB_KINDS;
    if (wire_read_bytes(map, "kind", WIRE_OPTIONAL, &name))
        result->kind = job_kind_find(name.start, name.length);
    if (!wire_read_bytes(map, "status", WIRE_REQUIRED, &name))
        return;
    result->status = result_status_find(name.start, name.length);
    if (result->status == RESULT_STATUSES) {
        result->status = RESULT_FAILED;
        wire_reject(map, "status", -1, FAULT_WRONG_TYPE, NULL, "is not known");
    } else if (result->status != RESULT_OK) {
        read_error(map, &result->fault);
    } else if (result->kind == JOB_KINDS) {
        wire_reject(map, "kind", -1, FAULT_UNKNOWN_KIND, NULL, "is not known");
    } else {
        read_kind[result->kind](map, result);
    }
}

int wire_decode_result(const void *data, size_t size, struct result *result) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    uint32_t version;
    *result = (struct result){0};
    wire_read_open(data, size, "result", &unpacked, &top, &fault);
    wire_read_u32(&top, "v", WIRE_REQUIRED, 1, 1, &version);
    wire_read_id(&top, "id", WIRE_REQUIRED, result->id);
    read_outcome(&top, result);
    wire_read_label(&top, "worker", WIRE_OPTIONAL, result->worker, sizeof result->worker);
    wire_result_read_engine(&top, result->engine_version, result->engine_isa);
    wire_read_uint(&top, "queued_ms", WIRE_OPTIONAL, 0, UINT64_MAX, &result->queued_ms);
    wire_read_real(&top, "run_ms", WIRE_OPTIONAL, 0, INFINITY, &result->run_ms);
    wire_read_label(&top, "traceparent", WIRE_OPTIONAL, result->traceparent,
                    sizeof result->traceparent);
    wire_read_close(&unpacked);
    return wire_read_error(&fault);
}
