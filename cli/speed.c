/* SPDX-License-Identifier: MIT */
/* `susurration engine`: how fast an engine is on this machine, with the metrics of every tick. */
#include "claim.h"
#include "clock.h"
#include "local.h"
#include "output.h"

#include <stdio.h>

static const struct option speed_options[] = {
    CLAIM_OPTION_SEED,
    {OPTION_ROW("ticks", "N", WHOLE, "how many ticks to time"), .preset = "2000", .min = 1,
     .max = 10000000},
    CLAIM_OPTION_ISA,
    {OPTION_ROW("reference", NULL, FLAG, "the literal engine that all others are tested against")},
    {0},
};
static const struct option_group speed_group = {"Run", speed_options};

/* Keeps the metrics of every tick from being optimised away, as a ring or a timeline would. */
static bool speed_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    double *sum = context;
    (void)sim;
    *sum += metrics->polarization;
    return true;
}

static int speed_run(const struct args *args) {
    struct job job;
    const struct engine *engine = args_flag(args, "reference") ? &engine_reference : NULL;
    int code = local_begin(args, &job, &engine);
    if (code != 0)
        goto out;
    uint32_t ticks = (uint32_t)args_whole(args, "ticks");
    double sum = 0;
    struct sim sim;
    struct sim_watch watch = {speed_look, &sum, true};
    sim_init(&sim, job.model, job.seed, &job.params);
    int64_t start_ns = clock_now_ns();
    sim_run(&sim, engine, ticks, NULL, &watch);
    double seconds = (double)(clock_now_ns() - start_ns) * 1e-9;
    double rate = ticks / seconds;

    if (!args_flag(args, "json")) {
        printf("%.0f ticks/s\n", rate);
        output_line(job.model->param[0].name, "%u", sim.count);
        output_line("ticks", "%u in %.3f s", ticks, seconds);
        output_line("mean polarization", "%.4f", sum / (ticks + 1.0));
        output_line("state hash", "%016llx", (unsigned long long)sim_hash(&sim));
        output_line("engine", "%s %s", SUSURRATION_VERSION, engine->isa);
        goto out;
    }
    json_t *root = output_object();
    output_set(root, "model", output_text(job.model->name));
    output_set(root, "seed", output_whole(job.seed));
    output_set(root, job.model->param[0].name, output_whole(sim.count));
    output_set(root, "params", output_params(job.model, OUTPUT_ALL_PARAMS, &job.params));
    output_set(root, "ticks", output_whole(ticks));
    output_set(root, "isa", output_text(engine->isa));
    output_set(root, "version", output_text(SUSURRATION_VERSION));
    output_set(root, "run_ms", output_ms(seconds * 1000));
    output_set(root, "ticks_per_second", output_number(rate));
    output_set(root, "mean_polarization", output_number(sum / (ticks + 1.0)));
    output_set(root, "state_hash", output_hash(sim_hash(&sim)));
    output_json(root);
out:
    job_release(&job);
    return code;
}

const struct command command_speed = {
    .name = "engine",
    .summary = "measure the speed of an engine, metrics of every tick included",
    .example = "susurration engine --birds 400 --ticks 500\n"
               "susurration engine --reference --ticks 100 --json\n",
    .kind = JOB_VERIFY,
    .params = true,
    .group = {&speed_group, &claim_group_model, &option_group_output},
    .run = speed_run,
};
