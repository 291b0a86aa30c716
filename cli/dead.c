/* SPDX-License-Identifier: MIT */
/* `susurration dead ...`: jobs that were taken out of the queue, and putting them back. */
#include "args.h"
#include "output.h"
#include "remote.h"
#include "report.h"
#include "shape_queue.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

struct dead_answer {
    struct remote *remote;
    int code;
    json_t *list;             /* owned */
    struct queue_place place; /* of a requeue */
};

static void dead_on_list(void *context, const struct link_reply *reply) {
    struct dead_answer *answer = context;
    answer->code = remote_check_answer(answer->remote, reply);
    if (answer->code != 0)
        return;
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_dead(&jot, NULL, reply);
    answer->list = output_parse(&text);
}

static void dead_print(const json_t *list) {
    struct table table;
    size_t index;
    const json_t *letter;
    if (json_array_size(list) == 0) {
        puts("no dead letters");
        return;
    }
    table_begin(&table, "llrll");
    table_heading(&table, "dead letter|job|losses|last worker|reason");
    json_array_foreach((json_t *)list, index, letter) {
        table_cell(&table, "%s", json_string_value(json_object_get(letter, "dead_id")));
        table_cell(&table, "%s", json_string_value(json_object_get(letter, "id")));
        table_cell(&table, "%lld",
                   (long long)json_integer_value(json_object_get(letter, "losses")));
        table_cell(&table, "%s", json_string_value(json_object_get(letter, "worker")));
        table_cell(&table, "%s", json_string_value(json_object_get(letter, "reason")));
    }
    table_end(&table);
}

static int dead_list_run(const struct args *args) {
    struct dead_answer answer = {0};
    int code = remote_open(&answer.remote, args);
    if (code != 0)
        return code;
    code = remote_check_sent(
        answer.remote,
        queue_dead(remote_queue(answer.remote), args_whole(args, "limit"), dead_on_list, &answer));
    remote_close(answer.remote);
    if (code != 0 || answer.code != 0)
        return code != 0 ? code : answer.code;
    if (args_flag(args, "json")) {
        output_json(answer.list);
    } else {
        dead_print(answer.list);
        json_decref(answer.list);
    }
    return 0;
}

static const struct option dead_list_options[] = {
    {OPTION_ROW("limit", "N", WHOLE, "how many"), .preset = "20", .min = 1, .max = 10000},
    {0},
};
static const struct option_group dead_list_group = {"List", dead_list_options};

const struct command command_dead_list = {
    .name = "dead list",
    .summary = "jobs that were given up, newest first",
    .example = "susurration dead list\n",
    .kind = JOB_KINDS,
    .group = {&dead_list_group, &option_group_redis, &option_group_output},
    .run = dead_list_run,
};

static void dead_on_requeued(void *context, const struct link_reply *reply) {
    struct dead_answer *answer = context;
    answer->code = remote_check_answer(answer->remote, reply);
    if (answer->code == 0 && queue_read_requeue(reply, 0, &answer->place) != 0)
        answer->code = report_infrastructure("an answer from Redis that cannot be read");
}

static int dead_requeue_run(const struct args *args) {
    struct dead_answer answer = {0};
    int code = remote_open(&answer.remote, args);
    if (code != 0)
        return code;
    code = remote_check_sent(answer.remote, queue_requeue(remote_queue(answer.remote),
                                                          (const char *[]){args->operand}, 1,
                                                          dead_on_requeued, &answer));
    remote_close(answer.remote);
    if (code != 0 || answer.code != 0)
        return code != 0 ? code : answer.code;
    if (answer.place.state == QUEUE_STATE_UNKNOWN)
        return report_rejected("there is no dead letter %s; 'susurration dead list' shows them",
                               args->operand);
    if (args_flag(args, "json")) {
        json_t *root = output_object();
        output_set(root, "dead_id", output_text(args->operand));
        output_set(root, "state", output_text(queue_state_name(answer.place.state)));
        output_set(root, "ref", output_text(answer.place.ref));
        output_json(root);
    } else {
        printf("%s: %s %s\n", args->operand, queue_state_name(answer.place.state),
               answer.place.ref);
    }
    return 0;
}

const struct command command_dead_requeue = {
    .name = "dead requeue",
    .operand = "DEAD_ID",
    .summary = "put a dead letter back into the queue",
    .example = "susurration dead requeue 1764500000000-0\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = dead_requeue_run,
};
