/* SPDX-License-Identifier: MIT */
#pragma once
/* A command line, taken apart and checked by the tables of its command. */
#include "command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct args_item {
    const struct option *option; /* NULL: a model's parameter */
    const char *value;           /* NULL for a flag; borrowed from argv */
    const char *param;           /* a parameter's name, with length; may have - for _ */
    size_t param_length;
};

struct args {
    const struct command *command;
    const char *operand; /* NULL: none was given */
    struct args_item *item;
    size_t count;
};

/*
 * Takes apart what follows the command's name. 0, or the exit code after having said what is wrong.
 * Release it in either case.
 */
int args_parse(struct args *args, const struct command *command, int argc, char **argv);
void args_release(struct args *args);

/*
 * What was given under that name, else the option's environment variable, else its default. Values
 * are checked already. args_text: NULL if there is none of the three. Of an option given twice the
 * last counts.
 */
bool args_flag(const struct args *args, const char *name);
const char *args_text(const struct args *args, const char *name);
uint64_t args_whole(const struct args *args, const char *name); /* 0 if there is none */
bool args_is_given(const struct args *args, const char *name);
