/* SPDX-License-Identifier: MIT */
#pragma once
/* A flock that is stepped job by job: its state, and the log of its parameter changes. */
#include "job.h"

struct session {
    char id[JOB_ID_MAX + 1];
    uint32_t seed;
    struct sim sim;             /* model, tick, current parameters, state */
    struct sim_params start;    /* the parameters at tick 0 */
    struct sim_metrics metrics; /* of the state */
    struct sim_change *change;  /* owned; the log, ascending by tick, one entry a tick */
    size_t change_count;        /* at most SIM_CHANGES_MAX */
};

/* Frees what the session owns. Harmless on a zeroed one. */
void session_release(struct session *session);

/*
 * Logs and applies a change at the session's tick; merged with an entry of the same tick.
 * 0; or -1 and *fault (changes_full, no_memory), with nothing changed.
 */
int session_change(struct session *session, uint32_t set, const struct sim_params *values,
                   struct fault *fault);
