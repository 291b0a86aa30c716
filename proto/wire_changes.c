/* SPDX-License-Identifier: MIT */
/* The list of changes is the same in jobs, sessions and traces. Any thread. */
#include "wire_changes.h"

#include "mem.h"
#include "wire_params.h"

static void wire_changes_read_entries(const struct wire_map *map, const struct model *model,
                                      uint32_t last_tick, struct sim_change *out) {
    model_default_params(model, &out->params);
    wire_read_u32(map, "tick", WIRE_REQUIRED, 0, last_tick, &out->tick);
    wire_params_read(map, "params", WIRE_REQUIRED, model, true, &out->params, &out->set);
}

static void wire_changes_write_entries(struct wire_writer *writer, const struct model *model,
                                       const struct sim_change *change) {
    wire_write_uint(writer, "tick", change->tick);
    wire_params_write(writer, "params", model, &change->params, change->set);
}

bool wire_changes_read_one(const struct wire_map *map, const char *key, enum wire_need need,
                           const struct model *model, uint32_t last_tick, struct sim_change *out) {
    struct wire_map change;
    if (!wire_read_map(map, key, need, &change))
        return false;
    wire_changes_read_entries(&change, model, last_tick, out);
    return map->fault->code == FAULT_NONE;
}

void wire_changes_write_one(struct wire_writer *writer, const char *key, const struct model *model,
                            const struct sim_change *change) {
    wire_write_open(writer, key);
    wire_changes_write_entries(writer, model, change);
    wire_write_close(writer);
}

bool wire_changes_read(const struct wire_map *map, const char *key, enum wire_need need,
                       const struct model *model, uint32_t max, uint32_t last_tick,
                       struct sim_change **out, size_t *count) {
    struct wire_list list;
    if (!wire_read_list(map, key, need, 0, max, &list) || list.count == 0)
        return false;
    *out = mem_zero(list.count, sizeof **out);
    if (!*out) {
        fault_set(map->fault, FAULT_NO_MEMORY, key, "no memory for %u changes", list.count);
        return false;
    }
    *count = list.count;
    for (uint32_t i = 0; i < list.count && map->fault->code == FAULT_NONE; i++) {
        struct wire_map item;
        if (wire_read_item_map(&list, i, &item))
            wire_changes_read_entries(&item, model, last_tick, &(*out)[i]);
    }
    return map->fault->code == FAULT_NONE;
}

void wire_changes_write(struct wire_writer *writer, const char *key, const struct model *model,
                        const struct sim_change *change, size_t count) {
    wire_write_list(writer, key, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        wire_changes_write_one(writer, NULL, model, &change[i]);
}
