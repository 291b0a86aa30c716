/* SPDX-License-Identifier: MIT */
/* `susurration verify`: one claim, simulated here or by a worker, and what came out of it. */
#include "claim.h"
#include "local.h"
#include "outcome.h"
#include "output.h"
#include "remote.h"
#include "report.h"

#include <stdio.h>

static const struct option verify_options[] = {
    CLAIM_OPTION_SEED,
    {OPTION_ROW("at-tick", "TICK", FIELD, "the tick that the claim is about"), .preset = "500",
     .field = "at_tick"},
    CLAIM_OPTION_CHANGE,
    {OPTION_ROW("note", "TEXT", FIELD, "kept with the trace"), .field = "note"},
    {OPTION_ROW("budget-ms", "MS", FIELD, "wall-clock time the run may take"), .preset = "10000",
     .field = "budget_ms"},
    {0},
};
static const struct option_group verify_group = {"Claim", verify_options};

static const struct option verify_claim_options[] = {
    {OPTION_ROW("claim-hash", "HEX", HASH, "the state's hash; it decides alone")},
    {OPTION_ROW("claim-polarization", "P", NUMBER, "the metrics that you got, all three together")},
    {OPTION_ROW("claim-clusters", "N", WHOLE,
                "agree within 1e-3 up to tick 200, are indicative beyond"),
     .min = 1, .max = SIM_AGENTS_MAX},
    {OPTION_ROW("claim-distance", "D", TEXT, "a number, or null")},
    {0},
};
static const struct option_group verify_claim_group = {"What you got", verify_claim_options};

static const struct option verify_more_options[] = {
    {OPTION_ROW("no-store", NULL, FLAG, "through Redis: do not keep the trace")},
    {OPTION_ROW("ring", NULL, FLAG, "through Redis: keep the metrics of each tick with it")},
    {OPTION_ROW("checkpoints", NULL, FLAG, "show the hash at every 1,000 ticks")},
    {0},
};
static const struct option_group verify_more_group = {"More", verify_more_options};

/* What the first line says. */
static const char *const verify_headline[RESULT_VERDICTS] = {
    [VERDICT_NONE] = "simulated",
    [VERDICT_EXACT] = "verified: the claimed hash is the state's",
    [VERDICT_MATCH] = "verified: the claimed metrics agree within 1e-3",
    [VERDICT_INDICATIVE] = "indicative: metrics past tick 200 are no proof either way",
    [VERDICT_MISMATCH] = "MISMATCH: the claim is not what comes out",
};

static void verify_print_json(const struct args *args, const struct job *job,
                              const struct result *result) {
    bool ok = result->status == RESULT_OK;
    json_t *root = output_object();
    if (result->id[0])
        output_set(root, "id", output_text(result->id));
    output_set(root, "status", output_text(result_status_name(result->status)));
    output_set(root, "model", output_text(job->model->name));
    output_set(root, "seed", output_whole(job->seed));
    output_set(root, job->model->param[0].name, output_whole((uint64_t)job->params.value[0]));
    output_set(root, "params", output_params(job->model, OUTPUT_ALL_PARAMS, &job->params));
    output_set(root, "changes", output_changes(job->model, job->change, job->change_count));
    output_set(root, "at_tick", output_whole(job->ticks));
    if (job->note[0])
        output_set(root, "note", output_text(job->note));
    output_set(root, "metrics", ok ? output_metrics(&result->metrics) : json_null());
    output_set(root, "state_hash", ok ? output_hash(result->state_hash) : json_null());
    if (ok && result->verdict != VERDICT_NONE)
        output_set(root, "verdict", output_text(result_verdict_name(result->verdict)));
    if (ok && args_flag(args, "checkpoints")) {
        json_t *list = output_array();
        for (size_t i = 0; i < result->checkpoint_count; i++)
            output_append(list, output_hash(result->checkpoint[i]));
        output_set(root, "checkpoints", list);
    }
    if (result->trace[0])
        output_set(root, "trace", output_text(result->trace));
    if (!ok)
        output_set(root, "error", output_error(&result->fault));
    outcome_add_run(root, result);
    output_json(root);
}

static void verify_print(const struct args *args, const struct job *job,
                         const struct result *result) {
    if (result->status != RESULT_OK) {
        outcome_complain(result);
        return;
    }
    printf("%s\n", verify_headline[result->verdict]);
    output_line("seed", "%u", job->seed);
    output_line(job->model->param[0].name, "%g", job->params.value[0]);
    output_line("tick", "%u", job->ticks);
    output_metrics_lines(&result->metrics);
    output_line("state hash", "%016llx", (unsigned long long)result->state_hash);
    if (job->claimed.has_hash && result->verdict == VERDICT_MISMATCH)
        output_line("claimed hash", "%016llx", (unsigned long long)job->claimed.state_hash);
    for (size_t i = 0; args_flag(args, "checkpoints") && i < result->checkpoint_count; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "hash at tick %zu", (i + 1) * JOB_CHECKPOINT_TICKS);
        output_line(label, "%016llx", (unsigned long long)result->checkpoint[i]);
    }
    if (result->trace[0])
        output_line("trace", "%s", result->trace);
    output_line("run", "%.1f ms by engine %s %s", result->run_ms, result->engine_version,
                result->engine_isa);
    if (result->worker[0])
        output_line("worker", "%s, after %llu ms in the queue", result->worker,
                    (unsigned long long)result->queued_ms);
    if (job->claimed.has_metrics && result->verdict == VERDICT_MISMATCH) {
        printf("claimed\n");
        output_metrics_lines(&job->claimed.metrics);
    }
}

static int verify_locally(struct job *job, struct result *result) {
    const struct engine *engine = local_engine(NULL);
    if (!engine)
        return REPORT_USAGE;
    job->store = job->ring = false;
    local_run(job, engine, result);
    return 0;
}

static int verify_remotely(const struct args *args, struct job *job, struct result *result) {
    struct remote *remote;
    int code = remote_open(&remote, args);
    if (code != 0)
        return code;
    job->store = !args_flag(args, "no-store");
    job->ring = args_flag(args, "ring");
    code = remote_run(remote, job, result);
    remote_close(remote);
    return code;
}

static int verify_run(const struct args *args) {
    struct job job;
    struct result result = {0};
    int code = claim_read(args, NULL, &job);
    if (code != 0)
        goto out;
    code = remote_is_wanted(args) ? verify_remotely(args, &job, &result)
                                  : verify_locally(&job, &result);
    if (code != 0)
        goto out;
    (args_flag(args, "json") ? verify_print_json : verify_print)(args, &job, &result);
    code = outcome_exit(&result);
    if (result.status == RESULT_OK && result.verdict == VERDICT_MISMATCH)
        code = REPORT_REJECTED;
out:
    result_release(&result);
    job_release(&job);
    return code;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "simulate a claim from tick 0 and say what comes out",
    .text = "Without --redis the claim is simulated in this process; with it a worker does it.\n"
            "Ends with 0 verified, 1 rejected or mismatch, 2 usage, 3 infrastructure.\n",
    .example = "susurration verify --seed 42 --at-tick 500\n"
               "susurration verify --cohesion 1 --change 100:0,0.5,1 --at-tick 200 --json\n"
               "susurration verify --at-tick 500 --claim-hash 2859c10a10b68472\n",
    .kind = JOB_VERIFY,
    .params = true,
    .group = {&verify_group, &claim_group_model, &verify_claim_group, &verify_more_group,
              &option_group_redis, &option_group_output},
    .run = verify_run,
};
