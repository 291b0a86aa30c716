/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A job: what a producer asked for, decoded and checked. Every number in it is in range, every text
 * is legal; what a kind does not take is at its default. PROTOCOL.md, "Jobs", is the same list.
 */
#include "fault.h"
#include "sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_ID_MAX 64u
#define JOB_NOTE_MAX 500u /* characters; a character is at most 4 bytes */
#define JOB_TRACEPARENT_MAX 55u
#define JOB_BUDGET_MS 10000u
#define JOB_STEP_TICKS_MAX 1000u
#define JOB_SEEDS_MAX 10000u
#define JOB_TTL_MS_MAX (7u * 24 * 3600 * 1000)
#define JOB_CHECKPOINT_TICKS 1000u

enum job_kind {
    JOB_VERIFY,
    JOB_SESSION_CREATE,
    JOB_SESSION_STEP,
    JOB_SESSION_PARAMS,
    JOB_SWEEP,
    JOB_KINDS, /* also: "kind unknown" in results of jobs that could not be read */
};

/* What the claimant says came out. A hash decides alone; else the metrics do. */
struct job_claimed {
    bool has_hash, has_metrics;
    uint64_t state_hash;
    struct sim_metrics metrics;
};

/* A range first .. first + count - 1 (never past 2^32 - 1), or, where list is set, its `count`
 * seeds. */
struct job_seeds {
    uint32_t first, count;
    uint32_t *list; /* owned by the job */
};

struct job {
    char id[JOB_ID_MAX + 1];
    enum job_kind kind;
    const struct model *model;
    char reply_to[JOB_ID_MAX + 1];             /* empty: no reply list */
    char traceparent[JOB_TRACEPARENT_MAX + 1]; /* empty: none */
    uint32_t ttl_ms;                           /* 0: none */
    uint32_t budget_ms;                        /* 1 .. JOB_BUDGET_MS */
    bool store;                                /* verify: keep the trace */
    bool ring;                                 /* verify: keep the ring of metrics too */
    bool has_seed;                             /* session.create may leave it to the worker */
    uint32_t seed;
    uint32_t params_set;       /* which of params were given (session.params) */
    struct sim_params params;  /* complete: the rest at its default */
    struct sim_change *change; /* owned; NULL when change_count is 0 */
    size_t change_count;
    uint32_t ticks; /* verify: at_tick; session.step, sweep: ticks */
    char note[4 * JOB_NOTE_MAX + 1];
    struct job_claimed claimed;
    char session[JOB_ID_MAX + 1];
    bool has_expect_tick;
    uint32_t expect_tick;
    struct job_seeds seeds;
};

/* kind, name on the wire, the lane it waits in */
#define JOB_KIND_NAMES(X)                                                                          \
    X(VERIFY, "verify", INTERACTIVE)                                                               \
    X(SESSION_CREATE, "session.create", INTERACTIVE)                                               \
    X(SESSION_STEP, "session.step", INTERACTIVE)                                                   \
    X(SESSION_PARAMS, "session.params", INTERACTIVE)                                               \
    X(SWEEP, "sweep", BATCH)

enum job_lane { JOB_INTERACTIVE, JOB_BATCH, JOB_LANES };

/* "verify" ...; for JOB_KINDS the empty string. */
const char *job_kind_name(enum job_kind kind);

/* The kind of that name, or JOB_KINDS. */
enum job_kind job_kind_find(const char *name, size_t length);

enum job_lane job_kind_lane(enum job_kind kind);

/* A job of that kind with every field at its default, for that model. Release it with job_release.
 */
void job_init(struct job *job, enum job_kind kind, const struct model *model);

/* Frees what the job owns; the struct itself is the caller's. Harmless on a zeroed one. */
void job_release(struct job *job);

/* True for 1 to 64 characters of A-Z a-z 0-9 . _ - */
bool job_id_is_legal(const char *id, size_t length);

/*
 * What only the whole job shows: changes ascending, each before the last tick. Decoder and command
 * line call it once every field is read. 0, or -1 and *fault.
 */
int job_check(const struct job *job, struct fault *fault);
