/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * How sessions, traces and what is inside them look as JSON, to whoever writes them: the command in
 * full precision, the HTTP API rounded. The names are those of the wire.
 */
#include "jot.h"
#include "result.h"
#include "wire.h"

/* How many decimals; JOT_EXACT: all. */
struct shape_places {
    int position, velocity, metric;
};
extern const struct shape_places shape_exact;
extern const struct shape_places shape_rounded; /* as the specification says: 2, 4, 4 */

#define SHAPE_ALL_PARAMS UINT32_MAX

/* Those of `set`, grouped: flock gives {birds, weights: {cohesion, alignment, separation}}. */
void shape_params(struct jot *jot, const char *key, const struct model *model, uint32_t set,
                  const struct sim_params *params);
void shape_changes(struct jot *jot, const char *key, const struct model *model,
                   const struct sim_change *change, size_t count);
void shape_metrics(struct jot *jot, const char *key, const struct sim_metrics *metrics,
                   const struct shape_places *places);
void shape_engine(struct jot *jot, const char *key, const char *version, const char *isa);

/* {code, message, field, advice, fits}; FAULT_NONE gives null. */
void shape_fault(struct jot *jot, const char *key, const struct fault *fault);

void shape_session(struct jot *jot, const char *key, const struct session *session,
                   const struct shape_places *places);
void shape_trace(struct jot *jot, const char *key, const struct trace *trace,
                 const struct shape_places *places);

/* What a ring has of the ticks from .. to. */
struct shape_timeline {
    const char *id;
    uint32_t from, to;                 /* as asked */
    uint32_t first, count;             /* the ticks that were read, among them */
    const struct sim_metrics *metrics; /* of each */
    const bool *there;                 /* false: the ring has it not, it is left out */
};
void shape_timeline(struct jot *jot, const char *key, const struct shape_timeline *timeline,
                    const struct shape_places *places);

/* 2026-01-31T12:00:00Z */
#define SHAPE_TIME_MAX 32u
void shape_time(int64_t ms, char out[SHAPE_TIME_MAX]);
