/* SPDX-License-Identifier: MIT */
#pragma once
/* A model's parameters as people write them, by the model's own table. */
#include "sim.h"

#define PARAM_WHY_MAX 256

/* The index of the parameter of that name, in which - may stand for _; -1: the model has none. */
int param_find(const struct model *model, const char *name, size_t length);

/* Sets one parameter from text: 0, or -1 with the reason in `why` (PARAM_WHY_MAX bytes). */
int param_set(const struct model *model, int index, const char *value, struct sim_params *params,
              char *why);

/* Sets one from "NAME=VALUE"; *index is then its index. Errors as param_set. */
int param_assign(const struct model *model, const char *text, struct sim_params *params, int *index,
                 char *why);

/*
 * "TICK:V,V,..." with a value for each parameter that may change, in the order of the table, or
 * "TICK:NAME=VALUE,NAME=VALUE,...". Errors as param_set.
 */
int param_change(const struct model *model, const char *text, struct sim_change *change, char *why);
