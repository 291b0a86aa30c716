/* SPDX-License-Identifier: MIT */
/* The list of models, and what is done with any of them through its table. */
#include "model.h"

#include "flock.h"

static const struct model *const models[MODEL_COUNT] = {
    [MODEL_FLOCK] = &flock_model,
};

const struct model *model_at(size_t index) {
    return models[index];
}

const struct model *model_find(const char *name, size_t length) {
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        const char *known = models[i]->name;
        size_t k = 0;
        while (k < length && known[k] != '\0' && known[k] == name[k])
            k++;
        if (k == length && known[k] == '\0')
            return models[i];
    }
    return NULL;
}

void model_default_params(const struct model *model, struct sim_params *params) {
    for (size_t i = 0; i < SIM_PARAMS_MAX; i++)
        params->value[i] = i < model->param_count ? model->param[i].preset : 0.0;
}

int model_check_params(const struct model *model, const struct sim_params *params) {
    for (size_t i = 0; i < model->param_count; i++) {
        const struct model_param *row = &model->param[i];
        double value = params->value[i];
        if (!(value >= row->min && value <= row->max))
            return (int)i;
        if (row->integral && value != (double)(int32_t)value)
            return (int)i;
    }
    return -1;
}
