/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The structs of common/job as msgpack, both ways; PROTOCOL.md is the contract. Decoders take any
 * bytes: they check depth (at most 8) and counts (at most the bytes left) before msgpack-c sees
 * them, never read past `size`, and leave the out struct releasable whatever happens.
 */
#include "err.h"
#include "mem.h"
#include "result.h"

/*
 * A job. `entry` is the stream entry's id, the job's id where it names none. 0, or -1 with *fault
 * saying what is wrong; job->id, kind, model, reply_to and traceparent then hold what could be read
 * (id: `entry` if its own is illegal; kind: JOB_KINDS), so that the fault can be told to whoever
 * asked.
 */
int wire_decode_job(const void *data, size_t size, const char *entry, struct job *job,
                    struct fault *fault) ERR_MUST_CHECK;

/* Appends. What is at its default is left out. 0 or ERR_NO_MEMORY. */
int wire_encode_job(const struct job *job, struct mem_buffer *out) ERR_MUST_CHECK;

/*
 * Results. Decoding gives 0, ERR_PROTOCOL (not a result) or ERR_NO_MEMORY; an error code that is
 * not known here becomes FAULT_INTERNAL, and `ring` is never set: its numbers are not in the
 * result.
 */
int wire_encode_result(const struct result *result, struct mem_buffer *out) ERR_MUST_CHECK;
int wire_decode_result(const void *data, size_t size, struct result *result) ERR_MUST_CHECK;

/* The `body` of session:ID, the same map as in a result: what session.step starts from. */
int wire_encode_session(const struct session *session, struct mem_buffer *out) ERR_MUST_CHECK;
int wire_decode_session(const void *data, size_t size, struct session *session) ERR_MUST_CHECK;

/* A stored trace: the claim, and our numbers for it. */
struct trace {
    struct job job; /* model, seed, params, change, ticks, note */
    char id[JOB_ID_MAX + 1];
    struct sim_metrics metrics;
    uint64_t state_hash;
    uint64_t checkpoint[RESULT_CHECKPOINTS_MAX]; /* as in the result */
    size_t checkpoint_count;
    enum result_verdict verdict;
    int64_t verified_at_ms; /* since 1970, UTC */
    char engine_version[32];
    char engine_isa[16];
};

int wire_encode_trace(const struct job *job, const struct result *result, int64_t verified_at_ms,
                      struct mem_buffer *out) ERR_MUST_CHECK;
int wire_decode_trace(const void *data, size_t size, struct trace *trace) ERR_MUST_CHECK;
void wire_release_trace(struct trace *trace);

/*
 * The ring in Redis: slots first..last as one or two runs of bytes at their offsets, in ascending
 * ticks. 24 bytes a slot: polarization f64, mean_neighbor_distance f64 (NaN: null), cluster_count
 * u32, tick u32, LE.
 */
#define WIRE_SLOT_SIZE 24u
struct wire_ring_piece {
    size_t offset; /* in the Redis string, bytes */
    struct mem_buffer bytes;
};
int wire_encode_ring(const struct ring *ring, struct wire_ring_piece piece[2],
                     int *pieces) ERR_MUST_CHECK;

/* One slot; false when it does not hold the metrics of `tick`. */
bool wire_decode_slot(const unsigned char slot[WIRE_SLOT_SIZE], uint32_t tick,
                      struct sim_metrics *metrics);
