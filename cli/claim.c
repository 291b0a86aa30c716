/* SPDX-License-Identifier: MIT */
/*
 * Fields that are one number or text are set through the table in field.h; what is more than that
 * (parameters, changes, what is claimed) has a function here. First the model, since parameters
 * mean nothing without it.
 */
#include "claim.h"

#include "field.h"
#include "mem.h"
#include "param.h"
#include "report.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option claim_model[] = {
    {OPTION_ROW("model", "NAME", TEXT, "what to simulate"), .preset = "flock"},
    {OPTION_ROW("param", "NAME=VALUE", TEXT, "any parameter of the model by its name")},
    {0},
};
const struct option_group claim_group_model = {"Model", claim_model};

static bool claim_has(const struct args *args, const char *name) {
    for (size_t i = 0; i < COMMAND_GROUPS_MAX && args->command->group[i]; i++)
        if (option_find(args->command->group[i]->option, name, strlen(name)))
            return true;
    return false;
}

static const struct model *claim_model_of(const struct args *args) {
    if (!claim_has(args, "model"))
        return model_at(MODEL_FLOCK);
    const char *name = args_text(args, "model");
    const struct model *model = model_find(name, strlen(name));
    if (model)
        return model;
    char list[128] = "", shown[48];
    for (size_t m = 0, used = 0; m < MODEL_COUNT; m++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", m ? ", " : "",
                                 model_at(m)->name);
    text_printable(name, strlen(name), shown, sizeof shown);
    report_usage(args->command, "there is no model '%s'; --model takes one of: %s", shown, list);
    return NULL;
}

static int claim_params(const struct args *args, struct job *job) {
    char why[PARAM_WHY_MAX];
    for (size_t i = 0; i < args->count; i++) {
        const struct args_item *item = &args->item[i];
        int index, status;
        if (item->param) {
            index = param_find(job->model, item->param, item->param_length);
            if (index < 0)
                return report_usage(args->command, "model %s has no parameter '%.*s'",
                                    job->model->name, (int)item->param_length, item->param);
            status = param_set(job->model, index, item->value, &job->params, why);
        } else if (item->option && strcmp(item->option->name, "param") == 0) {
            status = param_assign(job->model, item->value, &job->params, &index, why);
        } else {
            continue;
        }
        if (status != 0)
            return report_usage(args->command, "%s%s", item->param ? "--" : "--param: ", why);
        if (job->kind == JOB_SESSION_PARAMS && job->model->param[index].fixed)
            return report_usage(args->command, "%s cannot change after tick 0",
                                job->model->param[index].name);
        job->params_set |= 1u << index;
    }
    return 0;
}

static int claim_changes(const struct args *args, struct job *job) {
    char why[PARAM_WHY_MAX];
    size_t count = 0;
    for (size_t i = 0; i < args->count; i++)
        count += args->item[i].option && strcmp(args->item[i].option->name, "change") == 0;
    if (count == 0)
        return 0;
    if (count > SIM_CHANGES_MAX)
        return report_usage(args->command, "--change may be given %u times, not %zu",
                            SIM_CHANGES_MAX, count);
    job->change = mem_zero(count, sizeof *job->change);
    if (!job->change)
        return report_infrastructure("out of memory");
    for (size_t i = 0; i < args->count; i++) {
        const struct args_item *item = &args->item[i];
        if (!item->option || strcmp(item->option->name, "change") != 0)
            continue;
        if (param_change(job->model, item->value, &job->change[job->change_count++], why) != 0)
            return report_usage(args->command, "%s", why);
    }
    return 0;
}

/* As the decoder of jobs takes them. */
static bool claim_metric(const char *text, double *value) {
    return text_to_double(text, value) && *value >= 0;
}

static int claim_claimed(const struct args *args, struct job *job) {
    static const char *const metrics[] = {"claim-polarization", "claim-clusters", "claim-distance"};
    struct job_claimed *claimed = &job->claimed;
    const char *hash = args_text(args, "claim-hash");
    int given = 0;

    if (hash)
        claimed->has_hash = text_to_hash(hash, strlen(hash), &claimed->state_hash);
    for (int i = 0; i < 3; i++)
        given += args_is_given(args, metrics[i]);
    if (given == 0)
        return 0;
    if (given < 3)
        return report_usage(args->command, "claimed metrics come together: --%s, --%s and --%s",
                            metrics[0], metrics[1], metrics[2]);
    claimed->has_metrics = true;
    if (!claim_metric(args_text(args, metrics[0]), &claimed->metrics.polarization))
        return report_usage(args->command, "--%s takes a number of at least 0, got '%s'",
                            metrics[0], args_text(args, metrics[0]));
    claimed->metrics.cluster_count = (uint32_t)args_whole(args, metrics[1]);
    const char *distance = args_text(args, metrics[2]);
    if (strcmp(distance, "null") == 0)
        claimed->metrics.mean_neighbor_distance = (double)NAN;
    else if (!claim_metric(distance, &claimed->metrics.mean_neighbor_distance))
        return report_usage(args->command, "--%s takes a number of at least 0 or null, got '%s'",
                            metrics[2], distance);
    return 0;
}

/* Every option that is one field of the job. */
static void claim_fields(const struct args *args, struct job *job) {
    for (size_t g = 0; g < COMMAND_GROUPS_MAX && args->command->group[g]; g++) {
        const struct option *row = args->command->group[g]->option;
        for (; row->name; row++) {
            const char *text = row->type == OPTION_FIELD ? args_text(args, row->name) : NULL;
            if (!text)
                continue;
            const struct field *field = field_find(job->kind, row->field, strlen(row->field));
            char *place = (char *)job + field->offset;
            uint64_t whole;
            if (field->type != FIELD_UINT) {
                memcpy(place, text, strlen(text) + 1);
            } else if (text_to_uint(text, field->min, field->max, &whole)) {
                uint32_t value = (uint32_t)whole;
                memcpy(place, &value, sizeof value);
            }
            if (field->has_offset)
                *(bool *)((char *)job + field->has_offset) = true;
        }
    }
}

int claim_read(const struct args *args, const struct model *model, struct job *job) {
    struct fault fault = {0};
    memset(job, 0, sizeof *job);
    if (!model)
        model = claim_model_of(args);
    if (!model)
        return REPORT_USAGE;
    job_init(job, args->command->kind, model);
    claim_fields(args, job);
    int code = claim_params(args, job);
    if (code == 0 && claim_has(args, "change"))
        code = claim_changes(args, job);
    if (code == 0 && claim_has(args, "claim-hash"))
        code = claim_claimed(args, job);
    if (code == 0 && job_check(job, &fault) != 0)
        code = report_usage(args->command, "%s", fault.message);
    return code;
}
