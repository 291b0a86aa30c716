/* SPDX-License-Identifier: MIT */
/* `susurration dump`: our states or hashes, in the forms that `diff` reads of other engines. */
#include "args.h"
#include "claim.h"
#include "local.h"
#include "output.h"
#include "record.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* How a number is written; `write` gives at most 31 characters. */
struct dump_form {
    const char *name;
    void (*write)(uint64_t bits, char *out);
};

static void dump_decimal(uint64_t bits, char *out) {
    double value;
    memcpy(&value, &bits, sizeof value);
    text_from_double(value, out);
}

static const struct dump_form dump_forms[] = {
    {"bits", text_from_hash},
    {"hex", text_from_bits},
    {"decimal", dump_decimal},
};

struct dump {
    uint32_t from;
    const struct job *job;
    const struct dump_form *form;
    void (*write)(const struct dump *dump, const struct sim *sim);
};

static void dump_write_hash(const struct dump *dump, const struct sim *sim) {
    char hash[17];
    (void)dump;
    text_from_hash(sim_hash(sim), hash);
    printf("%u,%s\n", sim->tick, hash);
}

static void dump_write_state(const struct dump *dump, const struct sim *sim) {
    struct record record;
    char number[32];
    record_take(&record, sim);
    for (uint32_t bird = 0; bird < sim->count; bird++) {
        printf("%u,%u", sim->tick, bird);
        for (int f = 0; f < RECORD_FIELDS; f++) {
            dump->form->write(record.bits[f][bird], number);
            printf(",%s", number);
        }
        putchar('\n');
    }
}

/* What both kinds of object begin with; they are lines, so not for output_json. */
static void dump_write_json_hash(const struct dump *dump, const struct sim *sim) {
    char hash[17];
    text_from_hash(sim_hash(sim), hash);
    printf("{\"seed\": %u, \"%s\": %u, \"tick\": %u, \"state_hash\": \"%s\"", dump->job->seed,
           sim->model->param[0].name, sim->count, sim->tick, hash);
}

static void dump_write_json_hash_line(const struct dump *dump, const struct sim *sim) {
    dump_write_json_hash(dump, sim);
    puts("}");
}

static void dump_write_json_pairs(const char *name, const double *a, const double *b,
                                  uint32_t count) {
    char text_a[32], text_b[32];
    printf(", \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        text_from_double(a[i], text_a);
        text_from_double(b[i], text_b);
        printf("%s[%s, %s]", i ? ", " : "", text_a, text_b);
    }
    putchar(']');
}

static void dump_write_json_state_line(const struct dump *dump, const struct sim *sim) {
    dump_write_json_hash(dump, sim);
    dump_write_json_pairs("positions", sim->x, sim->y, sim->count);
    dump_write_json_pairs("velocities", sim->vx, sim->vy, sim->count);
    puts("}");
}

/* [--hashes][--json] */
static const struct {
    const char *header;
    void (*write)(const struct dump *dump, const struct sim *sim);
} dump_kinds[2][2] = {
    {{"tick,bird,x,y,vx,vy\n", dump_write_state}, {"", dump_write_json_state_line}},
    {{"tick,state_hash\n", dump_write_hash}, {"", dump_write_json_hash_line}},
};

static bool dump_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    const struct dump *dump = context;
    (void)metrics;
    if (sim->tick >= dump->from)
        dump->write(dump, sim);
    return !ferror(stdout); /* or nobody reads any more; report_finish says so */
}

static int dump_read_form(const struct args *args, const struct dump_form **form) {
    const char *name = args_text(args, "numbers");
    char shown[48];
    for (size_t i = 0; i < sizeof dump_forms / sizeof dump_forms[0]; i++) {
        *form = &dump_forms[i];
        if (strcmp(name, dump_forms[i].name) == 0)
            return 0;
    }
    text_printable(name, strlen(name), shown, sizeof shown);
    return report_usage(args->command, "--numbers takes bits, hex or decimal, got '%s'", shown);
}

static int dump_run(const struct args *args) {
    struct job job;
    struct sim sim;
    struct dump dump = {.job = &job};
    const struct engine *engine = NULL;
    int hashes = args_flag(args, "hashes"), json = args_flag(args, "json");
    int code = local_begin(args, &job, &engine);
    if (code == 0)
        code = dump_read_form(args, &dump.form);
    if (code != 0)
        goto out;
    dump.from = args_is_given(args, "from") ? (uint32_t)args_whole(args, "from") : job.ticks;
    if (dump.from > job.ticks) {
        code = report_usage(args->command, "--from takes a tick up to --at-tick (%u), got '%u'",
                            job.ticks, dump.from);
        goto out;
    }
    dump.write = dump_kinds[hashes][json].write;
    struct sim_watch watch = {dump_look, &dump, false};
    struct sim_changes changes = {job.change, job.change_count};
    (void)fputs(dump_kinds[hashes][json].header, stdout);
    sim_init(&sim, job.model, job.seed, &job.params);
    sim_run(&sim, engine, job.ticks, &changes, &watch);
out:
    job_release(&job);
    return code;
}

static const struct option dump_options[] = {
    CLAIM_OPTION_SEED,
    {OPTION_ROW("at-tick", "TICK", FIELD, "the last tick that is written"), .preset = "500",
     .field = "at_tick"},
    {OPTION_ROW("from", "TICK", WHOLE, "the first; without it only the last is written"),
     .max = SIM_TICKS_MAX},
    CLAIM_OPTION_CHANGE,
    CLAIM_OPTION_ISA,
    {0},
};
static const struct option_group dump_group = {"Claim", dump_options};

static const struct option dump_form_options[] = {
    {OPTION_ROW("hashes", NULL, FLAG, "a hash a tick, in place of the state")},
    {OPTION_ROW("numbers", "FORM", TEXT,
                "bits (16 hexadecimal digits), hex (0x1.8p+1) or decimal; JSON is decimal"),
     .preset = "bits"},
    {0},
};
static const struct option_group dump_form_group = {"Form", dump_form_options};

const struct command command_dump = {
    .name = "dump",
    .summary = "write the states or hashes of some ticks, as 'diff' reads them",
    .text = "CSV with a line for each bird of each tick, or for each tick a hash; with --json an\n"
            "object a line. All three forms of a number say every bit of it.\n",
    .example = "susurration dump --seed 42 --at-tick 10 --numbers decimal\n"
               "susurration dump --from 0 --at-tick 100 --hashes\n",
    .kind = JOB_VERIFY,
    .params = true,
    .group = {&dump_group, &claim_group_model, &dump_form_group, &option_group_output},
    .run = dump_run,
};
