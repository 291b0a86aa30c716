/* SPDX-License-Identifier: MIT */
/* The life of a result struct, and the names of statuses and verdicts. */
#include "result.h"

#include <stdlib.h>
#include <string.h>

static const char *const result_statuses[RESULT_STATUSES] = {
    [RESULT_OK] = "ok",           [RESULT_REJECTED] = "rejected",
    [RESULT_FAILED] = "failed",   [RESULT_CANCELLED] = "cancelled",
    [RESULT_EXPIRED] = "expired",
};

static const char *const result_verdicts[RESULT_VERDICTS] = {
    [VERDICT_NONE] = "none",         [VERDICT_EXACT] = "exact",
    [VERDICT_MATCH] = "match",       [VERDICT_INDICATIVE] = "indicative",
    [VERDICT_MISMATCH] = "mismatch",
};

static const enum result_status fault_status[FAULT_CODE_COUNT] = {
#define FAULT_CODE(code, text, status, meaning) [FAULT_##code] = RESULT_##status,
    FAULT_CODES(FAULT_CODE)
#undef FAULT_CODE
};

/* The index of a name in a list of `count`, or count. */
static int result_find(const char *const *names, int count, const char *name, size_t length) {
    int i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], name, length) != 0))
        i++;
    return i;
}

const char *result_status_name(enum result_status status) {
    return result_statuses[status];
}

enum result_status result_status_find(const char *name, size_t length) {
    return (enum result_status)result_find(result_statuses, RESULT_STATUSES, name, length);
}

const char *result_verdict_name(enum result_verdict verdict) {
    return result_verdicts[verdict];
}

enum result_verdict result_verdict_find(const char *name, size_t length) {
    return (enum result_verdict)result_find(result_verdicts, RESULT_VERDICTS, name, length);
}

void result_init(struct result *result, const struct job *job) {
    memset(result, 0, sizeof *result);
    memcpy(result->id, job->id, sizeof result->id);
    memcpy(result->traceparent, job->traceparent, sizeof result->traceparent);
    result->kind = job->kind;
}

void result_fail(struct result *result, const struct fault *fault) {
    result_release(result);
    result->status = fault_status[fault->code];
    result->fault = *fault;
    result->checkpoint_count = 0;
    result->verdict = VERDICT_NONE;
    result->trace[0] = '\0';
}

void result_release(struct result *result) {
    free(result->ring);
    free(result->row);
    if (result->session)
        session_release(result->session);
    free(result->session);
    result->ring = NULL;
    result->row = NULL;
    result->row_count = 0;
    result->session = NULL;
}
