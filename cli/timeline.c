/* SPDX-License-Identifier: MIT */
/* Ticks that the ring no longer holds have no row; columns in JSON, as a chart wants them. */
#include "timeline.h"

#include "mem.h"
#include "output.h"
#include "report.h"
#include "stored.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

#define TIMELINE_PRESET 20u

static const struct option timeline_options[] = {
    {OPTION_ROW("from", "TICK", WHOLE, "first tick; without it the last 20 are shown"), .min = 0,
     .max = UINT32_MAX},
    {OPTION_ROW("to", "TICK", WHOLE, "last tick; without it the latest"), .min = 0,
     .max = UINT32_MAX},
    {0},
};
const struct option_group timeline_group = {"Ticks", timeline_options};

/* Some ticks of a ring. */
struct timeline {
    const char *id;
    uint32_t from, to;
    struct sim_metrics *metrics; /* of tick from + i */
    bool *there;
};

static bool timeline_is_any(const struct timeline *timeline) {
    bool any = false;
    for (uint32_t i = 0; i <= timeline->to - timeline->from; i++)
        any = any || timeline->there[i];
    return any;
}

static void timeline_print_json(const struct timeline *timeline) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_timeline(&jot, NULL,
                   &(struct shape_timeline){.id = timeline->id,
                                            .from = timeline->from,
                                            .to = timeline->to,
                                            .first = timeline->from,
                                            .count = timeline->to - timeline->from + 1,
                                            .metrics = timeline->metrics,
                                            .there = timeline->there},
                   &shape_exact);
    output_json(output_parse(&text));
}

static void timeline_print(const struct timeline *timeline) {
    struct table table;
    table_begin(&table, "rrrr");
    table_heading(&table, "tick|polarization|clusters|distance");
    for (uint32_t i = 0; i <= timeline->to - timeline->from; i++) {
        const struct sim_metrics *metrics = &timeline->metrics[i];
        if (!timeline->there[i])
            continue;
        table_cell(&table, "%u", timeline->from + i);
        table_cell(&table, "%.4f", metrics->polarization);
        table_cell(&table, "%u", metrics->cluster_count);
        if (isfinite(metrics->mean_neighbor_distance))
            table_cell(&table, "%.4f", metrics->mean_neighbor_distance);
        else
            table_cell(&table, "none");
    }
    table_end(&table);
}

int timeline_show(const struct args *args, struct remote *remote, const char *id, uint32_t last) {
    struct timeline timeline = {.id = id, .to = last};
    if (args_is_given(args, "to") && args_whole(args, "to") < last)
        timeline.to = (uint32_t)args_whole(args, "to");
    if (args_is_given(args, "from"))
        timeline.from = (uint32_t)args_whole(args, "from");
    else if (timeline.to >= TIMELINE_PRESET)
        timeline.from = timeline.to - TIMELINE_PRESET + 1;
    if (timeline.from > timeline.to)
        return report_usage(args->command, "there is nothing from tick %u to %u: the latest is %u",
                            timeline.from, timeline.to, last);
    if (timeline.to - timeline.from >= RING_SLOTS)
        timeline.from = timeline.to - RING_SLOTS + 1;

    uint32_t count = timeline.to - timeline.from + 1;
    timeline.metrics = mem_zero(count, sizeof *timeline.metrics);
    timeline.there = mem_zero(count, sizeof *timeline.there);
    if (!timeline.metrics || !timeline.there)
        exit(report_infrastructure("out of memory"));
    int code =
        stored_ring(remote, id, timeline.from, timeline.to, timeline.metrics, timeline.there);
    if (code == 0 && !timeline_is_any(&timeline))
        code = report_rejected("no metrics of ticks %u to %u of %s are kept", timeline.from,
                               timeline.to, id);
    else if (code == 0)
        (args_flag(args, "json") ? timeline_print_json : timeline_print)(&timeline);
    free(timeline.metrics);
    free(timeline.there);
    return code;
}
