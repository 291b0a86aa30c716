/* SPDX-License-Identifier: MIT */
/* `susurration cancel|pause|resume`: one request to the queue each, and what became of it. */
#include "args.h"
#include "output.h"
#include "remote.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

struct queue_command_answer {
    struct remote *remote;
    int code;
    enum queue_cancelled cancelled;
};

static void queue_command_on_cancelled(void *context, const struct link_reply *reply) {
    struct queue_command_answer *answer = context;
    answer->code = remote_check_answer(answer->remote, reply);
    if (answer->code == 0 && queue_read_cancel(reply, &answer->cancelled) != 0)
        answer->code = report_infrastructure("an answer from Redis that cannot be read");
}

static const char *const queue_command_cancels[QUEUE_CANCELS] = {
    [QUEUE_CANCEL_CANCELLED] = "cancelled before it ran",
    [QUEUE_CANCEL_CANCELLING] = "its worker is told to stop",
    [QUEUE_CANCEL_DONE] = "done already",
    [QUEUE_CANCEL_UNKNOWN] = "no such job",
};

static int queue_command_cancel_run(const struct args *args) {
    if (!job_id_is_legal(args->operand, strlen(args->operand)))
        return report_usage(args->command, "a job's id is 1 to 64 characters of A-Z a-z 0-9 . _ -");
    struct queue_command_answer answer = {0};
    int code = remote_open(&answer.remote, args);
    if (code != 0)
        return code;
    code = remote_check_sent(answer.remote, queue_cancel(remote_queue(answer.remote), args->operand,
                                                         queue_command_on_cancelled, &answer));
    remote_close(answer.remote);
    if (code != 0 || answer.code != 0)
        return code != 0 ? code : answer.code;

    if (args_flag(args, "json")) {
        json_t *root = output_object();
        output_set(root, "id", output_text(args->operand));
        output_set(root, "state", output_text(queue_cancel_name(answer.cancelled)));
        output_json(root);
    } else {
        printf("%s: %s\n", args->operand, queue_command_cancels[answer.cancelled]);
    }
    return answer.cancelled <= QUEUE_CANCEL_CANCELLING ? REPORT_OK : REPORT_REJECTED;
}

const struct command command_cancel = {
    .name = "cancel",
    .operand = "ID",
    .summary = "take a job out of the queue, or stop it where it runs",
    .text = "Ends with 1 when there is nothing to cancel: no such job, or it is done.\n",
    .example = "susurration cancel ID\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = queue_command_cancel_run,
};

static void queue_command_on_set(void *context, const struct link_reply *reply) {
    struct queue_command_answer *answer = context;
    answer->code = remote_check_answer(answer->remote, reply);
}

/* `paused` NULL: no longer. */
static int queue_command_set_paused(const struct args *args, const char *paused) {
    struct queue_command_answer answer = {0};
    int code = remote_open(&answer.remote, args);
    if (code != 0)
        return code;
    code = remote_check_sent(answer.remote, queue_configure(remote_queue(answer.remote), "paused",
                                                            paused, queue_command_on_set, &answer));
    remote_close(answer.remote);
    if (code != 0 || answer.code != 0)
        return code != 0 ? code : answer.code;
    if (args_flag(args, "json")) {
        json_t *root = output_object();
        output_set(root, "queue", output_text(args_text(args, "queue")));
        output_set(root, "paused", json_boolean(paused));
        output_json(root);
    } else {
        printf("queue %s %s\n", args_text(args, "queue"),
               paused ? "is paused: what runs goes on, nothing new starts" : "goes on");
    }
    return 0;
}

static int queue_command_pause_run(const struct args *args) {
    return queue_command_set_paused(args, "1");
}

static int queue_command_resume_run(const struct args *args) {
    return queue_command_set_paused(args, NULL);
}

const struct command command_pause = {
    .name = "pause",
    .summary = "start nothing new on the queue; what runs goes on",
    .example = "susurration pause\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = queue_command_pause_run,
};

const struct command command_resume = {
    .name = "resume",
    .summary = "undo pause",
    .example = "susurration resume\n",
    .kind = JOB_KINDS,
    .group = {&option_group_redis, &option_group_output},
    .run = queue_command_resume_run,
};
