/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One message of every sort that the protocol knows, as structs: jobs of every kind, results of
 * every kind and status, sessions, traces. The vectors in proto/vectors are these.
 */
#include "wire.h"

enum sample_type { SAMPLE_JOB, SAMPLE_RESULT, SAMPLE_SESSION, SAMPLE_TRACE };

/* What the worker says when it is asked how the last job's run shall go on. */
enum sample_end { SAMPLE_DONE, SAMPLE_OUT_OF_BUDGET, SAMPLE_CANCELLED };

struct sample {
    const char *name;
    enum sample_type type;
    const char
        *jobs[3]; /* as JSON (message.h), one after the other on one session; the last counts */
    enum sample_end end;
    enum fault_code fault; /* of what a worker does not run: the result of this fault */
    bool null_distance;    /* as if no bird had a neighbour near enough */
};

extern const struct sample samples[];
extern const size_t sample_count;

struct sample_value {
    enum sample_type type;
    struct job job;       /* of a job and a trace */
    struct result result; /* of all others; a session is result.session */
};

/* Runs what has to be run. Release it. */
void sample_make(const struct sample *sample, struct sample_value *value);

/* The codecs of its type; what they answer. Release what was decoded, whatever the answer. */
int sample_encode(const struct sample_value *value, struct mem_buffer *out);
int sample_decode(enum sample_type type, const void *data, size_t size, struct sample_value *value);

void sample_release(struct sample_value *value);
