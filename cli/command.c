/* SPDX-License-Identifier: MIT */
/* The list of commands, and the way from the first words of a command line to one of them. */
#include "command.h"

#include "args.h"
#include "engine.h"
#include "help.h"
#include "nearest.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

const struct command *const command_table[] = {
    &command_verify,
    &command_sweep,
    &command_session_create,
    &command_session_step,
    &command_session_set,
    &command_session_show,
    &command_session_timeline,
    &command_trace_list,
    &command_trace_show,
    &command_trace_timeline,
    &command_status,
    &command_workers,
    &command_cancel,
    &command_pause,
    &command_resume,
    &command_dead_list,
    &command_dead_requeue,
    &command_speed,
    &command_diff,
    &command_dump,
};
const size_t command_count = sizeof command_table / sizeof command_table[0];

#define COMMAND_NAME_MAX 63

/* How many of the words make up `name`; 0: they do not begin with it. */
static int command_match(const char *name, int argc, char **argv) {
    for (int used = 0; used < argc;) {
        size_t length = strlen(argv[used]);
        if (length == 0 || strncmp(name, argv[used++], length) != 0)
            return 0;
        name += length;
        if (*name == '\0')
            return used;
        if (*name++ != ' ')
            return 0;
    }
    return 0;
}

/* The command that the words begin with; *used is how many they were. NULL if there is none. */
static const struct command *command_find(int argc, char **argv, int *used) {
    for (size_t i = 0; i < command_count; i++) {
        *used = command_match(command_table[i]->name, argc, argv);
        if (*used > 0)
            return command_table[i];
    }
    return NULL;
}

/* True where the word is the first of several commands ("session"). */
static bool command_is_family(const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i < command_count; i++)
        if (strncmp(command_table[i]->name, word, length) == 0 &&
            command_table[i]->name[length] == ' ')
            return true;
    return false;
}

/* What a person may have meant by words that are no command: a command's name, or NULL. */
static const char *command_guess(const char *typed) {
    struct nearest nearest;
    nearest_begin(&nearest, typed, strlen(typed));
    for (size_t i = 0; i < command_count; i++)
        nearest_offer(&nearest, command_table[i]->name);
    return nearest.best;
}

/* What was typed is the first word, and the second too where commands have two. */
static int command_unknown(int argc, char **argv) {
    char typed[COMMAND_NAME_MAX + 1], shown[COMMAND_NAME_MAX + 1];
    bool two = argc > 1 && argv[1][0] != '-';
    (void)snprintf(typed, sizeof typed, "%s%s%s", argv[0], two ? " " : "", two ? argv[1] : "");
    const char *guess = command_guess(typed);
    if (!guess && !command_is_family(argv[0])) {
        (void)snprintf(typed, sizeof typed, "%s", argv[0]);
        guess = command_guess(typed);
    }
    text_printable(typed, strlen(typed), shown, sizeof shown);
    if (guess)
        return report_usage(NULL, "there is no command '%s'; did you mean '%s'?", shown, guess);
    return report_usage(NULL, "there is no command '%s'", shown);
}

static int command_run(const struct command *command, int argc, char **argv) {
    struct args args;
    int code = args_parse(&args, command, argc, argv);
    if (code == 0 && args_flag(&args, "help"))
        help_print(command);
    else if (code == 0)
        code = command->run(&args);
    args_release(&args);
    return code;
}

static int command_help(int argc, char **argv) {
    int used;
    const struct command *command = command_find(argc, argv, &used);
    if (command)
        help_print(command);
    else if (argc == 0)
        help_print_list(NULL);
    else if (command_is_family(argv[0]))
        help_print_list(argv[0]);
    else
        return command_unknown(argc, argv);
    return REPORT_OK;
}

int command_main(int argc, char **argv) {
    int used;
    if (argc == 0) {
        help_print_list(NULL);
        return REPORT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
        strcmp(argv[0], "help") == 0)
        return command_help(argc - 1, argv + 1);
    if (strcmp(argv[0], "--version") == 0) {
        printf("susurration %s (engine %s)\n", SUSURRATION_VERSION, engine_best()->isa);
        return REPORT_OK;
    }
    const struct command *command = command_find(argc, argv, &used);
    if (command)
        return command_run(command, argc - used, argv + used);
    if (command_is_family(argv[0]) && (argc == 1 || strcmp(argv[1], "--help") == 0)) {
        help_print_list(argv[0]);
        return argc == 1 ? REPORT_USAGE : REPORT_OK;
    }
    return command_unknown(argc, argv);
}
