/* SPDX-License-Identifier: MIT */
/* What a worker's slot does, with nobody else around: a clock, a deadline, a run. */
#include "local.h"

#include "claim.h"
#include "clock.h"
#include "fpu.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_NS_PER_MS 1000000

const struct engine *local_engine(const char *isa) {
    const char *from = "--isa";
    if (!isa || !*isa) {
        isa = getenv("SUSURRATION_ISA");
        from = "SUSURRATION_ISA";
    }
    if (!isa || !*isa)
        return engine_best();
    const struct engine *engine = engine_find(isa);
    if (engine)
        return engine;
    char shown[48];
    text_printable(isa, strlen(isa), shown, sizeof shown);
    report_note("%s: there is no engine '%s', or this CPU lacks it; the fastest here is '%s'", from,
                shown, engine_best()->isa);
    return NULL;
}

int local_begin(const struct args *args, struct job *job, const struct engine **engine) {
    int code = claim_read(args, NULL, job);
    if (code != 0)
        return code;
    if (!*engine)
        *engine = local_engine(args_text(args, "isa"));
    if (!*engine)
        return REPORT_USAGE;
    if (fpu_prepare() != 0)
        return report_infrastructure("this CPU does not round as IEEE 754 says");
    return 0;
}

static enum run_order local_order(void *context, uint64_t done, uint64_t total) {
    const int64_t *deadline_ns = context;
    (void)done;
    (void)total;
    return clock_now_ns() < *deadline_ns ? RUN_ON : RUN_OUT_OF_BUDGET;
}

void local_run(const struct job *job, const struct engine *engine, struct result *result) {
    int64_t start_ns = clock_now_ns();
    int64_t deadline_ns = start_ns + (int64_t)job->budget_ms * LOCAL_NS_PER_MS;
    struct run_env env = {.engine = engine, .order = local_order, .context = &deadline_ns};
    struct fault fault = {0};
    if (fpu_prepare() == 0) {
        run_job(job, &env, result);
    } else {
        result_init(result, job);
        fault_set(&fault, FAULT_INTERNAL, "", "this CPU does not round as IEEE 754 says");
        result_fail(result, &fault);
    }
    result->run_ms = (double)(clock_now_ns() - start_ns) / LOCAL_NS_PER_MS;
    (void)snprintf(result->engine_version, sizeof result->engine_version, "%s",
                   SUSURRATION_VERSION);
    (void)snprintf(result->engine_isa, sizeof result->engine_isa, "%s", engine->isa);
}
