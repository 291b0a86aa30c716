/* SPDX-License-Identifier: MIT */
/* One table from a fault to a status of HTTP. */
#include "refuse.h"

#include "answer.h"

/* What is not 422. Nothing here is the fault of the body: that was read before it was sent. */
static const struct {
    enum fault_code code;
    unsigned status;
} refuse_statuses[] = {
    {FAULT_SESSION_NOT_FOUND, MHD_HTTP_NOT_FOUND},
    {FAULT_TICK_CONFLICT, MHD_HTTP_CONFLICT},
    {FAULT_CHANGES_FULL, MHD_HTTP_CONFLICT},
    {FAULT_CANCELLED, MHD_HTTP_CONFLICT},
    {FAULT_EXPIRED, MHD_HTTP_SERVICE_UNAVAILABLE},
    {FAULT_SESSION_CONFLICT, MHD_HTTP_SERVICE_UNAVAILABLE},
    {FAULT_NO_MEMORY, MHD_HTTP_SERVICE_UNAVAILABLE},
    {FAULT_WORKER_LOST, MHD_HTTP_INTERNAL_SERVER_ERROR},
    {FAULT_BURIED, MHD_HTTP_INTERNAL_SERVER_ERROR},
    {FAULT_INTERNAL, MHD_HTTP_INTERNAL_SERVER_ERROR},
};

void refuse_result(struct request *request, const struct result *result) {
    const struct fault *fault = &result->fault;
    struct problem problem = {.status = MHD_HTTP_UNPROCESSABLE_CONTENT,
                              .code = fault_code_name(fault->code),
                              .detail = fault->message,
                              .field = fault->field,
                              .advice = fault->advice,
                              .job = result->id};
    for (size_t i = 0; i < sizeof refuse_statuses / sizeof *refuse_statuses; i++)
        if (refuse_statuses[i].code == fault->code)
            problem.status = refuse_statuses[i].status;
    if (problem.status == MHD_HTTP_SERVICE_UNAVAILABLE)
        problem.retry_after = ANSWER_RETRY_S;
    answer_problem(request, &problem);
}
