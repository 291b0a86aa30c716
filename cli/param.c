/* SPDX-License-Identifier: MIT */
/* Ranges come from the model's table, and so does the meaning of the short form of a change. */
#include "param.h"

#include "text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAM_VALUE_MAX 63

static bool param_name_is(const char *known, const char *name, size_t length) {
    if (strlen(known) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != known[i] && !(name[i] == '-' && known[i] == '_'))
            return false;
    return true;
}

int param_find(const struct model *model, const char *name, size_t length) {
    for (size_t i = 0; i < model->param_count; i++)
        if (param_name_is(model->param[i].name, name, length))
            return (int)i;
    return -1;
}

/* Which values a parameter takes: "a whole number from 10 to 400". */
static void param_range(const struct model_param *param, char *out, size_t out_size) {
    char min[32], max[32];
    text_from_double(param->min, min);
    text_from_double(param->max, max);
    (void)snprintf(out, out_size, "a %s from %s to %s", param->integral ? "whole number" : "number",
                   min, max);
}

int param_set(const struct model *model, int index, const char *value, struct sim_params *params,
              char *why) {
    const struct model_param *param = &model->param[index];
    double number;
    struct sim_params trial;
    model_default_params(model, &trial);
    if (text_to_double(value, &number)) {
        trial.value[index] = number;
        if (model_check_params(model, &trial) < 0) {
            params->value[index] = number;
            return 0;
        }
    }
    char range[96], shown[48];
    param_range(param, range, sizeof range);
    text_printable(value, strlen(value), shown, sizeof shown);
    (void)snprintf(why, PARAM_WHY_MAX, "%s takes %s, got '%s'", param->name, range, shown);
    return -1;
}

static int param_unknown(const struct model *model, const char *name, size_t length, char *why) {
    char shown[48], list[160] = "";
    text_printable(name, length, shown, sizeof shown);
    for (size_t i = 0, used = 0; i < model->param_count; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 model->param[i].name);
    (void)snprintf(why, PARAM_WHY_MAX, "model %s has no parameter '%s'; it has %s", model->name,
                   shown, list);
    return -1;
}

int param_assign(const struct model *model, const char *text, struct sim_params *params, int *index,
                 char *why) {
    size_t length = strcspn(text, "=");
    *index = param_find(model, text, length);
    if (*index < 0)
        return param_unknown(model, text, length, why);
    if (text[length] != '=') {
        (void)snprintf(why, PARAM_WHY_MAX, "%s has no value: write %s=VALUE", text, text);
        return -1;
    }
    return param_set(model, *index, text + length + 1, params, why);
}

/* The next parameter that may change, from `index` on; param_count when there is none. */
static size_t param_movable(const struct model *model, size_t index) {
    while (index < model->param_count && model->param[index].fixed)
        index++;
    return index;
}

/* "cohesion,alignment,separation" */
static void param_movable_names(const struct model *model, char *out, size_t out_size) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = param_movable(model, 0); i < model->param_count && used < out_size;
         i = param_movable(model, i + 1))
        used += (size_t)snprintf(out + used, out_size - used, "%s%s", used ? "," : "",
                                 model->param[i].name);
}

static int param_change_shape(const struct model *model, const char *text, char *why) {
    char shown[48], names[160];
    text_printable(text, strlen(text), shown, sizeof shown);
    param_movable_names(model, names, sizeof names);
    (void)snprintf(why, PARAM_WHY_MAX, "--change takes TICK:%s or TICK:NAME=VALUE,..., got '%s'",
                   names, shown);
    return -1;
}

int param_change(const struct model *model, const char *text, struct sim_change *change,
                 char *why) {
    char item[PARAM_VALUE_MAX + 1];
    size_t length = strcspn(text, ":");
    uint64_t tick;

    if (text[length] != ':' || length == 0 || length >= sizeof item)
        return param_change_shape(model, text, why);
    memcpy(item, text, length);
    item[length] = '\0';
    if (!text_to_uint(item, 0, SIM_TICKS_MAX - 1, &tick)) {
        (void)snprintf(why, PARAM_WHY_MAX, "the tick of a --change is a whole number from 0 to %u",
                       SIM_TICKS_MAX - 1);
        return -1;
    }
    change->tick = (uint32_t)tick;
    change->set = 0;
    model_default_params(model, &change->params);

    bool named = strchr(text, '=') != NULL;
    size_t next = param_movable(model, 0);
    for (const char *at = text + length + 1;; at += length + 1) {
        int index = (int)next;
        length = strcspn(at, ",");
        if (length == 0 || length >= sizeof item || (!named && next == model->param_count))
            return param_change_shape(model, text, why);
        memcpy(item, at, length);
        item[length] = '\0';
        if ((named ? param_assign(model, item, &change->params, &index, why)
                   : param_set(model, index, item, &change->params, why)) != 0)
            return -1;
        assert(index >= 0);
        if (model->param[index].fixed) {
            (void)snprintf(why, PARAM_WHY_MAX, "%s cannot change after tick 0",
                           model->param[index].name);
            return -1;
        }
        change->set |= 1u << index;
        next = param_movable(model, next + 1);
        if (at[length] == '\0')
            break;
    }
    if (!named && next != model->param_count)
        return param_change_shape(model, text, why);
    return 0;
}
