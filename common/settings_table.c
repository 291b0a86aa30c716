/* SPDX-License-Identifier: MIT */
/* getopt_long gets its own table from the rows, --help its lines. Before anything else runs; one
 * thread. */
#include "settings_table.h"

#include "log.h"
#include "text.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

int settings_set_number(const struct settings_row *row, const char *value, void *field, char *why,
                        size_t why_size) {
    uint64_t number;
    if (!text_to_uint(value, row->min, row->max, &number)) {
        (void)snprintf(why, why_size, "--%s: a whole number from %u to %u, not \"%s\"", row->name,
                       row->min, row->max, value);
        return -1;
    }
    *(unsigned *)field = (unsigned)number;
    return 0;
}

int settings_set_text(const struct settings_row *row, const char *value, void *field, char *why,
                      size_t why_size) {
    if (strlen(value) < row->min) {
        (void)snprintf(why, why_size, "--%s: %s must not be empty", row->name, row->value);
        return -1;
    }
    *(const char **)field = value;
    return 0;
}

int settings_set_name(const struct settings_row *row, const char *value, void *field, char *why,
                      size_t why_size) {
    if (!row->legal(value, strlen(value)) || strlen(value) > row->max) {
        (void)snprintf(why, why_size, "--%s: 1 to %u of A-Z a-z 0-9 . _ -, not \"%s\"", row->name,
                       row->max, value);
        return -1;
    }
    *(const char **)field = value;
    return 0;
}

int settings_set_level(const struct settings_row *row, const char *value, void *field, char *why,
                       size_t why_size) {
    if (log_level_find(value, field) == 0)
        return 0;
    (void)snprintf(why, why_size, "--%s: debug, info, warning or error, not \"%s\"", row->name,
                   value);
    return -1;
}

int settings_set_format(const struct settings_row *row, const char *value, void *field, char *why,
                        size_t why_size) {
    if (log_format_find(value, field) == 0)
        return 0;
    (void)snprintf(why, why_size, "--%s: logfmt or json, not \"%s\"", row->name, value);
    return -1;
}

enum {
    SETTINGS_FIRST_VALUE = 256, /* what getopt_long returns for row 0; beyond every character */
    SETTINGS_VALUE_HELP = SETTINGS_FIRST_VALUE + SETTINGS_ROWS_MAX,
    SETTINGS_VALUE_VERSION,
};

static void settings_make_options(const struct settings_table *table, struct option *options) {
    size_t i = 0;
    assert(table->count <= SETTINGS_ROWS_MAX);
    for (; i < table->count; i++)
        options[i] = (struct option){table->row[i].name, required_argument, NULL,
                                     SETTINGS_FIRST_VALUE + (int)i};
    options[i++] = (struct option){"help", no_argument, NULL, SETTINGS_VALUE_HELP};
    options[i++] = (struct option){"version", no_argument, NULL, SETTINGS_VALUE_VERSION};
    options[i] = (struct option){0};
}

static int settings_set(void *fields, const struct settings_row *row, const char *value, char *why,
                        size_t why_size) {
    return row->set(row, value, (char *)fields + row->offset, why, why_size);
}

/* Environment and defaults of what the command line has not given. */
static int settings_fill(const struct settings_table *table, void *fields, const bool *given,
                         char *why, size_t why_size) {
    for (size_t i = 0; i < table->count; i++) {
        const struct settings_row *row = &table->row[i];
        const char *value = row->environment ? getenv(row->environment) : NULL;
        if (!value || !*value)
            value = row->preset;
        if (!given[i] && value && settings_set(fields, row, value, why, why_size) != 0)
            return -1;
    }
    return 0;
}

/* What getopt_long did not like: argv as the user typed it. */
static void settings_complain(int code, char **argv, char *why, size_t why_size) {
    const char *typed = argv[optind - 1];
    if (code == ':')
        (void)snprintf(why, why_size, "%s needs a value", typed);
    else
        (void)snprintf(why, why_size, "there is no option %s", typed);
}

enum settings_outcome settings_table_read(const struct settings_table *table, void *fields,
                                          bool given[SETTINGS_ROWS_MAX], int argc, char **argv,
                                          char *why, size_t why_size) {
    struct option options[SETTINGS_ROWS_MAX + 3];
    settings_make_options(table, options);
    memset(given, 0, SETTINGS_ROWS_MAX * sizeof *given);
    optind = 0; /* glibc and musl: forget an earlier scan */
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (code < SETTINGS_FIRST_VALUE) {
            settings_complain(code, argv, why, why_size);
            return SETTINGS_WRONG;
        }
        if (code >= SETTINGS_VALUE_HELP)
            return code == SETTINGS_VALUE_HELP ? SETTINGS_HELP : SETTINGS_VERSION;
        size_t index = (size_t)(code - SETTINGS_FIRST_VALUE);
        if (settings_set(fields, &table->row[index], optarg, why, why_size) != 0)
            return SETTINGS_WRONG;
        given[index] = true;
    }
    if (optind < argc) {
        (void)snprintf(why, why_size, "everything is an option here; what is \"%s\"?",
                       argv[optind]);
        return SETTINGS_WRONG;
    }
    return settings_fill(table, fields, given, why, why_size) == 0 ? SETTINGS_GO : SETTINGS_WRONG;
}

void settings_table_help(const struct settings_table *table, FILE *out) {
    (void)fputs(table->usage, out);
    for (size_t i = 0; i < table->count; i++) {
        const struct settings_row *row = &table->row[i];
        char left[48];
        (void)snprintf(left, sizeof left, "--%s %s", row->name, row->value);
        (void)fprintf(out, "  %-24s %s", left, row->help);
        if (row->preset)
            (void)fprintf(out, " (default: %s)", row->preset);
        if (row->environment)
            (void)fprintf(out, " [%s]", row->environment);
        (void)fputc('\n', out);
    }
    (void)fputs("  --help                   this text\n"
                "  --version                the version\n"
                "\n"
                "A name in brackets is the environment variable that stands in for the option.\n",
                out);
    (void)fputs(table->notes, out);
}
