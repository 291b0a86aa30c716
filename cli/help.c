/* SPDX-License-Identifier: MIT */
/* Help is the tables in columns; a line too many here is a row too many there. */
#include "help.h"

#include "command.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26

static void help_column(const char *text, const char *help) {
    if (strlen(text) > HELP_COLUMN)
        printf("  %s\n  %-*s  %s", text, HELP_COLUMN, "", help);
    else
        printf("  %-*s  %s", HELP_COLUMN, text, help);
}

static void help_option(const struct command *command, const struct option *row) {
    char left[64];
    uint64_t min, max;
    (void)snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "",
                   row->value ? row->value : "");
    help_column(left, row->help);
    if (option_range(row, command->kind, &min, &max))
        printf(", %llu to %llu", (unsigned long long)min, (unsigned long long)max);
    if (row->preset)
        printf(" (%s)", row->preset);
    if (row->variant)
        printf(" ($%s)", row->variant);
    putchar('\n');
}

static void help_params(const struct model *model) {
    printf("\nParameters of model %s:\n", model->name);
    for (size_t i = 0; i < model->param_count; i++) {
        const struct model_param *param = &model->param[i];
        char left[64], right[128], min[32], max[32], preset[32];
        text_from_double(param->min, min);
        text_from_double(param->max, max);
        text_from_double(param->preset, preset);
        (void)snprintf(left, sizeof left, "--%s %s", param->name, param->integral ? "N" : "X");
        for (char *c = left; *c; c++)
            if (*c == '_')
                *c = '-';
        (void)snprintf(right, sizeof right, "%s to %s%s (%s)", min, max,
                       param->integral ? ", a whole number" : "", preset);
        help_column(left, right);
        putchar('\n');
    }
}

void help_print(const struct command *command) {
    printf("susurration %s%s%s [OPTION]...\n", command->name, command->operand ? " " : "",
           command->operand ? command->operand : "");
    printf("  %s\n", command->summary);
    if (command->text)
        printf("\n%s", command->text);
    for (size_t i = 0; i < COMMAND_GROUPS_MAX && command->group[i]; i++) {
        const struct option_group *group = command->group[i];
        printf("\n%s:\n", group->title);
        for (const struct option *row = group->option; row->name; row++)
            help_option(command, row);
    }
    for (size_t m = 0; command->params && m < MODEL_COUNT; m++)
        help_params(model_at(m));
    (void)fputs("\nExamples:\n", stdout);
    for (const char *line = command->example; *line; line += strcspn(line, "\n") + 1)
        printf("  %.*s\n", (int)strcspn(line, "\n"), line);
}

static bool help_is_below(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] == ' ';
}

void help_print_list(const char *prefix) {
    printf("susurration %s [OPTION]...\n", prefix ? prefix : "COMMAND");
    if (!prefix)
        puts("  flocks, simulated to the last bit");
    (void)fputs("\nCommands:\n", stdout);
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        char left[64];
        if (prefix && !help_is_below(command->name, prefix))
            continue;
        (void)snprintf(left, sizeof left, "%s%s%s", command->name, command->operand ? " " : "",
                       command->operand ? command->operand : "");
        help_column(left, command->summary);
        putchar('\n');
    }
    puts("\n'susurration COMMAND --help' says more of one; 'susurration --version' which this is.");
}
