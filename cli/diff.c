/* SPDX-License-Identifier: MIT */
/*
 * `susurration diff`: where another engine first leaves ours. Both go forward together: our
 * simulation asks at each tick whether the file has a record of it, compares, reads on, and stops
 * at the first difference, since what comes behind it follows from it. Where a tick comes with
 * both, a right state and a wrong hash are a difference too: of the function that makes the hash.
 */
#include "args.h"
#include "claim.h"
#include "local.h"
#include "output.h"
#include "record_file.h"
#include "report.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct diff {
    struct record_file file;
    struct record ours, theirs; /* of the tick compared last; of the next one in the file */
    bool more;                  /* theirs is there */
    int code;                   /* of reading the file: 0, or how the command ends */
    uint32_t ticks;             /* how many were equal, first to last */
    uint32_t first, last;
    struct record_difference difference;
};

static const char diff_algorithm[] =
    "XXH64, seed 0, over x[], y[], vx[], vy[] as little-endian binary64";

static bool diff_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    struct diff *diff = context;
    (void)metrics;
    if (diff->theirs.tick == sim->tick) {
        record_take(&diff->ours, sim);
        record_compare(&diff->ours, &diff->theirs, sim->count, &diff->difference);
        if (diff->difference.differs)
            return false;
        diff->first = diff->ticks++ == 0 ? sim->tick : diff->first;
        diff->last = sim->tick;
        diff->code = record_file_next(&diff->file, &diff->theirs, &diff->more);
    }
    return diff->code == 0 && diff->more;
}

/* The first tick at which the states may differ: of a hash the one behind the last that is equal.
 */
static uint32_t diff_earliest(const struct diff *diff) {
    if (diff->difference.differs == RECORD_STATE)
        return diff->theirs.tick;
    return diff->ticks > 0 ? diff->last + 1 : 0;
}

/* --- text ----------------------------------------------------------------------------------------
 */

static void diff_print_number(const char *label, uint64_t bits) {
    char hex[32], decimal[32];
    double value;
    memcpy(&value, &bits, sizeof value);
    text_from_bits(bits, hex);
    text_from_double(value, decimal);
    output_line(label, "%016" PRIx64 "  %s  %s", bits, hex, decimal);
}

static void diff_print_state(const struct diff *diff) {
    const struct record_difference *difference = &diff->difference;
    uint32_t bird = difference->bird, field = difference->field;
    uint64_t ours = diff->ours.bits[field][bird], theirs = diff->theirs.bits[field][bird], ulps;
    printf("MISMATCH: the first difference is at tick %u, bird %u, %s\n", diff->theirs.tick, bird,
           record_field[field]);
    diff_print_number("ours", ours);
    diff_print_number("theirs", theirs);
    if (record_ulps(ours, theirs, &ulps))
        output_line("apart", "%" PRIu64 " ulp%s", ulps, ulps == 1 ? "" : "s");
    else
        output_line("apart", "no finite number");
    output_line("different at that tick", "%u of %u numbers, in %u of %u birds",
                difference->numbers, RECORD_FIELDS * diff->file.count, difference->birds,
                diff->file.count);
}

static void diff_print_hashes(const struct diff *diff) {
    output_line("ours", "%016" PRIx64, diff->ours.hash);
    output_line("theirs", "%016" PRIx64, diff->theirs.hash);
}

static void diff_print_hash(const struct diff *diff) {
    uint32_t earliest = diff_earliest(diff);
    printf("MISMATCH: the first hash that differs is that of tick %u\n", diff->theirs.tick);
    diff_print_hashes(diff);
    if (earliest < diff->theirs.tick)
        output_line("first different state", "at a tick from %u to %u", earliest,
                    diff->theirs.tick);
    else
        output_line("first different state", "at tick %u", earliest);
}

static void diff_print_hashing(const struct diff *diff) {
    printf("MISMATCH: the states of tick %u are equal, the hashes are not\n", diff->theirs.tick);
    diff_print_hashes(diff);
    output_line("the hash is", "%s", diff_algorithm);
}

static void diff_print_equal(const struct diff *diff) {
    (void)diff;
    printf("equal: to the last bit\n");
}

static void diff_print(const struct diff *diff, const struct job *job,
                       const struct engine *engine) {
    static void (*const print[])(const struct diff *diff) = {
        [RECORD_EQUAL] = diff_print_equal,
        [RECORD_STATE] = diff_print_state,
        [RECORD_HASH] = diff_print_hash,
        [RECORD_HASHING] = diff_print_hashing,
    };
    (void)job;
    print[diff->difference.differs](diff);
    if (diff->difference.differs)
        output_line("read at", "%s:%" PRIu64, diff->file.name,
                    diff->theirs.line[diff->difference.bird]);
    if (diff->ticks > 0)
        output_line("equal", "%u ticks, from %u to %u", diff->ticks, diff->first, diff->last);
    else
        output_line("equal", "no tick before");
    output_line("engine", "%s %s", SUSURRATION_VERSION, engine->isa);
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static json_t *diff_json_number(uint64_t bits) {
    char hex[32];
    double value;
    memcpy(&value, &bits, sizeof value);
    text_from_bits(bits, hex);
    json_t *map = output_object();
    output_set(map, "bits", output_hash(bits));
    output_set(map, "hex", output_text(hex));
    output_set(map, "value", output_number(value));
    return map;
}

static void diff_json_state(const struct diff *diff, json_t *map) {
    const struct record_difference *difference = &diff->difference;
    uint32_t bird = difference->bird, field = difference->field;
    uint64_t ours = diff->ours.bits[field][bird], theirs = diff->theirs.bits[field][bird], ulps;
    bool finite = record_ulps(ours, theirs, &ulps);
    output_set(map, "bird", output_whole(bird));
    output_set(map, "field", output_text(record_field[field]));
    output_set(map, "ours", diff_json_number(ours));
    output_set(map, "theirs", diff_json_number(theirs));
    /* Past what a JSON integer holds only where the signs differ. */
    output_set(map, "ulps", finite && ulps <= INT64_MAX ? output_whole(ulps) : json_null());
    output_set(map, "numbers", output_whole(difference->numbers));
    output_set(map, "birds", output_whole(difference->birds));
}

static void diff_json_hash(const struct diff *diff, json_t *map) {
    output_set(map, "ours", output_hash(diff->ours.hash));
    output_set(map, "theirs", output_hash(diff->theirs.hash));
}

static void diff_json_hashing(const struct diff *diff, json_t *map) {
    diff_json_hash(diff, map);
    output_set(map, "algorithm", output_text(diff_algorithm));
}

static json_t *diff_json_difference(const struct diff *diff) {
    static const struct {
        const char *of;
        void (*json)(const struct diff *diff, json_t *map);
    } way[] = {
        [RECORD_STATE] = {"state", diff_json_state},
        [RECORD_HASH] = {"hash", diff_json_hash},
        [RECORD_HASHING] = {"hashing", diff_json_hashing},
    };
    enum record_differs differs = diff->difference.differs;
    if (differs == RECORD_EQUAL)
        return json_null();
    json_t *map = output_object();
    output_set(map, "of", output_text(way[differs].of));
    output_set(map, "tick", output_whole(diff->theirs.tick));
    /* At no tick where the states are equal. */
    output_set(map, "earliest_tick",
               differs == RECORD_HASHING ? json_null() : output_whole(diff_earliest(diff)));
    output_set(map, "line", output_whole(diff->theirs.line[diff->difference.bird]));
    way[differs].json(diff, map);
    return map;
}

static void diff_print_json(const struct diff *diff, const struct job *job,
                            const struct engine *engine) {
    bool differs = diff->difference.differs != RECORD_EQUAL;
    json_t *root = output_object();
    output_set(root, "verdict", output_text(differs ? "mismatch" : "exact"));
    output_set(root, "model", output_text(job->model->name));
    output_set(root, "seed", output_whole(job->seed));
    output_set(root, job->model->param[0].name, output_whole(diff->file.count));
    output_set(root, "params", output_params(job->model, OUTPUT_ALL_PARAMS, &job->params));
    output_set(root, "changes", output_changes(job->model, job->change, job->change_count));
    output_set(root, "equal_ticks", output_whole(diff->ticks));
    output_set(root, "first_equal", diff->ticks > 0 ? output_whole(diff->first) : json_null());
    output_set(root, "last_equal", diff->ticks > 0 ? output_whole(diff->last) : json_null());
    output_set(root, "difference", diff_json_difference(diff));
    output_set(root, "engine", output_engine(SUSURRATION_VERSION, engine->isa));
    output_json(root);
}

/* --- the command ---------------------------------------------------------------------------------
 */

static int diff_run(const struct args *args) {
    struct job job;
    struct sim sim;
    struct diff diff = {0};
    const struct engine *engine = NULL;
    int code = local_begin(args, &job, &engine);
    if (code == 0)
        code = record_file_open(&diff.file, args->command, args->operand, &job);
    if (code == 0)
        code = record_file_next(&diff.file, &diff.theirs, &diff.more);
    if (code != 0)
        goto out;
    if (diff.theirs.tick > job.ticks) {
        code = report_usage(args->command, "%s begins at tick %u, behind --at-tick (%u)",
                            diff.file.quoted, diff.theirs.tick, job.ticks);
        goto out;
    }
    struct sim_watch watch = {diff_look, &diff, false};
    struct sim_changes changes = {job.change, job.change_count};
    sim_init(&sim, job.model, job.seed, &job.params);
    sim_run(&sim, engine, job.ticks, &changes, &watch);
    code = diff.code;
    if (code != 0)
        goto out;
    (args_flag(args, "json") ? diff_print_json : diff_print)(&diff, &job, engine);
    code = diff.difference.differs ? REPORT_REJECTED : REPORT_OK;
out:
    record_file_close(&diff.file);
    job_release(&job);
    return code;
}

static const struct option diff_options[] = {
    CLAIM_OPTION_SEED,
    {OPTION_ROW("at-tick", "TICK", FIELD, "compare no further than that tick"), .preset = "20000",
     .field = "at_tick"},
    CLAIM_OPTION_CHANGE,
    CLAIM_OPTION_ISA,
    {0},
};
static const struct option_group diff_group = {"Claim", diff_options};

const struct command command_diff = {
    .name = "diff",
    .operand = "FILE",
    .summary = "compare another engine's states or hashes with ours, find the first difference",
    .text =
        "FILE is text, ticks ascending, the first line naming the columns; - is standard input:\n"
        "  tick,bird,x,y,vx,vy    a line for each bird (0, 1, ...) of each tick: names tick,\n"
        "                         bird and field of the first difference\n"
        "  tick,state_hash        a line for each tick: names the two ticks it lies between\n"
        "With bird and state_hash, one in all lines of a tick, the hash of an equal state is\n"
        "compared too. More columns, space for commas, empty lines and lines that begin with #\n"
        "are allowed.\n"
        "A number is its 16 hexadecimal digits (binary64), 0x1.8p+1, or decimal, with as many\n"
        "digits as give it back (17 do). What 'verify --checkpoints', 'trace show --json',\n"
        "'session show --json' and 'dump' print can be read too; JSON of one's own as those:\n"
        "  {\"tick\": 3, \"positions\": [[x, y], ...], \"velocities\": [[vx, vy], ...]}\n"
        "  {\"tick\": 1000, \"state_hash\": \"HEX\"}               or both in one object\n"
        "Ends with 0 equal, 1 different, 2 usage or a file that says something else, 3 a file\n"
        "that cannot be read.\n",
    .example = "susurration diff states.csv\n"
               "susurration verify --at-tick 5000 --checkpoints | susurration diff -\n"
               "susurration dump --from 0 --at-tick 50 | susurration diff --isa reference -\n",
    .kind = JOB_VERIFY,
    .params = true,
    .group = {&diff_group, &claim_group_model, &option_group_output},
    .run = diff_run,
};
