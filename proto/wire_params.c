/* SPDX-License-Identifier: MIT */
/*
 * Both walk the model's table. Rows of one group stand together in it, so one open group is all
 * that the walk remembers. Any thread.
 */
#include "wire_params.h"

#include "wire_reject.h"

#include <string.h>

static bool wire_params_same_group(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool wire_params_read_one(const struct wire_map *map, const struct model_param *row,
                                 double *value) {
    uint32_t whole;
    if (!row->integral)
        return wire_read_real(map, row->name, WIRE_OPTIONAL, row->min, row->max, value);
    if (!wire_read_u32(map, row->name, WIRE_OPTIONAL, (uint32_t)row->min, (uint32_t)row->max,
                       &whole))
        return false;
    *value = whole;
    return true;
}

bool wire_params_read(const struct wire_map *map, const char *key, enum wire_need need,
                      const struct model *model, bool change, struct sim_params *params,
                      uint32_t *set) {
    struct wire_map top, group;
    if (!wire_read_map(map, key, need, &top))
        return false;
    *set = 0;
    const char *group_name = NULL;
    for (size_t p = 0; p < model->param_count; p++) {
        const struct model_param *row = &model->param[p];
        if (row->group && !wire_params_same_group(row->group, group_name) &&
            !wire_read_map(&top, row->group, WIRE_OPTIONAL, &group))
            group = (struct wire_map){
                .parent = &top, .key = row->group, .index = -1, .fault = map->fault};
        group_name = row->group;
        const struct wire_map *holder = row->group ? &group : &top;
        if (wire_params_read_one(holder, row, &params->value[p]))
            *set |= UINT32_C(1) << p;
        if (change && row->fixed && (*set >> p & 1u))
            wire_reject(holder, row->name, -1, FAULT_BAD_CHANGES,
                        wire_read_find(holder, row->name, WIRE_OPTIONAL),
                        "is fixed at tick 0 and must not be changed");
    }
    if (change && *set == 0)
        wire_reject(map, key, -1, FAULT_MISSING_FIELD, NULL,
                    "must name at least one parameter of the model %s", model->name);
    return map->fault->code == FAULT_NONE;
}

void wire_params_write(struct wire_writer *writer, const char *key, const struct model *model,
                       const struct sim_params *params, uint32_t set) {
    const char *group = NULL;
    wire_write_open(writer, key);
    for (size_t p = 0; p < model->param_count; p++) {
        const struct model_param *row = &model->param[p];
        if (!(set >> p & 1u))
            continue;
        if (!wire_params_same_group(row->group, group)) {
            if (group)
                wire_write_close(writer);
            if (row->group)
                wire_write_open(writer, row->group);
            group = row->group;
        }
        if (row->integral)
            wire_write_uint(writer, row->name, (uint64_t)params->value[p]);
        else
            wire_write_real(writer, row->name, params->value[p]);
    }
    if (group)
        wire_write_close(writer);
    wire_write_close(writer);
}

uint32_t wire_params_all(const struct model *model) {
    return (UINT32_C(1) << model->param_count) - 1;
}

uint32_t wire_params_differing(const struct model *model, const struct sim_params *a,
                               const struct sim_params *b) {
    uint32_t set = 0;
    for (size_t p = 0; p < model->param_count; p++)
        if (a->value[p] < b->value[p] || a->value[p] > b->value[p])
            set |= UINT32_C(1) << p;
    return set;
}
