/* SPDX-License-Identifier: MIT */
/* Every complaint goes through here, so that all look alike. */
#include "report.h"

#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void report_line(const char *format, va_list arguments) {
    (void)fflush(stdout);
    (void)fputs("susurration: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
}

#define REPORT(format)                                                                             \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        report_line(format, arguments);                                                            \
        va_end(arguments);                                                                         \
    } while (0)

int report_usage(const struct command *command, const char *format, ...) {
    REPORT(format);
    (void)fprintf(stderr, "Try 'susurration %s%s--help'.\n", command ? command->name : "",
                  command ? " " : "");
    return REPORT_USAGE;
}

int report_rejected(const char *format, ...) {
    REPORT(format);
    return REPORT_REJECTED;
}

int report_infrastructure(const char *format, ...) {
    REPORT(format);
    return REPORT_INFRASTRUCTURE;
}

void report_note(const char *format, ...) {
    REPORT(format);
}

int report_finish(int code) {
    bool out = fflush(stdout) == 0 && !ferror(stdout);
    if (out || code == REPORT_INFRASTRUCTURE)
        return code;
    return report_infrastructure("cannot write the output: %s", strerror(errno));
}
