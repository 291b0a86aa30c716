/* SPDX-License-Identifier: MIT */
/* All walk the same tables that the wire walks. Any thread. */
#include "shape.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const struct shape_places shape_exact = {JOT_EXACT, JOT_EXACT, JOT_EXACT};
const struct shape_places shape_rounded = {.position = 2, .velocity = 4, .metric = 4};

static bool shape_same_group(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The members alone. Rows of one group stand together in the model's table. */
static void shape_params_members(struct jot *jot, const struct model *model, uint32_t set,
                                 const struct sim_params *params) {
    const char *group = NULL;
    for (size_t p = 0; p < model->param_count; p++) {
        const struct model_param *row = &model->param[p];
        if (!(set >> p & 1u))
            continue;
        if (!shape_same_group(row->group, group)) {
            if (group)
                jot_close_map(jot);
            if (row->group)
                jot_open_map(jot, row->group);
            group = row->group;
        }
        if (row->integral)
            jot_whole(jot, row->name, (uint64_t)params->value[p]);
        else
            jot_real(jot, row->name, params->value[p], JOT_EXACT);
    }
    if (group)
        jot_close_map(jot);
}

void shape_params(struct jot *jot, const char *key, const struct model *model, uint32_t set,
                  const struct sim_params *params) {
    jot_open_map(jot, key);
    shape_params_members(jot, model, set, params);
    jot_close_map(jot);
}

void shape_changes(struct jot *jot, const char *key, const struct model *model,
                   const struct sim_change *change, size_t count) {
    jot_open_list(jot, key);
    for (size_t i = 0; i < count; i++) {
        jot_open_map(jot, NULL);
        jot_whole(jot, "tick", change[i].tick);
        shape_params(jot, "params", model, change[i].set, &change[i].params);
        jot_close_map(jot);
    }
    jot_close_list(jot);
}

void shape_metrics(struct jot *jot, const char *key, const struct sim_metrics *metrics,
                   const struct shape_places *places) {
    jot_open_map(jot, key);
    jot_real(jot, "polarization", metrics->polarization, places->metric);
    jot_whole(jot, "cluster_count", metrics->cluster_count);
    jot_real(jot, "mean_neighbor_distance", metrics->mean_neighbor_distance, places->metric);
    jot_close_map(jot);
}

void shape_engine(struct jot *jot, const char *key, const char *version, const char *isa) {
    jot_open_map(jot, key);
    jot_text(jot, "version", version);
    jot_text(jot, "isa", isa);
    jot_close_map(jot);
}

void shape_fault(struct jot *jot, const char *key, const struct fault *fault) {
    if (fault->code == FAULT_NONE) {
        jot_null(jot, key);
        return;
    }
    jot_open_map(jot, key);
    jot_text(jot, "code", fault_code_name(fault->code));
    jot_text(jot, "message", fault->message);
    jot_text_or_null(jot, "field", fault->field);
    jot_text_or_null(jot, "advice", fault->advice);
    if (fault->code == FAULT_BUDGET_EXCEEDED)
        jot_whole(jot, "fits", fault->fits);
    jot_close_map(jot);
}

static void shape_pairs(struct jot *jot, const char *key, const double *a, const double *b,
                        uint32_t count, int decimals) {
    jot_open_list(jot, key);
    for (uint32_t i = 0; i < count; i++) {
        jot_open_list(jot, NULL);
        jot_real(jot, NULL, a[i], decimals);
        jot_real(jot, NULL, b[i], decimals);
        jot_close_list(jot);
    }
    jot_close_list(jot);
}

void shape_session(struct jot *jot, const char *key, const struct session *session,
                   const struct shape_places *places) {
    const struct sim *sim = &session->sim;
    jot_open_map(jot, key);
    jot_text(jot, "id", session->id);
    jot_text(jot, "model", sim->model->name);
    jot_whole(jot, "seed", session->seed);
    jot_whole(jot, "tick", sim->tick);
    shape_params(jot, "params", sim->model, SHAPE_ALL_PARAMS, &sim->params);
    /* What params hold, at the top level too: birds and weights. */
    shape_params_members(jot, sim->model, SHAPE_ALL_PARAMS, &sim->params);
    shape_params(jot, "initial_params", sim->model, SHAPE_ALL_PARAMS, &session->start);
    shape_changes(jot, "changes", sim->model, session->change, session->change_count);
    shape_metrics(jot, "metrics", &session->metrics, places);
    jot_hash(jot, "state_hash", sim_hash(sim));
    shape_pairs(jot, "positions", sim->x, sim->y, sim->count, places->position);
    shape_pairs(jot, "velocities", sim->vx, sim->vy, sim->count, places->velocity);
    jot_close_map(jot);
}

void shape_time(int64_t ms, char out[SHAPE_TIME_MAX]) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm broken;
    if (!gmtime_r(&seconds, &broken) ||
        strftime(out, SHAPE_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &broken) == 0)
        (void)snprintf(out, SHAPE_TIME_MAX, "%lld ms", (long long)ms);
}

void shape_trace(struct jot *jot, const char *key, const struct trace *trace,
                 const struct shape_places *places) {
    const struct job *job = &trace->job;
    char when[SHAPE_TIME_MAX];
    shape_time(trace->verified_at_ms, when);
    jot_open_map(jot, key);
    jot_text(jot, "id", trace->id);
    jot_text(jot, "model", job->model->name);
    jot_whole(jot, "seed", job->seed);
    shape_params(jot, "params", job->model, SHAPE_ALL_PARAMS, &job->params);
    shape_changes(jot, "changes", job->model, job->change, job->change_count);
    jot_whole(jot, "at_tick", job->ticks);
    jot_text(jot, "note", job->note);
    shape_metrics(jot, "metrics", &trace->metrics, places);
    jot_hash(jot, "state_hash", trace->state_hash);
    jot_open_list(jot, "checkpoints");
    for (size_t i = 0; i < trace->checkpoint_count; i++)
        jot_hash(jot, NULL, trace->checkpoint[i]);
    jot_close_list(jot);
    if (trace->verdict == VERDICT_NONE)
        jot_null(jot, "verdict");
    else
        jot_text(jot, "verdict", result_verdict_name(trace->verdict));
    jot_text(jot, "verified_at", when);
    shape_engine(jot, "engine", trace->engine_version, trace->engine_isa);
    jot_close_map(jot);
}

/* --- timelines -----------------------------------------------------------------------------------
 */

typedef void shape_column_fn(struct jot *jot, const struct shape_timeline *timeline, uint32_t i,
                             const struct shape_places *places);

static void shape_column_tick(struct jot *jot, const struct shape_timeline *timeline, uint32_t i,
                              const struct shape_places *places) {
    (void)places;
    jot_whole(jot, NULL, timeline->first + i);
}

static void shape_column_polarization(struct jot *jot, const struct shape_timeline *timeline,
                                      uint32_t i, const struct shape_places *places) {
    jot_real(jot, NULL, timeline->metrics[i].polarization, places->metric);
}

static void shape_column_clusters(struct jot *jot, const struct shape_timeline *timeline,
                                  uint32_t i, const struct shape_places *places) {
    (void)places;
    jot_whole(jot, NULL, timeline->metrics[i].cluster_count);
}

static void shape_column_distance(struct jot *jot, const struct shape_timeline *timeline,
                                  uint32_t i, const struct shape_places *places) {
    jot_real(jot, NULL, timeline->metrics[i].mean_neighbor_distance, places->metric);
}

static const struct {
    const char *name;
    shape_column_fn *write;
} shape_columns[] = {
    {"tick", shape_column_tick},
    {"polarization", shape_column_polarization},
    {"cluster_count", shape_column_clusters},
    {"mean_neighbor_distance", shape_column_distance},
};

void shape_timeline(struct jot *jot, const char *key, const struct shape_timeline *timeline,
                    const struct shape_places *places) {
    jot_open_map(jot, key);
    jot_text(jot, "id", timeline->id);
    jot_whole(jot, "from", timeline->from);
    jot_whole(jot, "to", timeline->to);
    for (size_t column = 0; column < sizeof shape_columns / sizeof *shape_columns; column++) {
        jot_open_list(jot, shape_columns[column].name);
        for (uint32_t i = 0; i < timeline->count; i++)
            if (timeline->there[i])
                shape_columns[column].write(jot, timeline, i, places);
        jot_close_list(jot);
    }
    jot_close_map(jot);
}
