/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One line an event on standard error, as logfmt or JSON:
 *   time=2026-01-31T12:00:00.123Z level=info msg="job done" job=abc run_ms=12.5
 * Safe from any thread. A line is one write(); a thread that writes many gathers them, and some
 * lines are one.
 */
enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/* Before the first line; the default is info, logfmt. */
void log_setup(enum log_level least, enum log_format format);

/* "debug", "info", "warning", "error" / "logfmt", "json": 0, or -1 for another word. */
int log_level_find(const char *name, enum log_level *level);
int log_format_find(const char *name, enum log_format *format);

/*
 * From here on the lines of this thread (of one at a time) are kept until log_flush, a warning or
 * an error, or until many have come. Who gathers flushes before it waits for anything.
 */
void log_gather(void);
void log_flush(void);

/* One key and its value behind the message. Keys are plain words; text is quoted as needed. */
struct log_field {
    const char *key;
    enum { LOG_FIELD_TEXT, LOG_FIELD_INT, LOG_FIELD_REAL, LOG_FIELD_MS } type;
    union {
        const char *text; /* NULL or empty: the field is left out */
        long long integer;
        double real;
    } value;
};

#define LOG_TEXT(k, v) ((struct log_field){(k), LOG_FIELD_TEXT, {.text = (v)}})
#define LOG_INT(k, v) ((struct log_field){(k), LOG_FIELD_INT, {.integer = (long long)(v)}})
#define LOG_REAL(k, v) ((struct log_field){(k), LOG_FIELD_REAL, {.real = (v)}})
/* Nanoseconds, not negative, written as milliseconds with up to three decimals. */
#define LOG_MS(k, ns) ((struct log_field){(k), LOG_FIELD_MS, {.integer = (long long)(ns)}})

void log_fields(enum log_level level, const char *message, const struct log_field *field,
                int count);

/* LOG_WRITE(LOG_LEVEL_INFO, "job done", LOG_TEXT("job", id), LOG_MS("run", ns)); at least one
 * field */
#define LOG_WRITE(level, message, ...)                                                             \
    log_fields((level), (message), (const struct log_field[]){__VA_ARGS__},                        \
               (int)(sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field)))
