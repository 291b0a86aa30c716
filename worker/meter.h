/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a worker counts of itself, for /metrics and its registry entry. Plain numbers: only the
 * loop's thread touches them.
 */
#include "job.h"
#include "mem.h"
#include "result.h"

#include <stdint.h>

/* field, type, name and help as Prometheus shows them */
#define METER_COUNTS(X)                                                                            \
    X(claims, "susurration_claims_total", "Calls of claim.")                                       \
    X(claimed, "susurration_claimed_jobs_total", "Jobs that came to this worker.")                 \
    X(reads, "susurration_blocking_reads_total", "Blocking reads of an empty queue.")              \
    X(beats, "susurration_beats_total", "Beats that were answered.")                               \
    X(delivered, "susurration_delivered_results_total", "Results that Redis has taken.")           \
    X(duplicates, "susurration_duplicate_results_total",                                           \
      "Results dropped because the job's id had one already.")                                     \
    X(conflicts, "susurration_session_conflicts_total",                                            \
      "Runs repeated because somebody else changed the session.")                                  \
    X(lost, "susurration_lost_jobs_total",                                                         \
      "Jobs that were no longer this worker's when they ended.")                                   \
    X(handed_back, "susurration_handed_back_jobs_total", "Jobs handed back unfinished.")           \
    X(refused, "susurration_refused_requests_total",                                               \
      "Requests that Redis answered with an error.")                                               \
    X(disconnects, "susurration_disconnects_total", "Times that a connection to Redis broke.")

#define METER_BUCKETS 12 /* of run times; one more is +Inf */

struct meter {
#define METER_FIELD(field, name, help) uint64_t field;
    METER_COUNTS(METER_FIELD)
#undef METER_FIELD
    uint64_t jobs[JOB_KINDS + 1][RESULT_STATUSES]; /* row JOB_KINDS: could not be read */
    struct {
        uint64_t bucket[METER_BUCKETS + 1]; /* each for itself, not cumulative */
        double sum_s;
    } run[JOB_KINDS + 1];
};

/* A job has come to its end, after so long in a slot. */
void meter_job(struct meter *meter, enum job_kind kind, enum result_status status, int64_t run_ns);

/* All jobs so far. */
uint64_t meter_jobs(const struct meter *meter);

/* What is not counted but looked at. */
struct meter_now {
    const char *worker, *isa, *state;
    unsigned slots, running, waiting, undelivered;
    bool link_up;
    int64_t rss_bytes; /* -1: unknown */
    double uptime_s;
};

/* The whole in Prometheus's text format 0.0.4. */
void meter_write(const struct meter *meter, const struct meter_now *now, struct mem_buffer *out);
