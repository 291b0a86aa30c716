/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * JSON as it comes from strangers: documents, and jobs among them.
 */
#include "job.h"

#include <jansson.h>

/* Maps and lists inside each other, the outermost included: as deep as messages on the wire. */
#define JSON_JOB_DEPTH_MAX 8u

/*
 * One JSON object, nothing behind it: no key twice, no NUL in texts, not deeper than
 * JSON_JOB_DEPTH_MAX. NULL and *fault (malformed, no_memory) if it is none.
 */
json_t *json_job_parse(const void *text, size_t size, struct fault *fault);

/*
 * An object with the members of a job on the wire (PROTOCOL.md, "Jobs"), read by the wire's own
 * decoder: the same ranges, defaults and words. `body` may get members of the caller's before. A
 * member of `params` that the model does not have is a fault too: who writes by hand misspells. 0,
 * or -1 and *fault. Release the job whatever happens.
 */
int json_job_read(const json_t *body, struct job *job, struct fault *fault);
