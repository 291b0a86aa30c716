/* SPDX-License-Identifier: MIT */
/* The worker's rows of common/settings_table. */
#include "settings.h"

#define SETTINGS_FIELD(field) offsetof(struct settings, field)

static const struct settings_row settings_rows[] = {
    {"redis", "URL", "redis://127.0.0.1:6379", "SUSURRATION_REDIS", settings_set_text,
     SETTINGS_FIELD(redis), 1, 0, "the Redis that has the queue, see below", NULL},
    {"password-file", "FILE", NULL, NULL, settings_set_text, SETTINGS_FIELD(password_file), 1, 0,
     "the first line of FILE is the password", NULL},
    {"queue", "NAME", "main", NULL, settings_set_name, SETTINGS_FIELD(queue), 1, JOB_ID_MAX,
     "the queue to work for", job_id_is_legal},
    {"slots", "N", NULL, NULL, settings_set_number, SETTINGS_FIELD(slots), 1, 256,
     "simulations at once (default: the CPUs this process may use)", NULL},
    {"lease", "S", "15", NULL, settings_set_number, SETTINGS_FIELD(lease_s), 2, 300,
     "seconds after which the jobs of a silent worker go to another", NULL},
    {"drain-timeout", "S", "12", NULL, settings_set_number, SETTINGS_FIELD(drain_timeout_s), 0,
     3600, "seconds that running jobs get to finish after TERM", NULL},
    {"prefetch", "N", "256", NULL, settings_set_number, SETTINGS_FIELD(prefetch), 0, 256,
     "claim up to N short jobs ahead; long jobs are never claimed ahead", NULL},
    {"admin", "HOST:PORT", "127.0.0.1:9464", NULL, settings_set_text, SETTINGS_FIELD(admin), 1, 0,
     "where /metrics, /healthz and /readyz are; \"none\": nowhere", NULL},
    {"name", "NAME", NULL, NULL, settings_set_name, SETTINGS_FIELD(name), 1, SETTINGS_NAME_MAX,
     "how this worker's name begins (default: the host's name)", job_id_is_legal},
    {"isa", "NAME", NULL, "SUSURRATION_ISA", settings_set_text, SETTINGS_FIELD(isa), 0, 0,
     "the engine (default: the fastest that this CPU can run)", NULL},
    {"log-level", "LEVEL", "info", NULL, settings_set_level, SETTINGS_FIELD(log_level), 0, 0,
     "debug, info, warning or error", NULL},
    {"log-format", "FORMAT", "logfmt", NULL, settings_set_format, SETTINGS_FIELD(log_format), 0, 0,
     "logfmt or json", NULL},
};

static const struct settings_table settings_table = {
    .row = settings_rows,
    .count = sizeof settings_rows / sizeof *settings_rows,
    .usage = "Usage: susurration-worker [OPTION]...\n"
             "\n"
             "Takes jobs from a queue in Redis, simulates them and posts the results.\n"
             "\n",
    .notes = SETTINGS_REDIS_NOTE
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
};

enum settings_outcome settings_read(struct settings *settings, int argc, char **argv, unsigned cpus,
                                    char *why, size_t why_size) {
    bool given[SETTINGS_ROWS_MAX];
    *settings = (struct settings){.slots = cpus};
    enum settings_outcome outcome =
        settings_table_read(&settings_table, settings, given, argc, argv, why, why_size);
    for (size_t i = 0; i < settings_table.count; i++)
        settings->admin_given |= given[i] && settings_rows[i].offset == SETTINGS_FIELD(admin);
    return outcome;
}

void settings_help(FILE *out) {
    settings_table_help(&settings_table, out);
}
