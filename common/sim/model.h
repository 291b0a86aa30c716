/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What can be simulated. A model is a row in model.c: its name, the table of its parameters, and
 * how tick 0 is made. Decoder, command line, HTTP API and documents all read the one parameter
 * table.
 */
#include <stddef.h>
#include <stdint.h>

struct sim;

#define SIM_PARAMS_MAX 12

/* Values in the order of the model's parameter table. */
struct sim_params {
    double value[SIM_PARAMS_MAX];
};

struct model_param {
    const char *name;
    const char
        *group; /* the map that holds it on the wire and in JSON; NULL: the top level of params */
    const char *unit; /* "1" for a pure number */
    double preset;    /* the default */
    double min, max;  /* both legal */
    double step;      /* what a person moves it by; the API takes any number between */
    int integral;     /* only whole numbers */
    int fixed;        /* cannot change after tick 0 */
};

struct model {
    const char *name;
    const struct model_param *param; /* [0] is the number of agents */
    size_t param_count;
    void (*init)(struct sim *sim, uint32_t seed); /* params and count are set; fills x, y, vx, vy */
    /* Whether count, x, y, vx, vy are a state that this model can be in: to be asked before a state
     * that came from outside is stepped, since engines compute addresses from coordinates. */
    int (*is_legal)(const struct sim *sim);
    size_t index; /* row in every engine's table */
};

enum { MODEL_FLOCK, MODEL_COUNT };

/* The model of that row, 0 <= index < MODEL_COUNT. */
const struct model *model_at(size_t index);

/* The model of that name (any bytes, not terminated), or NULL. */
const struct model *model_find(const char *name, size_t length);

/* Every parameter at its default. */
void model_default_params(const struct model *model, struct sim_params *params);

/* The index of the first parameter out of range, not whole where it must be, or NaN; or -1. */
int model_check_params(const struct model *model, const struct sim_params *params);
