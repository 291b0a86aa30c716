/* SPDX-License-Identifier: MIT */
#pragma once
/* How a command ends that waited for a result. */
#include "result.h"

#include <jansson.h>

/* REPORT_OK for `ok`, REPORT_REJECTED for the job's fault, REPORT_INFRASTRUCTURE for ours. */
int outcome_exit(const struct result *result);

/* Says on standard error what went wrong with a result that is not `ok`, and what to do. */
void outcome_complain(const struct result *result);

/* The same as JSON: status, error, and who ran it. */
json_t *outcome_json(const struct result *result);

/* The members at the end of every result: worker and queued_ms (through Redis), run_ms, engine. */
void outcome_add_run(json_t *root, const struct result *result);
