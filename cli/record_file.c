/* SPDX-License-Identifier: MIT */
/*
 * What both forms share: the file, the checks of single values, and the one wording of what is
 * wrong with them. A file is a stranger's: nothing of it reaches the terminal unescaped, and
 * nothing is kept of it but the tick being read.
 */
#include "record_file.h"

#include "command.h"
#include "job.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define RECORD_WHY_MAX 512

int record_file_open(struct record_file *file, const struct command *command, const char *name,
                     const struct job *claim) {
    bool is_input = strcmp(name, "-") == 0;
    *file = (struct record_file){
        .command = command,
        .name = "standard input",
        .quoted = "standard input",
        .claim = claim,
        .count = (uint32_t)claim->params.value[0],
        .line = 1,
    };
    if (*name == '\0')
        return report_usage(command, "'%s' takes the path of a file, or - for %s, got ''",
                            command->name, file->name);
    if (!is_input) {
        text_printable(name, strlen(name), file->name, sizeof file->name);
        (void)snprintf(file->quoted, sizeof file->quoted, "'%s'", file->name);
    }
    file->stream = is_input ? stdin : fopen(name, "re");
    if (!file->stream)
        return report_infrastructure("cannot open %s: %s", file->quoted, strerror(errno));
    return 0;
}

void record_file_close(struct record_file *file) {
    json_decref(file->json.root);
    if (file->stream && file->stream != stdin)
        (void)fclose(file->stream);
}

/* Skips what may stand in front of everything; *first is the character then, which is not taken. */
static void record_file_skip(struct record_file *file, int *first) {
    static const char mark[] = "\xef\xbb\xbf"; /* some editors write this before UTF-8 */
    int c = getc(file->stream);
    for (int i = 0; i < 3 && c == (unsigned char)mark[i]; i++)
        c = getc(file->stream);
    for (; c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = getc(file->stream))
        file->line += c == '\n';
    if (c != EOF)
        ungetc(c, file->stream);
    *first = c;
}

int record_file_next(struct record_file *file, struct record *record, bool *more) {
    int code = 0, first;
    *more = false;
    if (!file->next) {
        record_file_skip(file, &first);
        file->next = first == '{' ? record_json_next : record_text_next;
        if (first != '{' && first != EOF)
            code = record_text_begin(file);
    }
    if (code == 0)
        code = file->next(file, record, more);
    if (ferror(file->stream))
        return report_infrastructure("cannot read %s: %s", file->quoted, strerror(errno));
    if (code == 0 && !*more && !file->has_tick)
        return report_usage(file->command, "%s holds no tick to compare", file->quoted);
    return code;
}

int record_file_refuse(struct record_file *file, uint64_t line, const char *format, ...) {
    char why[RECORD_WHY_MAX];
    va_list arguments;
    if (ferror(file->stream)) /* which record_file_next reports */
        return REPORT_INFRASTRUCTURE;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return report_usage(file->command, "%s:%llu: %s", file->name, (unsigned long long)line, why);
}

int record_file_refuse_value(struct record_file *file, uint64_t line, const char *what,
                             const char *expected, const char *value) {
    char shown[64];
    text_printable(value, strlen(value), shown, sizeof shown);
    return record_file_refuse(file, line, "%s takes %s, got '%s'", what, expected, shown);
}

int record_file_tick(struct record_file *file, uint64_t line, uint32_t tick,
                     struct record *record) {
    if (file->has_tick && tick <= file->tick)
        return record_file_refuse(file, line, "ticks must ascend: tick %u stands behind tick %u",
                                  tick, file->tick);
    file->has_tick = true;
    file->tick = record->tick = tick;
    record->has_state = record->has_hash = false;
    return 0;
}

int record_file_whole(struct record_file *file, uint64_t line, const char *what, const char *text,
                      uint32_t max, uint32_t *value) {
    char expected[64];
    uint64_t whole;
    if (!text_to_uint(text, 0, max, &whole)) {
        (void)snprintf(expected, sizeof expected, "a whole number from 0 to %u", max);
        return record_file_refuse_value(file, line, what, expected, text);
    }
    *value = (uint32_t)whole;
    return 0;
}

int record_file_hash(struct record_file *file, uint64_t line, const char *what, const char *text,
                     uint64_t *hash) {
    if (!text_to_hash(text, strlen(text), hash))
        return record_file_refuse_value(file, line, what, "16 hexadecimal digits", text);
    return 0;
}

int record_file_number(struct record_file *file, uint64_t line, const char *what, const char *text,
                       uint64_t *bits) {
    if (!text_to_bits(text, bits))
        return record_file_refuse_value(
            file, line, what, "a binary64: 16 hexadecimal digits, 0x1.8p+1 or decimal", text);
    return 0;
}

int record_file_about(struct record_file *file, uint64_t line, const char *what, uint64_t theirs) {
    bool is_seed = strcmp(what, "seed") == 0;
    uint64_t ours = is_seed ? file->claim->seed : file->count;
    if (ours == theirs)
        return 0;
    return record_file_refuse(file, line, "the file says %s %llu, the claim %llu: try --%s %llu",
                              what, (unsigned long long)theirs, (unsigned long long)ours, what,
                              (unsigned long long)theirs);
}
