/* SPDX-License-Identifier: MIT */
/* The front-end's rows of common/settings_table. */
#include "front_settings.h"

#include "job.h"

#define FRONT_FIELD(field) offsetof(struct front_settings, field)

static const struct settings_row front_rows[] = {
    {"redis", "URL", "redis://127.0.0.1:6379", "SUSURRATION_REDIS", settings_set_text,
     FRONT_FIELD(redis), 1, 0, "the Redis that has the queue, see below", NULL},
    {"password-file", "FILE", NULL, NULL, settings_set_text, FRONT_FIELD(password_file), 1, 0,
     "the first line of FILE is the password", NULL},
    {"queue", "NAME", "main", NULL, settings_set_name, FRONT_FIELD(queue), 1, JOB_ID_MAX,
     "the queue that does the work", job_id_is_legal},
    {"listen", "HOST:PORT", "127.0.0.1:8080", NULL, settings_set_text, FRONT_FIELD(listen), 1, 0,
     "where pages and API are", NULL},
    {"wait", "S", "15", NULL, settings_set_number, FRONT_FIELD(wait_s), 1, 300,
     "seconds that a request waits for its job", NULL},
    {"operator-token-file", "FILE", NULL, NULL, settings_set_text, FRONT_FIELD(operator_token_file),
     1, 0, "the first line of FILE is the operators' token", NULL},
    {"rate", "N", "50", NULL, settings_set_number, FRONT_FIELD(rate), 0, 1000000,
     "requests a second from one address but the loopback, pages aside; 0: any", NULL},
    {"cors", "ORIGIN", NULL, NULL, settings_set_text, FRONT_FIELD(cors), 1, 0,
     "lets pages of that origin (\"*\": of all) use the API", NULL},
    {"log-level", "LEVEL", "info", NULL, settings_set_level, FRONT_FIELD(log_level), 0, 0,
     "debug, info, warning or error", NULL},
    {"log-format", "FORMAT", "logfmt", NULL, settings_set_format, FRONT_FIELD(log_format), 0, 0,
     "logfmt or json", NULL},
};

static const struct settings_table front_table = {
    .row = front_rows,
    .count = sizeof front_rows / sizeof *front_rows,
    .usage = "Usage: susurration-front [OPTION]...\n"
             "\n"
             "Serves flocks over HTTP: pages, and an API whose work the queue's workers do.\n"
             "\n",
    .notes = SETTINGS_REDIS_NOTE
    "\n"
    "Without a token file, operators' requests that change something are refused.\n"
    "\n"
    "Signals: TERM or INT answers what waits and exits.\n"
    "Exit status: 0 after a signal, 2 for wrong options, 3 when it cannot start.\n"
    "\n"
    "Examples:\n"
    "  susurration-front\n"
    "  susurration-front --redis redis://cache.local:6379 --queue exhibit\n"
    "  susurration-front --listen 0.0.0.0:80 --operator-token-file "
    "/etc/susurration/token\n",
};

enum settings_outcome front_settings_read(struct front_settings *settings, int argc, char **argv,
                                          char *why, size_t why_size) {
    bool given[SETTINGS_ROWS_MAX];
    *settings = (struct front_settings){0};
    return settings_table_read(&front_table, settings, given, argc, argv, why, why_size);
}

void front_settings_help(FILE *out) {
    settings_table_help(&front_table, out);
}
