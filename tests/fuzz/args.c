/* SPDX-License-Identifier: MIT */
/*
 * Command lines of `susurration`: the first byte chooses the command, lines are arguments. What is
 * taken as a job is one that the worker's decoder takes as well, and no option is taken whose value
 * its own table does not allow.
 */
#include "fuzz.h"

#include "args.h"
#include "claim.h"
#include "report.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 40 };

/* What the command itself adds, which needs no option. */
static void complete(const struct command *command, struct job *job) {
    strcpy(job->id, "id");
    if (job->kind == JOB_SESSION_STEP || job->kind == JOB_SESSION_PARAMS)
        strcpy(job->session, "s");
    if (job->kind == JOB_SWEEP)
        job->seeds.count = 1;
    if (command == &command_speed)
        job->ticks = 1;
}

static void check_job(const struct command *command, struct job *job) {
    struct mem_buffer bytes = {0};
    struct job back;
    struct fault fault;
    complete(command, job);
    assert(wire_encode_job(job, &bytes) == 0);
    bool is_taken = wire_decode_job(bytes.data, bytes.size, "0-1", &back, &fault) == 0;
    /* `session set` asks for a parameter to set by itself. */
    assert(is_taken || (job->kind == JOB_SESSION_PARAMS && job->params_set == 0));
    job_release(&back);
    mem_buffer_release(&bytes);
}

static void check_options(const struct args *args) {
    for (size_t i = 0; i < args->count; i++) {
        const struct args_item *item = &args->item[i];
        assert(item->option || (args->command->params && item->param && item->param_length > 0));
        assert(item->value || (item->option && item->option->type == OPTION_FLAG));
        if (item->option && item->option->type == OPTION_WHOLE) {
            uint64_t whole = args_whole(args, item->option->name);
            assert(whole >= item->option->min && whole <= item->option->max);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *argv[ARGS_MAX + 1], *rest = text;
    const struct command *command = command_table[size > 0 ? data[0] % command_count : 0];
    struct args args;
    struct job job;
    int argc = 0;
    assert(text);
    if (size > 0)
        memcpy(text, data + 1, size - 1);
    text[size > 0 ? size - 1 : 0] = '\0';
    while (argc < ARGS_MAX && rest)
        argv[argc++] = strsep(&rest, "\n");
    argv[argc] = NULL;
    int code = args_parse(&args, command, argc, argv);
    assert(code == 0 || code == REPORT_USAGE);
    if (code == 0)
        check_options(&args);
    if (code == 0 && command->kind != JOB_KINDS) {
        code = claim_read(&args, NULL, &job);
        assert(code == 0 || code == REPORT_USAGE);
        if (code == 0)
            check_job(command, &job);
        job_release(&job);
    }
    args_release(&args);
    free(text);
    return 0;
}
