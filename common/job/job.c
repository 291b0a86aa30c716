/* SPDX-License-Identifier: MIT */
/* The life of a job struct, the names of kinds, and the checks that need the whole job. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum job_lane lane;
} job_kinds[JOB_KINDS + 1] = {
#define JOB_KIND(kind, text, lane) [JOB_##kind] = {(text), JOB_##lane},
    JOB_KIND_NAMES(JOB_KIND)
#undef JOB_KIND
        [JOB_KINDS] = {"", JOB_INTERACTIVE},
};

const char *job_kind_name(enum job_kind kind) {
    return job_kinds[kind].name;
}

enum job_kind job_kind_find(const char *name, size_t length) {
    int kind = 0;
    while (kind < JOB_KINDS && (strlen(job_kinds[kind].name) != length ||
                                memcmp(job_kinds[kind].name, name, length) != 0))
        kind++;
    return (enum job_kind)kind;
}

enum job_lane job_kind_lane(enum job_kind kind) {
    return job_kinds[kind].lane;
}

void job_init(struct job *job, enum job_kind kind, const struct model *model) {
    memset(job, 0, sizeof *job);
    job->kind = kind;
    job->model = model;
    job->budget_ms = JOB_BUDGET_MS;
    job->store = true;
    model_default_params(model, &job->params);
}

void job_release(struct job *job) {
    free(job->change);
    free(job->seeds.list);
    job->change = NULL;
    job->change_count = 0;
    job->seeds.list = NULL;
}

bool job_id_is_legal(const char *id, size_t length) {
    static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (length < 1 || length > JOB_ID_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (id[i] == '\0' || !strchr(legal, id[i]))
            return false;
    return true;
}

int job_check(const struct job *job, struct fault *fault) {
    const char *last = job->kind == JOB_VERIFY ? "at_tick" : "ticks";
    for (size_t i = 0; i < job->change_count; i++) {
        uint32_t tick = job->change[i].tick;
        if (tick >= job->ticks)
            return fault_set(fault, FAULT_BAD_CHANGES, "changes",
                             "changes[%zu].tick must be below %s (%u), got %u", i, last, job->ticks,
                             tick);
        if (i > 0 && tick < job->change[i - 1].tick)
            return fault_set(fault, FAULT_BAD_CHANGES, "changes",
                             "changes must ascend by tick: changes[%zu] is at %u, after one at %u",
                             i, tick, job->change[i - 1].tick);
    }
    return 0;
}
