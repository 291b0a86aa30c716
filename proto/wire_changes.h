/* SPDX-License-Identifier: MIT */
#pragma once
/* Changes of parameters: {tick, params}, and the list of them. */
#include "sim.h"
#include "wire_read.h"
#include "wire_write.h"

bool wire_changes_read_one(const struct wire_map *map, const char *key, enum wire_need need,
                           const struct model *model, uint32_t last_tick, struct sim_change *out);
void wire_changes_write_one(struct wire_writer *writer, const char *key, const struct model *model,
                            const struct sim_change *change);

/*
 * The list, at most `max` of them, each at `last_tick` at the latest; their order is not looked at.
 * Allocates *out, which the caller frees, whatever happens; NULL for an empty list.
 */
bool wire_changes_read(const struct wire_map *map, const char *key, enum wire_need need,
                       const struct model *model, uint32_t max, uint32_t last_tick,
                       struct sim_change **out, size_t *count);
void wire_changes_write(struct wire_writer *writer, const char *key, const struct model *model,
                        const struct sim_change *change, size_t count);
