/* SPDX-License-Identifier: MIT */
/* `susurration sweep`: the same run for each seed of a range, as a CSV file. */
#include "claim.h"
#include "clock.h"
#include "cpus.h"
#include "local.h"
#include "output.h"
#include "remote.h"
#include "report.h"
#include "sweep_remote.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_THREADS_MAX 1024u

/*
 * How much one chunk is, in pairs of birds times ticks: about a tenth of a second with a fast
 * engine. Small enough to share out evenly and to stay far from a job's budget, large enough that
 * the queue is not what takes the time.
 */
#define SWEEP_CHUNK_WORK 1.5e8
#define SWEEP_CHUNK_MAX 1000u
#define SWEEP_SHARES 64u /* so that a small sweep is shared out, too */

static const struct option sweep_options[] = {
    {OPTION_ROW("seeds", "A..B", TEXT, "from A to B, both included"), .preset = "0..99"},
    {OPTION_ROW("ticks", "N", FIELD, "the tick at which each is measured"), .preset = "500",
     .field = "ticks"},
    {OPTION_ROW("change", "TICK:C,A,S", TEXT, "as of verify; may be repeated")},
    {OPTION_ROW("out", "FILE", TEXT, "the CSV file; without it standard output")},
    {OPTION_ROW("budget-ms", "MS", FIELD, "through Redis: what one job may take"),
     .preset = "10000", .field = "budget_ms"},
    {OPTION_ROW("chunk", "N", WHOLE, "how many in one job or thread at a time; without it as fits"),
     .min = 1, .max = JOB_SEEDS_MAX},
    {OPTION_ROW("threads", "N", WHOLE, "in this process: how many; without it one a CPU"), .min = 1,
     .max = SWEEP_THREADS_MAX},
    {0},
};
static const struct option_group sweep_group = {"Sweep", sweep_options};

static bool sweep_read_seed(const char *text, size_t length, uint32_t *seed) {
    char copy[32];
    uint64_t value;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!text_to_uint(copy, 0, UINT32_MAX, &value))
        return false;
    *seed = (uint32_t)value;
    return true;
}

static int sweep_read_seeds(const struct args *args, struct sweep *sweep) {
    const char *text = args_text(args, "seeds");
    const char *dots = strstr(text, "..");
    uint32_t last;
    size_t length = dots ? (size_t)(dots - text) : strlen(text);
    const char *rest = dots ? dots + 2 : text;
    if (!sweep_read_seed(text, length, &sweep->first) ||
        !sweep_read_seed(rest, strlen(rest), &last) || last < sweep->first) {
        char shown[64];
        text_printable(text, strlen(text), shown, sizeof shown);
        return report_usage(args->command, "--seeds takes A..B with 0 <= A <= B <= %u, got '%s'",
                            UINT32_MAX, shown);
    }
    sweep->count = (uint64_t)last - sweep->first + 1;
    return 0;
}

static void sweep_cut(const struct args *args, struct sweep *sweep) {
    double agents = sweep->job.params.value[0];
    double fit = SWEEP_CHUNK_WORK / (agents * agents * sweep->job.ticks);
    uint64_t share = sweep->count / SWEEP_SHARES + 1;
    sweep->chunk_size = fit < 1 ? 1 : fit > SWEEP_CHUNK_MAX ? SWEEP_CHUNK_MAX : (uint32_t)fit;
    if (share < sweep->chunk_size)
        sweep->chunk_size = (uint32_t)share;
    if (args_is_given(args, "chunk"))
        sweep->chunk_size = (uint32_t)args_whole(args, "chunk");
    sweep->chunks = (sweep->count + sweep->chunk_size - 1) / sweep->chunk_size;
}

static void sweep_summary(const struct args *args, const struct sweep *sweep) {
    double seconds = (double)(clock_now_ns() - sweep->start_ns) * 1e-9;
    double rate = (double)sweep->count / seconds;
    if (!args_flag(args, "json")) {
        report_note("%llu seeds in %.1f s, %.0f/s, written to %s", (unsigned long long)sweep->count,
                    seconds, rate, sweep->out_name);
        return;
    }
    json_t *root = output_object();
    output_set(root, "out", output_text(sweep->out_name));
    output_set(root, "seeds", output_whole(sweep->count));
    output_set(root, "run_ms", output_ms(seconds * 1000));
    output_set(root, "seeds_per_second", output_number(rate));
    output_json(root);
}

static int sweep_run(const struct args *args) {
    struct sweep sweep = {.out = stdout, .out_name = "standard output"};
    const char *path = args_text(args, "out");
    struct remote *remote = NULL;
    const struct engine *engine = NULL;
    int code = claim_read(args, NULL, &sweep.job);
    if (code == 0)
        code = sweep_read_seeds(args, &sweep);
    if (code == 0 && args_flag(args, "json") && !path)
        code = report_usage(args->command, "--json goes with --out: the rows themselves are CSV");
    if (code == 0 && remote_is_wanted(args))
        code = remote_open(&remote, args);
    else if (code == 0 && !(engine = local_engine(NULL)))
        code = REPORT_USAGE;
    if (code != 0)
        goto out;

    if (path) {
        sweep.out_name = path;
        sweep.out = fopen(path, "w");
        if (!sweep.out) {
            sweep.out = stdout;
            code = report_infrastructure("cannot write %s: %s", path, strerror(errno));
            goto out;
        }
    }
    sweep_cut(args, &sweep);
    sweep.start_ns = clock_now_ns();
    if (remote) {
        code = sweep_remote(&sweep, remote,
                            args_is_given(args, "wait") ? (unsigned)args_whole(args, "wait") : 0);
    } else {
        sweep.job.budget_ms = UINT32_MAX; /* nobody waits for this process's slot */
        code = sweep_local(&sweep, engine,
                           args_is_given(args, "threads") ? (unsigned)args_whole(args, "threads")
                                                          : cpus_usable());
    }

    if (path && fclose(sweep.out) != 0 && code == 0)
        code = report_infrastructure("cannot write %s: %s", path, strerror(errno));
    if (path && code == 0)
        sweep_summary(args, &sweep);
out:
    if (remote)
        remote_close(remote);
    for (size_t i = 0; i < SWEEP_WINDOW; i++)
        free(sweep.chunk[i].row);
    job_release(&sweep.job);
    return code;
}

const struct command command_sweep = {
    .name = "sweep",
    .summary = "measure the same run for many seeds, one row of CSV each",
    .text = "Rows come in the order of seeds, numbers in full precision, a field left empty where\n"
            "no bird has another within reach. Through Redis it waits as long as it takes, unless "
            "--wait\n"
            "says how long it may be until the next result comes.\n",
    .example = "susurration sweep --seeds 0..9 --ticks 100\n"
               "susurration sweep --seeds 0..19 --birds 50 --ticks 100 --out /tmp/sweep.csv\n",
    .kind = JOB_SWEEP,
    .params = true,
    .group = {&sweep_group, &claim_group_model, &option_group_redis, &option_group_output},
    .run = sweep_run,
};
