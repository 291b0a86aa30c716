/* SPDX-License-Identifier: MIT */
/*
 * A line is built on the caller's stack and leaves in one write(), so lines of several threads do
 * not mix and nothing is locked or allocated. Only a thread that gathers puts them into a buffer,
 * which is its alone: a system call a line is more than all the rest of it. What is too long is
 * cut, never the line's form: a text at LOG_TEXT_MAX bytes, and a field that no longer fits is left
 * out whole.
 */
#include "log.h"

#include "clock.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOG_LINE_MAX = 8192, LOG_TEXT_MAX = 1000, LOG_GATHER_MAX = 65536 };

static const char *const log_level_names[] = {
    [LOG_LEVEL_DEBUG] = "debug",
    [LOG_LEVEL_INFO] = "info",
    [LOG_LEVEL_WARNING] = "warning",
    [LOG_LEVEL_ERROR] = "error",
};
static const char *const log_format_names[] = {
    [LOG_FORMAT_LOGFMT] = "logfmt",
    [LOG_FORMAT_JSON] = "json",
};

static enum log_level log_least = LOG_LEVEL_INFO;
static enum log_format log_form = LOG_FORMAT_LOGFMT;

void log_setup(enum log_level least, enum log_format format) {
    log_least = least;
    log_form = format;
}

static int log_find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int log_level_find(const char *name, enum log_level *level) {
    int found = log_find(name, log_level_names, LOG_LEVEL_ERROR + 1);
    if (found >= 0)
        *level = (enum log_level)found;
    return found < 0 ? -1 : 0;
}

int log_format_find(const char *name, enum log_format *format) {
    int found = log_find(name, log_format_names, LOG_FORMAT_JSON + 1);
    if (found >= 0)
        *format = (enum log_format)found;
    return found < 0 ? -1 : 0;
}

struct log_line {
    size_t used;
    bool full; /* the field being written did not fit */
    char data[LOG_LINE_MAX];
};

/* Two bytes stay free for the end of the line. */
static void log_put(struct log_line *line, const char *bytes, size_t size) {
    if (line->full || size > LOG_LINE_MAX - 2 - line->used) {
        line->full = true;
        return;
    }
    memcpy(line->data + line->used, bytes, size);
    line->used += size;
}

static void log_puts(struct log_line *line, const char *text) {
    log_put(line, text, strlen(text));
}

/* Of a text that is cut, no half character stays at the end. */
static size_t log_text_size(const char *text, bool *cut) {
    size_t size = strnlen(text, LOG_TEXT_MAX + 1);
    *cut = size > LOG_TEXT_MAX;
    if (!*cut)
        return size;
    for (size = LOG_TEXT_MAX; size > 0 && ((unsigned char)text[size] & 0xc0u) == 0x80u;)
        size--;
    return size;
}

/* Where the text is not UTF-8, no byte above ASCII is trusted: the line itself stays UTF-8. */
static void log_put_byte(struct log_line *line, char c, bool utf8) {
    static const char named[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
    const char *at = c ? strchr(named, c) : NULL;
    unsigned char byte = (unsigned char)c;
    if (at)
        log_put(line, (char[]){'\\', letters[at - named]}, 2);
    else if (byte < 0x20 || byte == 0x7f)
        log_put(line,
                (char[]){'\\', 'u', '0', '0', "01234567"[byte >> 4], "0123456789abcdef"[byte & 15]},
                6);
    else if (byte >= 0x80 && !utf8)
        log_puts(line, "\\ufffd");
    else
        log_put(line, &c, 1);
}

static void log_put_quoted(struct log_line *line, const char *text) {
    bool cut;
    size_t size = log_text_size(text, &cut);
    bool utf8 = text_utf8_count(text, size) >= 0;
    log_puts(line, "\"");
    for (size_t i = 0; i < size; i++)
        log_put_byte(line, text[i], utf8);
    log_puts(line, cut ? "...\"" : "\"");
}

/* logfmt leaves a word bare that cannot be mistaken. */
static bool log_is_bare(const char *text) {
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at > '~' || *at == '"' || *at == '=' || *at == '\\')
            return false;
    return strlen(text) <= LOG_TEXT_MAX;
}

static void log_put_text(struct log_line *line, const char *text) {
    if (log_form == LOG_FORMAT_LOGFMT && log_is_bare(text))
        log_puts(line, text);
    else
        log_put_quoted(line, text);
}

static void log_put_real(struct log_line *line, double value) {
    char text[32];
    text_from_double(value, text);
    log_puts(line, log_form == LOG_FORMAT_JSON && !isfinite(value) ? "null" : text);
}

static void log_put_integer(struct log_line *line, long long value) {
    char text[24] = "-";
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    (void)text_from_uint(magnitude, text + 1);
    log_puts(line, value < 0 ? text : text + 1);
}

/* 12345678 ns: 12.345; 12500000 ns: 12.5. */
static void log_put_ms(struct log_line *line, uint64_t ns) {
    char text[32];
    uint64_t us = ns / 1000;
    size_t size = text_from_uint(us / 1000, text);
    for (unsigned rest = (unsigned)(us % 1000), unit = 100; rest > 0; unit /= 10) {
        if (unit == 100)
            text[size++] = '.';
        text[size++] = (char)('0' + rest / unit);
        rest %= unit;
    }
    log_put(line, text, size);
}

static void log_put_key(struct log_line *line, const char *key) {
    if (line->used > 0)
        log_puts(line, log_form == LOG_FORMAT_JSON ? "," : " ");
    else if (log_form == LOG_FORMAT_JSON)
        log_puts(line, "{");
    if (log_form == LOG_FORMAT_JSON)
        log_puts(line, "\"");
    log_puts(line, key);
    log_puts(line, log_form == LOG_FORMAT_JSON ? "\":" : "=");
}

static void log_put_field(struct log_line *line, const struct log_field *field) {
    if (field->type == LOG_FIELD_TEXT && (!field->value.text || !*field->value.text))
        return;
    size_t before = line->used;
    log_put_key(line, field->key);
    switch (field->type) {
    case LOG_FIELD_TEXT:
        log_put_text(line, field->value.text);
        break;
    case LOG_FIELD_INT:
        log_put_integer(line, field->value.integer);
        break;
    case LOG_FIELD_MS:
        log_put_ms(line, (uint64_t)field->value.integer);
        break;
    case LOG_FIELD_REAL:
        log_put_real(line, field->value.real);
        break;
    }
    if (line->full) {
        line->used = before;
        line->full = false;
    }
}

enum { LOG_TIME_MAX = 80 };

/* 2026-01-31T12:00:00.123Z; years past 9999 are written as they come. All but the milliseconds are
 * made once a second. */
static void log_time(char out[LOG_TIME_MAX]) {
    static _Thread_local time_t made = -1;
    static _Thread_local char second[LOG_TIME_MAX - 8];
    int64_t now = clock_wall_ms();
    time_t seconds = (time_t)(now / 1000);
    unsigned ms = (unsigned)(now % 1000);
    if (seconds != made) {
        struct tm utc;
        gmtime_r(&seconds, &utc);
        (void)snprintf(second, sizeof second, "%04d-%02d-%02dT%02d:%02d:%02d.", utc.tm_year + 1900,
                       utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
        made = seconds;
    }
    char digits[] = {(char)('0' + ms / 100), (char)('0' + ms / 10 % 10), (char)('0' + ms % 10), 'Z',
                     '\0'};
    (void)stpcpy(stpcpy(out, second), digits);
}

/* A line that cannot be written has no better place to complain. */
static void log_write(const char *data, size_t size) {
    while (write(STDERR_FILENO, data, size) < 0 && errno == EINTR)
        ;
}

/* Of the thread that gathers. */
static char log_gathered[LOG_GATHER_MAX];
static size_t log_gathered_size;
static _Thread_local bool log_gathers;

void log_gather(void) {
    log_gathers = true;
}

void log_flush(void) {
    if (!log_gathers || log_gathered_size == 0)
        return;
    int errno_before = errno;
    log_write(log_gathered, log_gathered_size);
    log_gathered_size = 0;
    errno = errno_before;
}

static void log_leave(const struct log_line *line, enum log_level level) {
    if (log_gathers &&
        (level >= LOG_LEVEL_WARNING || line->used > LOG_GATHER_MAX - log_gathered_size))
        log_flush();
    if (!log_gathers || level >= LOG_LEVEL_WARNING) {
        log_write(line->data, line->used);
        return;
    }
    memcpy(log_gathered + log_gathered_size, line->data, line->used);
    log_gathered_size += line->used;
}

void log_fields(enum log_level level, const char *message, const struct log_field *field,
                int count) {
    if (level < log_least)
        return;
    int errno_before = errno;
    struct log_line line;
    line.used = 0;
    line.full = false;
    char now[LOG_TIME_MAX];
    log_time(now);
    log_put_field(&line, &LOG_TEXT("time", now));
    log_put_field(&line, &LOG_TEXT("level", log_level_names[level]));
    log_put_key(&line, "msg");
    log_put_quoted(&line, message);
    for (int i = 0; i < count; i++)
        log_put_field(&line, &field[i]);
    if (log_form == LOG_FORMAT_JSON)
        line.data[line.used++] = '}';
    line.data[line.used++] = '\n';
    log_leave(&line, level);
    errno = errno_before;
}
