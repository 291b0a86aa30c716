/* SPDX-License-Identifier: MIT */
/*
 * An option is a row: its name, what stands for its value in the help, its default, its environment
 * variable, and how its value is checked and stored. getopt_long gets its own table from the rows,
 * --help its lines. Before anything else runs; one thread.
 */
#include "settings.h"

#include "text.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct settings_row;
typedef int settings_set_fn(const struct settings_row *row, const char *value, void *field,
                            char *why, size_t why_size);

struct settings_row {
    const char *name, *value; /* --name VALUE */
    const char *preset;       /* as text; NULL: none, or found out */
    const char *environment;  /* NULL: none */
    settings_set_fn *set;
    size_t offset;     /* of the field in struct settings */
    unsigned min, max; /* of numbers and of the length of texts */
    const char *help;
};

static int settings_set_number(const struct settings_row *row, const char *value, void *field,
                               char *why, size_t why_size) {
    uint64_t number;
    if (!text_to_uint(value, row->min, row->max, &number)) {
        (void)snprintf(why, why_size, "--%s: a whole number from %u to %u, not \"%s\"", row->name,
                       row->min, row->max, value);
        return -1;
    }
    *(unsigned *)field = (unsigned)number;
    return 0;
}

static int settings_set_text(const struct settings_row *row, const char *value, void *field,
                             char *why, size_t why_size) {
    if (strlen(value) < row->min) {
        (void)snprintf(why, why_size, "--%s: %s must not be empty", row->name, row->value);
        return -1;
    }
    *(const char **)field = value;
    return 0;
}

static int settings_set_name(const struct settings_row *row, const char *value, void *field,
                             char *why, size_t why_size) {
    if (!job_id_is_legal(value, strlen(value)) || strlen(value) > row->max) {
        (void)snprintf(why, why_size, "--%s: 1 to %u of A-Z a-z 0-9 . _ -, not \"%s\"", row->name,
                       row->max, value);
        return -1;
    }
    *(const char **)field = value;
    return 0;
}

static int settings_set_level(const struct settings_row *row, const char *value, void *field,
                              char *why, size_t why_size) {
    if (log_level_find(value, field) == 0)
        return 0;
    (void)snprintf(why, why_size, "--%s: debug, info, warning or error, not \"%s\"", row->name,
                   value);
    return -1;
}

static int settings_set_format(const struct settings_row *row, const char *value, void *field,
                               char *why, size_t why_size) {
    if (log_format_find(value, field) == 0)
        return 0;
    (void)snprintf(why, why_size, "--%s: logfmt or json, not \"%s\"", row->name, value);
    return -1;
}

#define SETTINGS_FIELD(field) offsetof(struct settings, field)

static const struct settings_row settings_rows[] = {
    {"redis", "URL", "redis://127.0.0.1:6379", "SUSURRATION_REDIS", settings_set_text,
     SETTINGS_FIELD(redis), 1, 0, "the Redis that has the queue, see below"},
    {"password-file", "FILE", NULL, NULL, settings_set_text, SETTINGS_FIELD(password_file), 1, 0,
     "the first line of FILE is the password"},
    {"queue", "NAME", "main", NULL, settings_set_name, SETTINGS_FIELD(queue), 1, JOB_ID_MAX,
     "the queue to work for"},
    {"slots", "N", NULL, NULL, settings_set_number, SETTINGS_FIELD(slots), 1, 256,
     "simulations at once (default: the CPUs this process may use)"},
    {"lease", "S", "15", NULL, settings_set_number, SETTINGS_FIELD(lease_s), 2, 300,
     "seconds after which the jobs of a silent worker go to another"},
    {"drain-timeout", "S", "12", NULL, settings_set_number, SETTINGS_FIELD(drain_timeout_s), 0,
     3600, "seconds that running jobs get to finish after TERM"},
    {"prefetch", "N", "256", NULL, settings_set_number, SETTINGS_FIELD(prefetch), 0, 256,
     "claim up to N short jobs ahead; long jobs are never claimed ahead"},
    {"admin", "HOST:PORT", "127.0.0.1:9464", NULL, settings_set_text, SETTINGS_FIELD(admin), 1, 0,
     "where /metrics, /healthz and /readyz are; \"none\": nowhere"},
    {"name", "NAME", NULL, NULL, settings_set_name, SETTINGS_FIELD(name), 1, SETTINGS_NAME_MAX,
     "how this worker's name begins (default: the host's name)"},
    {"isa", "NAME", NULL, "SUSURRATION_ISA", settings_set_text, SETTINGS_FIELD(isa), 0, 0,
     "the engine (default: the fastest that this CPU can run)"},
    {"log-level", "LEVEL", "info", NULL, settings_set_level, SETTINGS_FIELD(log_level), 0, 0,
     "debug, info, warning or error"},
    {"log-format", "FORMAT", "logfmt", NULL, settings_set_format, SETTINGS_FIELD(log_format), 0, 0,
     "logfmt or json"},
};

enum {
    SETTINGS_ROWS = sizeof settings_rows / sizeof *settings_rows,
    SETTINGS_OPTION_HELP = SETTINGS_ROWS,
    SETTINGS_OPTION_VERSION,
    SETTINGS_OPTIONS,
    SETTINGS_FIRST_VALUE = 256, /* what getopt_long returns for row 0; beyond every character */
};

static void settings_make_options(struct option options[SETTINGS_OPTIONS + 1]) {
    for (int i = 0; i < SETTINGS_ROWS; i++)
        options[i] = (struct option){settings_rows[i].name, required_argument, NULL,
                                     SETTINGS_FIRST_VALUE + i};
    options[SETTINGS_OPTION_HELP] =
        (struct option){"help", no_argument, NULL, SETTINGS_FIRST_VALUE + SETTINGS_OPTION_HELP};
    options[SETTINGS_OPTION_VERSION] = (struct option){
        "version", no_argument, NULL, SETTINGS_FIRST_VALUE + SETTINGS_OPTION_VERSION};
    options[SETTINGS_OPTIONS] = (struct option){0};
}

static int settings_set(struct settings *settings, const struct settings_row *row,
                        const char *value, char *why, size_t why_size) {
    return row->set(row, value, (char *)settings + row->offset, why, why_size);
}

/* Environment and defaults of what the command line has not given. */
static int settings_fill(struct settings *settings, const bool given[SETTINGS_ROWS], char *why,
                         size_t why_size) {
    for (int i = 0; i < SETTINGS_ROWS; i++) {
        const struct settings_row *row = &settings_rows[i];
        const char *value = row->environment ? getenv(row->environment) : NULL;
        if (!value || !*value)
            value = row->preset;
        if (!given[i] && value && settings_set(settings, row, value, why, why_size) != 0)
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

enum settings_outcome settings_read(struct settings *settings, int argc, char **argv, unsigned cpus,
                                    char *why, size_t why_size) {
    struct option options[SETTINGS_OPTIONS + 1];
    bool given[SETTINGS_ROWS] = {false};
    settings_make_options(options);
    *settings = (struct settings){.slots = cpus};
    optind = 0; /* glibc and musl: forget an earlier scan */
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (code < SETTINGS_FIRST_VALUE) {
            settings_complain(code, argv, why, why_size);
            return SETTINGS_WRONG;
        }
        int index = code - SETTINGS_FIRST_VALUE;
        if (index >= SETTINGS_ROWS)
            return index == SETTINGS_OPTION_HELP ? SETTINGS_HELP : SETTINGS_VERSION;
        if (settings_set(settings, &settings_rows[index], optarg, why, why_size) != 0)
            return SETTINGS_WRONG;
        given[index] = true;
        settings->admin_given |= settings_rows[index].offset == SETTINGS_FIELD(admin);
    }
    if (optind < argc) {
        (void)snprintf(why, why_size, "everything is an option here; what is \"%s\"?",
                       argv[optind]);
        return SETTINGS_WRONG;
    }
    return settings_fill(settings, given, why, why_size) == 0 ? SETTINGS_GO : SETTINGS_WRONG;
}

void settings_help(FILE *out) {
    (void)fputs("Usage: susurration-worker [OPTION]...\n"
                "\n"
                "Takes jobs from a queue in Redis, simulates them and posts the results.\n"
                "\n",
                out);
    for (int i = 0; i < SETTINGS_ROWS; i++) {
        const struct settings_row *row = &settings_rows[i];
        char left[48];
        (void)snprintf(left, sizeof left, "--%s %s", row->name, row->value);
        (void)fprintf(out, "  %-24s %s", left, row->help);
        if (row->preset)
            (void)fprintf(out, " (default: %s)", row->preset);
        if (row->environment)
            (void)fprintf(out, " [%s]", row->environment);
        (void)fputc('\n', out);
    }
    (void)fputs(
        "  --help                   this text\n"
        "  --version                the version\n"
        "\n"
        "A name in brackets is the environment variable that stands in for the option.\n"
        "\n"
        "URL is one of these, the last two with as many hosts as there are:\n"
        "  redis://[USER[:PASSWORD]@]HOST[:PORT][/DB]\n"
        "  unix://[USER:PASSWORD@]/PATH[?db=N]\n"
        "  redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT],HOST[:PORT]/MASTER[/DB]\n"
        "  redis+cluster://[USER[:PASSWORD]@]HOST[:PORT],HOST[:PORT]\n"
        "and rediss:// in place of redis:// with TLS. docs/reliability.md says more.\n"
        "\n"
        "Signals: TERM or INT finishes the running jobs and exits, a second one hands them\n"
        "back at once; TSTP takes no new jobs, CONT goes on.\n"
        "Exit status: 0 after a drain, 2 for wrong options, 3 when it cannot start.\n"
        "\n"
        "Examples:\n"
        "  susurration-worker\n"
        "  susurration-worker --redis redis://cache.local:6379 --queue exhibit --slots 4\n"
        "  susurration-worker --redis unix:///run/redis.sock --admin 0.0.0.0:9464\n"
        "  susurration-worker --redis redis+sentinel://s1.local,s2.local,s3.local/flock\n"
        "  susurration-worker --redis redis://worker@cache.local --password-file "
        "/etc/susurration/password\n",
        out);
}
