/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a worker says of itself (`worker:NAME`) and of the jobs that it runs (`running`), as
 * msgpack. It is for people and pages that watch; nothing is decided by it.
 */
#include "err.h"
#include "job.h"
#include "mem.h"

#include <stdint.h>

struct about_worker {
    char name[JOB_ID_MAX + 1];
    char host[JOB_ID_MAX + 1];
    char version[32], isa[16];
    char state[16]; /* "running", "quiet", "draining" */
    uint32_t pid, slots, running, waiting;
    uint64_t done;       /* jobs completed since the start */
    uint64_t started_ms; /* since 1970, by the worker's clock */
    uint64_t rss_bytes;
};

struct about_job {
    char id[JOB_ID_MAX + 1];
    char kind[JOB_ID_MAX + 1];
    char worker[JOB_ID_MAX + 1];
    uint32_t attempt;
    uint64_t done, total; /* ticks */
    uint64_t started_ms;  /* since 1970, by Redis's clock */
};

/* Append. 0 or ERR_NO_MEMORY. */
int about_encode_worker(const struct about_worker *about, struct mem_buffer *out) ERR_MUST_CHECK;
int about_encode_job(const struct about_job *about, struct mem_buffer *out) ERR_MUST_CHECK;

/* 0, ERR_PROTOCOL or ERR_NO_MEMORY. What a newer worker leaves out is empty or 0. */
int about_decode_worker(const void *data, size_t size, struct about_worker *about) ERR_MUST_CHECK;
int about_decode_job(const void *data, size_t size, struct about_job *about) ERR_MUST_CHECK;
