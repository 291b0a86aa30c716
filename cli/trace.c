/* SPDX-License-Identifier: MIT */
/* `susurration trace ...`: claims that were verified and kept. */
#include "args.h"
#include "output.h"
#include "report.h"
#include "stored.h"
#include "table.h"
#include "text.h"
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a stranger wrote, as one harmless line; `note` has room for the whole. */
static const char *trace_note(const struct trace *trace, char *note) {
    memcpy(note, trace->job.note, sizeof trace->job.note);
    text_disarm(note);
    return note;
}

static json_t *trace_json(const struct trace *trace) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_trace(&jot, NULL, trace, &shape_exact);
    return output_parse(&text);
}

static void trace_print(const struct trace *trace) {
    const struct job *job = &trace->job;
    char when[SHAPE_TIME_MAX], note[sizeof job->note];
    shape_time(trace->verified_at_ms, when);
    printf("trace %s\n", trace->id);
    output_line("verified", "%s", when);
    output_line("seed", "%u", job->seed);
    for (size_t i = 0; i < job->model->param_count; i++)
        output_line(job->model->param[i].name, "%g", job->params.value[i]);
    if (job->change_count > 0)
        output_line("changes", "%zu", job->change_count);
    output_line("tick", "%u", job->ticks);
    output_metrics_lines(&trace->metrics);
    output_line("state hash", "%016llx", (unsigned long long)trace->state_hash);
    if (trace->verdict != VERDICT_NONE)
        output_line("verdict", "%s", result_verdict_name(trace->verdict));
    output_line("engine", "%s %s", trace->engine_version, trace->engine_isa);
    if (job->note[0])
        output_line("note", "%s", trace_note(trace, note));
}

/* --- list ----------------------------------------------------------------------------------------
 */

static void trace_list_json(void *context, const struct trace *trace) {
    output_append(context, trace_json(trace));
}

static void trace_list_row(void *context, const struct trace *trace) {
    struct table *table = context;
    char when[SHAPE_TIME_MAX], note[sizeof trace->job.note];
    shape_time(trace->verified_at_ms, when);
    table_cell(table, "%s", trace->id);
    table_cell(table, "%s", when);
    table_cell(table, "%u", trace->job.seed);
    table_cell(table, "%g", trace->job.params.value[0]);
    table_cell(table, "%u", trace->job.ticks);
    table_cell(table, "%.4f", trace->metrics.polarization);
    table_cell(table, "%u", trace->metrics.cluster_count);
    if (isfinite(trace->metrics.mean_neighbor_distance))
        table_cell(table, "%.4f", trace->metrics.mean_neighbor_distance);
    else
        table_cell(table, "none");
    table_cell(table, "%s", trace_note(trace, note));
}

static int trace_list_run(const struct args *args) {
    struct remote *remote;
    int code = remote_open(&remote, args);
    if (code != 0)
        return code;
    unsigned skip = (unsigned)args_whole(args, "skip"), limit = (unsigned)args_whole(args, "limit");
    unsigned unreadable = 0;
    if (args_flag(args, "json")) {
        json_t *list = output_array();
        code = stored_traces(remote, skip, limit, trace_list_json, list, &unreadable);
        if (code == 0)
            output_json(list);
        else
            json_decref(list);
    } else {
        struct table table;
        table_begin(&table, "lllrrrrrl");
        table_heading(&table,
                      "trace|verified|seed|agents|tick|polarization|clusters|distance|note");
        size_t heading = table.count;
        code = stored_traces(remote, skip, limit, trace_list_row, &table, &unreadable);
        if (code == 0 && table.count == heading && unreadable == 0)
            puts("no traces are kept");
        else if (code == 0)
            table_end(&table);
        table_release(&table);
    }
    remote_close(remote);
    return code == 0 && unreadable > 0 ? REPORT_INFRASTRUCTURE : code;
}

static const struct option trace_list_options[] = {
    {OPTION_ROW("limit", "N", WHOLE, "how many"), .preset = "20", .min = 1, .max = 10000},
    {OPTION_ROW("skip", "N", WHOLE, "leave out the newest N"), .preset = "0", .max = 1000000},
    {0},
};
static const struct option_group trace_list_group = {"List", trace_list_options};

const struct command command_trace_list = {
    .name = "trace list",
    .summary = "the claims that were verified and kept, newest first",
    .example = "susurration trace list --limit 5\n",
    .kind = JOB_KINDS,
    .group = {&trace_list_group, &option_group_redis, &option_group_output},
    .run = trace_list_run,
};

/* --- show, timeline ------------------------------------------------------------------------------
 */

static int trace_read(const struct args *args, struct remote **remote, struct trace *trace) {
    if (!job_id_is_legal(args->operand, strlen(args->operand)))
        return report_usage(args->command,
                            "a trace's id is 1 to 64 characters of A-Z a-z 0-9 . _ -");
    int code = remote_open(remote, args);
    if (code != 0)
        return code;
    code = stored_trace(*remote, args->operand, trace);
    if (code != 0)
        remote_close(*remote);
    return code;
}

static int trace_show_run(const struct args *args) {
    struct remote *remote = NULL;
    struct trace trace = {0};
    int code = trace_read(args, &remote, &trace);
    if (code != 0)
        return code;
    if (args_flag(args, "json"))
        output_json(trace_json(&trace));
    else
        trace_print(&trace);
    wire_release_trace(&trace);
    remote_close(remote);
    return 0;
}

const struct command command_trace_show = {
    .name = "trace show",
    .operand = "ID",
    .summary = "show a kept claim, whole",
    .example = "susurration trace show ID --json\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = trace_show_run,
};

static int trace_timeline_run(const struct args *args) {
    struct remote *remote = NULL;
    struct trace trace = {0};
    int code = trace_read(args, &remote, &trace);
    if (code != 0)
        return code;
    code = timeline_show(args, remote, trace.id, trace.job.ticks);
    wire_release_trace(&trace);
    remote_close(remote);
    return code;
}

const struct command command_trace_timeline = {
    .name = "trace timeline",
    .operand = "ID",
    .summary = "the metrics of a trace that was verified with --ring",
    .example = "susurration trace timeline ID --from 0\n",
    .kind = JOB_KINDS,
    .group = {&timeline_group, &option_group_redis, &option_group_output},
    .run = trace_timeline_run,
};
