/* SPDX-License-Identifier: MIT */
/* One table from a result's status to an exit code. */
#include "outcome.h"

#include "output.h"
#include "report.h"

static const int outcome_exits[RESULT_STATUSES] = {
    [RESULT_OK] = REPORT_OK,
    [RESULT_REJECTED] = REPORT_REJECTED,
    [RESULT_FAILED] = REPORT_INFRASTRUCTURE,
    [RESULT_CANCELLED] = REPORT_REJECTED,
    [RESULT_EXPIRED] = REPORT_INFRASTRUCTURE,
};

int outcome_exit(const struct result *result) {
    return outcome_exits[result->status];
}

void outcome_complain(const struct result *result) {
    const struct fault *fault = &result->fault;
    report_note("%s: %s%s%s", result_status_name(result->status), fault->message,
                fault->advice[0] ? "; " : "", fault->advice);
}

json_t *outcome_json(const struct result *result) {
    json_t *root = output_object();
    if (result->id[0])
        output_set(root, "id", output_text(result->id));
    output_set(root, "status", output_text(result_status_name(result->status)));
    output_set(root, "error", output_error(&result->fault));
    outcome_add_run(root, result);
    return root;
}

void outcome_add_run(json_t *root, const struct result *result) {
    if (result->worker[0]) {
        output_set(root, "worker", output_text(result->worker));
        output_set(root, "queued_ms", output_whole(result->queued_ms));
    }
    output_set(root, "run_ms", output_ms(result->run_ms));
    output_set(root, "engine", output_engine(result->engine_version, result->engine_isa));
}
