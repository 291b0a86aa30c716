/* SPDX-License-Identifier: MIT */
#pragma once
/* Jobs that must be rejected, and with what: for the decoder's test, the vectors, and the queue. */
#include <stddef.h>

struct bad_job {
    const char *name;  /* of the vector */
    const char *json;  /* see message.h */
    const char *code;  /* of the error */
    const char *field; /* "" where no field is to blame */
    const char *says;  /* part of the message: what was given and what is allowed */
};

extern const struct bad_job bad_jobs[];
extern const size_t bad_job_count;
