/* SPDX-License-Identifier: MIT */
#pragma once
/* A model's parameters as a map, grouped as the model's table says. */
#include "model.h"
#include "wire_read.h"
#include "wire_write.h"

/*
 * Reads those that are there into *params, and which into *set (bit p: parameter p). With
 * `change`, as after tick 0: one that is fixed is a fault, and so is none at all.
 */
bool wire_params_read(const struct wire_map *map, const char *key, enum wire_need need,
                      const struct model *model, bool change, struct sim_params *params,
                      uint32_t *set);

/* Writes those in `set`. */
void wire_params_write(struct wire_writer *writer, const char *key, const struct model *model,
                       const struct sim_params *params, uint32_t set);

/* Every parameter of the model; those that differ between two sets of values. */
uint32_t wire_params_all(const struct model *model);
uint32_t wire_params_differing(const struct model *model, const struct sim_params *a,
                               const struct sim_params *b);
