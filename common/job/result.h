/* SPDX-License-Identifier: MIT */
#pragma once
/* What came out of a job: the one struct that runners fill, the encoder writes and clients read. */
#include "job.h"
#include "ring.h"
#include "session.h"

enum result_status {
    RESULT_OK,
    RESULT_REJECTED, /* the job's fault: asking again gives the same */
    RESULT_FAILED,   /* ours */
    RESULT_CANCELLED,
    RESULT_EXPIRED,
    RESULT_STATUSES,
};

enum result_verdict {
    VERDICT_NONE,       /* nothing was claimed: the metrics are the answer */
    VERDICT_EXACT,      /* the claimed hash is ours */
    VERDICT_MATCH,      /* metrics within 1e-3, at_tick <= 200 */
    VERDICT_INDICATIVE, /* metrics given past tick 200: neither confirmed nor denied */
    VERDICT_MISMATCH,
    RESULT_VERDICTS,
};

struct result_sweep_row {
    uint32_t seed;
    struct sim_metrics metrics;
    uint64_t state_hash;
};

#define RESULT_CHECKPOINTS_MAX (SIM_TICKS_MAX / JOB_CHECKPOINT_TICKS)

struct result {
    char id[JOB_ID_MAX + 1];
    enum job_kind kind; /* JOB_KINDS when the job could not be read so far */
    enum result_status status;
    struct fault fault; /* FAULT_NONE exactly when status is RESULT_OK */
    char worker[JOB_ID_MAX + 1];
    char engine_version[32];
    char engine_isa[16];
    uint64_t queued_ms; /* from enqueue to start */
    double run_ms;
    char traceparent[JOB_TRACEPARENT_MAX + 1];

    /* verify */
    struct sim_metrics metrics;
    uint64_t state_hash;
    uint32_t at_tick;
    uint64_t checkpoint[RESULT_CHECKPOINTS_MAX]; /* hash at 1,000, 2,000, ... <= at_tick */
    size_t checkpoint_count;
    enum result_verdict verdict;
    char trace[JOB_ID_MAX + 1]; /* id of the stored trace; empty: not stored */
    struct ring *ring; /* owned; NULL: none asked for, or no trace. session.create, .step: always */

    /* session.create, session.step, session.params */
    struct session *session;  /* owned: the session after the job */
    struct sim_change change; /* session.params: what was logged */

    /* sweep */
    struct result_sweep_row *row; /* owned */
    size_t row_count;
};

const char *result_status_name(enum result_status status);
enum result_status result_status_find(const char *name, size_t length); /* RESULT_STATUSES: none */
const char *result_verdict_name(enum result_verdict verdict);
enum result_verdict result_verdict_find(const char *name,
                                        size_t length); /* RESULT_VERDICTS: none */

/* An empty `ok` result for that job (id, kind, traceparent). Release it with result_release. */
void result_init(struct result *result, const struct job *job);

/* Makes it the result of a fault: the status is the code's, and what a kind had filled in is
 * dropped. */
void result_fail(struct result *result, const struct fault *fault);

/* Frees what the result owns. Harmless on a zeroed one. */
void result_release(struct result *result);
