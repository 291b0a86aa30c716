/* SPDX-License-Identifier: MIT */
/* The table itself. A row's place here is its place in the documents and in encoded jobs. */
#include "field.h"

#include <stddef.h>
#include <string.h>

#define KIND(kind) (1u << JOB_##kind)
#define ALL                                                                                        \
    (KIND(VERIFY) | KIND(SESSION_CREATE) | KIND(SESSION_STEP) | KIND(SESSION_PARAMS) | KIND(SWEEP))
#define RUNS (KIND(VERIFY) | KIND(SWEEP))
#define STARTS (RUNS | KIND(SESSION_CREATE))
#define AT(member) offsetof(struct job, member)

const struct field field_table[] = {
    {"reply_to", FIELD_ID, ALL, 0, 1, JOB_ID_MAX, "none", AT(reply_to), 0,
     "name of the list that gets the whole result too"},
    {"ttl_ms", FIELD_UINT, ALL, 0, 1, JOB_TTL_MS_MAX, "none", AT(ttl_ms), 0,
     "not started within this time after it was enqueued: dropped as expired; milliseconds"},
    {"budget_ms", FIELD_UINT, ALL, 0, 1, JOB_BUDGET_MS, "10000", AT(budget_ms), 0,
     "wall-clock time the run may take; milliseconds"},
    {"traceparent", FIELD_ASCII, ALL, 0, 1, JOB_TRACEPARENT_MAX, "none", AT(traceparent), 0,
     "W3C trace context, carried to logs and result"},
    {"seed", FIELD_UINT, KIND(VERIFY) | KIND(SESSION_CREATE), KIND(VERIFY), 0, UINT32_MAX,
     "drawn by the worker", AT(seed), AT(has_seed), "start of the random numbers"},
    {"seeds", FIELD_SEEDS, KIND(SWEEP), KIND(SWEEP), 1, JOB_SEEDS_MAX, NULL, AT(seeds), 0,
     "{first, count}, or a list of seeds"},
    {"session", FIELD_ID, KIND(SESSION_STEP) | KIND(SESSION_PARAMS),
     KIND(SESSION_STEP) | KIND(SESSION_PARAMS), 1, JOB_ID_MAX, NULL, AT(session), 0,
     "id of the session"},
    {"params", FIELD_PARAMS, STARTS | KIND(SESSION_PARAMS), KIND(SESSION_PARAMS), 0, 0,
     "the model's defaults", AT(params), 0, "some or all of the model's parameters"},
    {"changes", FIELD_CHANGES, RUNS, 0, 0, SIM_CHANGES_MAX, "none", AT(change), 0,
     "list of {tick, params}, ascending, each before the last tick"},
    {"at_tick", FIELD_UINT, KIND(VERIFY), KIND(VERIFY), 1, SIM_TICKS_MAX, NULL, AT(ticks), 0,
     "tick that the claim is about"},
    {"ticks", FIELD_UINT, KIND(SESSION_STEP), KIND(SESSION_STEP), 1, JOB_STEP_TICKS_MAX, NULL,
     AT(ticks), 0, "how far to step"},
    {"ticks", FIELD_UINT, KIND(SWEEP), KIND(SWEEP), 1, SIM_TICKS_MAX, NULL, AT(ticks), 0,
     "tick at which each seed is measured"},
    {"expect_tick", FIELD_UINT, KIND(SESSION_STEP), 0, 0, UINT32_MAX, "any", AT(expect_tick),
     AT(has_expect_tick), "rejected when the session is at another tick"},
    {"note", FIELD_TEXT, KIND(VERIFY), 0, 0, JOB_NOTE_MAX, "empty", AT(note), 0,
     "kept with the trace"},
    {"claimed", FIELD_CLAIMED, KIND(VERIFY), 0, 0, 0, "nothing", AT(claimed), 0,
     "{metrics?, state_hash?}: what the claimant says came out"},
    {"store", FIELD_BOOL, KIND(VERIFY), 0, 0, 1, "true", AT(store), 0, "keep the trace"},
    {"ring", FIELD_BOOL, KIND(VERIFY), 0, 0, 1, "false", AT(ring), 0,
     "keep the metrics of the last 5,000 ticks with the trace"},
};

const size_t field_count = sizeof field_table / sizeof field_table[0];

const struct field *field_find(enum job_kind kind, const char *key, size_t length) {
    for (size_t i = 0; i < field_count; i++) {
        const struct field *row = &field_table[i];
        if ((row->takes >> kind & 1u) && strlen(row->key) == length &&
            memcmp(row->key, key, length) == 0)
            return row;
    }
    return NULL;
}
