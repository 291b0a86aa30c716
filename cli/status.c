/* SPDX-License-Identifier: MIT */
/*
 * `susurration status|workers`: what Redis says of a queue and its workers. The answer is made into
 * a tree while it is there, and both ways of printing read the tree.
 */
#include "args.h"
#include "output.h"
#include "remote.h"
#include "report.h"
#include "shape_queue.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct status_answer {
    struct remote *remote;
    int code;
    json_t *tree; /* owned */
};

/* --- from the answer to a tree -------------------------------------------------------------------
 */

static void status_on_answer(void *context, const struct link_reply *reply) {
    struct status_answer *answer = context;
    answer->code = remote_check_answer(answer->remote, reply);
    if (answer->code != 0)
        return;
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    jot_open_map(&jot, NULL);
    shape_counts(&jot, reply);
    shape_workers(&jot, "workers", reply);
    shape_running(&jot, "running", reply);
    shape_lanes(&jot, reply);
    shape_stats(&jot, reply);
    jot_close_map(&jot);
    answer->tree = output_parse(&text);
}

int remote_status(struct remote *remote, json_t **tree) {
    struct status_answer answer = {.remote = remote};
    int status = queue_status(remote_queue(remote), status_on_answer, &answer);
    *tree = answer.tree;
    return status != 0 ? remote_check_sent(remote, status) : answer.code;
}

/* --- printing ------------------------------------------------------------------------------------
 */

static long long status_number(const json_t *map, const char *name) {
    return json_integer_value(json_object_get(map, name));
}

/* "850 ms", "12 s", "3 min": how old something is. */
static void status_age(long long ms, char *out, size_t out_size) {
    if (ms < 1000)
        (void)snprintf(out, out_size, "%lld ms", ms);
    else if (ms < 120000)
        (void)snprintf(out, out_size, "%lld s", ms / 1000);
    else
        (void)snprintf(out, out_size, "%lld min", ms / 60000);
}

static void status_print_lanes(const json_t *tree) {
    static const char *const lanes[] = {"interactive", "batch"};
    struct table table;
    table_begin(&table, "lrrrr");
    table_heading(&table, "lane|waiting|next|running|oldest waits");
    for (size_t i = 0; i < 2; i++) {
        const json_t *lane = json_object_get(tree, lanes[i]);
        char age[32] = "-";
        if (status_number(lane, "oldest_ms") > 0)
            status_age(status_number(lane, "oldest_ms"), age, sizeof age);
        table_cell(&table, "%s", lanes[i]);
        table_cell(&table, "%lld", status_number(lane, "waiting"));
        table_cell(&table, "%lld", status_number(lane, "next"));
        table_cell(&table, "%lld", status_number(lane, "running"));
        table_cell(&table, "%s", age);
    }
    table_end(&table);
}

static void status_print_pairs(const char *title, const json_t *map) {
    if (json_object_size(map) == 0)
        return;
    printf("\n%s\n", title);
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)map, name, value) {
        if (json_is_integer(value))
            output_line(name, "%lld", (long long)json_integer_value(value));
        else
            output_line(name, "%s", json_string_value(value));
    }
}

static size_t status_alive(const json_t *tree) {
    size_t index, alive = 0;
    const json_t *worker;
    json_array_foreach(json_object_get(tree, "workers"), index, worker) {
        alive += json_is_true(json_object_get(worker, "alive"));
    }
    return alive;
}

static const char *status_text(const json_t *map, const char *name) {
    const char *text = json_string_value(json_object_get(map, name));
    return text ? text : "-";
}

static void status_print_running(const json_t *tree) {
    struct table table;
    size_t index;
    const json_t *job, *list = json_object_get(tree, "running");
    if (json_array_size(list) == 0)
        return;
    puts("\nrunning");
    table_begin(&table, "lllrrr");
    table_heading(&table, "  job|kind|worker|attempt|done|since");
    json_array_foreach((json_t *)list, index, job) {
        char age[32];
        long long total = status_number(job, "total");
        status_age(status_number(job, "started_ms_ago"), age, sizeof age);
        table_cell(&table, "  %s", status_text(job, "id"));
        table_cell(&table, "%s", status_text(job, "kind"));
        table_cell(&table, "%s", status_text(job, "worker"));
        table_cell(&table, "%lld", status_number(job, "attempt"));
        table_cell(&table, "%lld%%", total > 0 ? 100 * status_number(job, "done") / total : 0);
        table_cell(&table, "%s", age);
    }
    table_end(&table);
}

static void status_print(const char *queue, const json_t *tree) {
    printf("queue %s%s\n\n", queue,
           json_is_true(json_object_get(tree, "paused")) ? ", paused: nothing new starts" : "");
    status_print_lanes(tree);
    putchar('\n');
    size_t alive = status_alive(tree);
    if (alive > 0)
        output_line("workers", "%zu", alive);
    else
        output_line("workers", "none: start susurration-worker");
    output_line("dead letters", "%lld", status_number(tree, "dead"));
    output_line("traces kept", "%lld", status_number(tree, "traces"));
    status_print_running(tree);
    status_print_pairs("counters", json_object_get(tree, "stats"));
    status_print_pairs("config, where it is not the default", json_object_get(tree, "config"));
}

static void status_print_workers(const json_t *tree) {
    struct table table;
    size_t index;
    const json_t *worker;
    if (json_array_size(json_object_get(tree, "workers")) == 0) {
        puts("no workers: start susurration-worker");
        return;
    }
    table_begin(&table, "llrrrrrlr");
    table_heading(&table, "worker|state|slots|running|waiting|done|memory|engine|last beat");
    json_array_foreach(json_object_get(tree, "workers"), index, worker) {
        char age[32];
        bool alive = json_is_true(json_object_get(worker, "alive"));
        status_age(status_number(worker, "beat_ms_ago"), age, sizeof age);
        table_cell(&table, "%s", status_text(worker, "name"));
        table_cell(&table, "%s", alive ? status_text(worker, "state") : "silent");
        table_cell(&table, "%lld", status_number(worker, "slots"));
        table_cell(&table, "%lld", status_number(worker, "running"));
        table_cell(&table, "%lld", status_number(worker, "waiting"));
        table_cell(&table, "%lld", status_number(worker, "done"));
        table_cell(&table, "%.1f MiB", (double)status_number(worker, "rss_bytes") / (1 << 20));
        table_cell(&table, "%s %s", status_text(worker, "version"), status_text(worker, "isa"));
        table_cell(&table, "%s ago", age);
    }
    table_end(&table);
}

/* --- the commands --------------------------------------------------------------------------------
 */

static int status_read(const struct args *args, json_t **tree) {
    struct remote *remote;
    int code = remote_open(&remote, args);
    if (code != 0)
        return code;
    code = remote_status(remote, tree);
    remote_close(remote);
    return code;
}

static int status_run(const struct args *args) {
    json_t *tree;
    const char *queue = args_text(args, "queue");
    int code = status_read(args, &tree);
    if (code != 0)
        return code;
    if (args_flag(args, "json")) {
        json_t *root = output_object();
        output_set(root, "queue", output_text(queue));
        output_add_missing(root, tree);
        output_json(root);
    } else {
        status_print(queue, tree);
    }
    json_decref(tree);
    return 0;
}

const struct command command_status = {
    .name = "status",
    .summary = "how much waits and runs, who works, what has died",
    .example = "susurration status\n"
               "susurration status --queue main --json\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = status_run,
};

static int status_workers_run(const struct args *args) {
    json_t *tree;
    int code = status_read(args, &tree);
    if (code != 0)
        return code;
    if (args_flag(args, "json"))
        output_json(json_incref(json_object_get(tree, "workers")));
    else
        status_print_workers(tree);
    json_decref(tree);
    return 0;
}

const struct command command_workers = {
    .name = "workers",
    .summary = "the workers of the queue and when each was heard last",
    .example = "susurration workers\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = status_workers_run,
};
