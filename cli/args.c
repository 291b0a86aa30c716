/* SPDX-License-Identifier: MIT */
/*
 * --name value, --name=value, flags and one operand. Every parameter of every model is an option
 * too, under its own name: which model it belongs to is only known once all of the line is read, so
 * parameters are kept by name here and given their place in claim.c.
 */
#include "args.h"

#include "mem.h"
#include "nearest.h"
#include "param.h"
#include "report.h"
#include "text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct option *args_option(const struct command *command, const char *name,
                                        size_t length) {
    for (size_t i = 0; i < COMMAND_GROUPS_MAX && command->group[i]; i++) {
        const struct option *found = option_find(command->group[i]->option, name, length);
        if (found)
            return found;
    }
    return NULL;
}

/* Whether some model has that parameter. */
static bool args_is_param(const char *name, size_t length) {
    for (size_t m = 0; m < MODEL_COUNT; m++)
        if (param_find(model_at(m), name, length) >= 0)
            return true;
    return false;
}

static int args_unknown(const struct command *command, const char *name, size_t length) {
    char shown[64];
    struct nearest nearest;
    nearest_begin(&nearest, name, length);
    for (size_t i = 0; i < COMMAND_GROUPS_MAX && command->group[i]; i++)
        for (const struct option *row = command->group[i]->option; row->name; row++)
            nearest_offer(&nearest, row->name);
    for (size_t m = 0; command->params && m < MODEL_COUNT; m++)
        for (size_t p = 0; p < model_at(m)->param_count; p++)
            nearest_offer(&nearest, model_at(m)->param[p].name);
    text_printable(name, length, shown, sizeof shown);
    if (nearest.best)
        return report_usage(command, "'%s' has no option '--%s'; did you mean '--%s'?",
                            command->name, shown, nearest.best);
    return report_usage(command, "'%s' has no option '--%s'", command->name, shown);
}

/* One word that begins with "--", and *next, which may be its value (NULL: there is none). */
static int args_parse_option(struct args *args, const char *word, char **next, bool *took_next) {
    const struct command *command = args->command;
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    struct args_item item = {.option = args_option(command, name, length)};
    char why[320];

    if (!item.option && !(command->params && args_is_param(name, length)))
        return args_unknown(command, name, length);
    if (item.option && item.option->type == OPTION_FLAG) {
        if (value)
            return report_usage(command, "--%s takes no value", item.option->name);
        args->item[args->count++] = item;
        return 0;
    }
    if (!value) {
        if (!*next || strncmp(*next, "--", 2) == 0)
            return report_usage(command, "--%.*s needs a value: --%.*s %s", (int)length, name,
                                (int)length, name, item.option ? item.option->value : "NUMBER");
        value = *next;
        *took_next = true;
    }
    item.value = value;
    if (!item.option) {
        item.param = name;
        item.param_length = length;
    } else if (!option_check(item.option, command->kind, value, why, sizeof why)) {
        return report_usage(command, "%s", why);
    }
    args->item[args->count++] = item;
    return 0;
}

int args_parse(struct args *args, const struct command *command, int argc, char **argv) {
    *args = (struct args){.command = command};
    args->item = mem_zero((size_t)argc + 1, sizeof *args->item);
    if (!args->item)
        return report_infrastructure("out of memory");
    bool options = true;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "-h") == 0)
            word = "--help";
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && strncmp(word, "--", 2) == 0) {
            bool took_next = false;
            int code = args_parse_option(args, word, &argv[i + 1], &took_next);
            if (code != 0)
                return code;
            i += took_next;
        } else if (options && word[0] == '-' && word[1] != '\0') {
            return report_usage(command, "options are written with two dashes: '-%s'", word);
        } else if (!command->operand) {
            return report_usage(command, "'%s' takes no operand, got '%s'", command->name, word);
        } else if (args->operand) {
            return report_usage(command, "'%s' takes one %s, got '%s' and '%s'", command->name,
                                command->operand, args->operand, word);
        } else {
            args->operand = word;
        }
    }
    if (command->operand && !args->operand && !args_flag(args, "help"))
        return report_usage(command, "'%s' needs %s: susurration %s %s", command->name,
                            command->operand, command->name, command->operand);
    return 0;
}

void args_release(struct args *args) {
    free(args->item);
    args->item = NULL;
    args->count = 0;
}

static const struct args_item *args_find(const struct args *args, const char *name) {
    for (size_t i = args->count; i-- > 0;)
        if (args->item[i].option && strcmp(args->item[i].option->name, name) == 0)
            return &args->item[i];
    return NULL;
}

bool args_is_given(const struct args *args, const char *name) {
    return args_find(args, name) != NULL;
}

bool args_flag(const struct args *args, const char *name) {
    return args_is_given(args, name);
}

const char *args_text(const struct args *args, const char *name) {
    const struct args_item *item = args_find(args, name);
    if (item)
        return item->value;
    const struct option *option = args_option(args->command, name, strlen(name));
    assert(option); /* a command that asks for what its table does not have */
    const char *variant = option->variant ? getenv(option->variant) : NULL;
    return variant && *variant ? variant : option->preset;
}

uint64_t args_whole(const struct args *args, const char *name) {
    const char *text = args_text(args, name);
    uint64_t value = 0;
    return text && text_to_uint(text, 0, UINT64_MAX, &value) ? value : 0;
}
