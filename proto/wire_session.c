/* SPDX-License-Identifier: MIT */
/*
 * Sessions, bit for bit: the state as binary64 and its hash beside it. What is read is checked as
 * if a stranger had written it, because the simulation that continues from it computes addresses
 * from coordinates and trusts its counts. Any thread.
 */
#include "wire.h"

#include "wire_changes.h"
#include "wire_metrics.h"
#include "wire_params.h"
#include "wire_reject.h"
#include "wire_session.h"

#include <inttypes.h>
#include <math.h>

static void write_column(struct wire_writer *writer, const char *key, const double *value,
                         uint32_t count) {
    wire_write_list(writer, key, count);
    for (uint32_t i = 0; i < count; i++)
        wire_write_real(writer, NULL, value[i]);
}

void wire_session_write(struct wire_writer *writer, const struct session *session) {
    const struct sim *sim = &session->sim;
    uint32_t all = wire_params_all(sim->model);
    wire_write_uint(writer, "v", 1);
    wire_write_text(writer, "id", session->id);
    wire_write_text(writer, "model", sim->model->name);
    wire_write_uint(writer, "seed", session->seed);
    wire_write_uint(writer, "tick", sim->tick);
    wire_params_write(writer, "params", sim->model, &sim->params, all);
    if (wire_params_differing(sim->model, &session->start, &sim->params) != 0)
        wire_params_write(writer, "initial_params", sim->model, &session->start, all);
    wire_changes_write(writer, "changes", sim->model, session->change, session->change_count);
    wire_metrics_write(writer, "metrics", &session->metrics);
    wire_write_hash(writer, "state_hash", sim_hash(sim));
    write_column(writer, "x", sim->x, sim->count);
    write_column(writer, "y", sim->y, sim->count);
    write_column(writer, "vx", sim->vx, sim->count);
    write_column(writer, "vy", sim->vy, sim->count);
}

static void read_model(const struct wire_map *map, struct sim *sim) {
    struct wire_text name;
    if (!wire_read_bytes(map, "model", WIRE_REQUIRED, &name))
        return;
    sim->model = model_find(name.start, name.length);
    if (!sim->model)
        wire_reject(map, "model", -1, FAULT_UNKNOWN_MODEL, NULL, "is not known");
}

/* All parameters of the model. */
static bool read_params(const struct wire_map *map, const char *key, enum wire_need need,
                        const struct model *model, struct sim_params *params) {
    uint32_t set;
    if (!wire_params_read(map, key, need, model, false, params, &set))
        return false;
    if (set != wire_params_all(model))
        wire_reject(map, key, -1, FAULT_MISSING_FIELD, NULL, "must name every parameter of %s",
                    model->name);
    return map->fault->code == FAULT_NONE;
}

/* The log must ascend, end by now, and lead from the first parameters to the current ones. */
static void check_changes(const struct wire_map *map, const struct session *session) {
    struct sim_params params = session->start;
    for (size_t i = 0; i < session->change_count; i++) {
        const struct sim_change *change = &session->change[i];
        if (i > 0 && change->tick <= session->change[i - 1].tick) {
            wire_reject(map, "changes", (long)i, FAULT_BAD_CHANGES, NULL, "does not ascend");
            return;
        }
        sim_apply(&params, change->set, &change->params);
    }
    if (wire_params_differing(session->sim.model, &params, &session->sim.params) != 0)
        wire_reject(map, "params", -1, FAULT_BAD_CHANGES, NULL, "are not what the changes lead to");
}

static void read_column(const struct wire_map *map, const char *key, double *value,
                        uint32_t count) {
    struct wire_list list;
    if (!wire_read_list(map, key, WIRE_REQUIRED, count, count, &list))
        return;
    for (uint32_t i = 0; i < count; i++)
        wire_read_item_real(&list, i, -INFINITY, INFINITY, &value[i]);
}

static void read_state(const struct wire_map *map, struct sim *sim) {
    uint64_t hash;
    sim->count = (uint32_t)sim->params.value[0];
    read_column(map, "x", sim->x, sim->count);
    read_column(map, "y", sim->y, sim->count);
    read_column(map, "vx", sim->vx, sim->count);
    read_column(map, "vy", sim->vy, sim->count);
    if (!wire_read_hash(map, "state_hash", WIRE_REQUIRED, &hash))
        return;
    if (hash != sim_hash(sim))
        wire_reject(map, "state_hash", -1, FAULT_OUT_OF_RANGE, NULL, "is not that of the state");
    if (!sim->model->is_legal(sim))
        wire_reject(map, "x", -1, FAULT_OUT_OF_RANGE, NULL,
                    "to vy are not a state that the model %s can be in", sim->model->name);
}

void wire_session_read(const struct wire_map *map, struct session *session) {
    struct sim *sim = &session->sim;
    uint32_t version;
    wire_read_u32(map, "v", WIRE_REQUIRED, 1, 1, &version);
    wire_read_id(map, "id", WIRE_REQUIRED, session->id);
    wire_read_u32(map, "seed", WIRE_REQUIRED, 0, UINT32_MAX, &session->seed);
    wire_read_u32(map, "tick", WIRE_REQUIRED, 0, UINT32_MAX, &sim->tick);
    read_model(map, sim);
    if (map->fault->code != FAULT_NONE)
        return;
    if (!read_params(map, "params", WIRE_REQUIRED, sim->model, &sim->params))
        return;
    session->start = sim->params;
    read_params(map, "initial_params", WIRE_OPTIONAL, sim->model, &session->start);
    wire_changes_read(map, "changes", WIRE_REQUIRED, sim->model, SIM_CHANGES_MAX, sim->tick,
                      &session->change, &session->change_count);
    wire_metrics_read(map, "metrics", WIRE_REQUIRED, &session->metrics);
    read_state(map, sim);
    if (map->fault->code == FAULT_NONE)
        check_changes(map, session);
}

int wire_encode_session(const struct session *session, struct mem_buffer *out) {
    struct wire_writer writer;
    wire_write_begin(&writer, out);
    wire_session_write(&writer, session);
    return wire_write_end(&writer);
}

int wire_decode_session(const void *data, size_t size, struct session *session) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    *session = (struct session){0};
    wire_read_open(data, size, "session", &unpacked, &top, &fault);
    wire_session_read(&top, session);
    wire_read_close(&unpacked);
    return wire_read_error(&fault);
}
