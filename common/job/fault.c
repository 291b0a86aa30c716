/* SPDX-License-Identifier: MIT */
/* The texts of faults: names from the one list in the header, messages cut at a character's border.
 */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const fault_names[FAULT_CODE_COUNT] = {
#define FAULT_CODE(code, text, status, meaning) [FAULT_##code] = (text),
    FAULT_CODES(FAULT_CODE)
#undef FAULT_CODE
};

const char *fault_code_name(enum fault_code code) {
    return fault_names[code];
}

enum fault_code fault_code_find(const char *name, size_t length) {
    int code = 0;
    while (code < FAULT_CODE_COUNT &&
           (strlen(fault_names[code]) != length || memcmp(fault_names[code], name, length) != 0))
        code++;
    return (enum fault_code)code;
}

/* A text cut in the middle of a UTF-8 character loses the rest of that character. */
static void fault_trim(char *text, size_t length) {
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0u) == 0x80u)
        start--;
    if (start > 0 && ((unsigned char)text[start - 1] & 0xC0u) == 0xC0u)
        text[start - 1] = '\0';
}

static void fault_print(char *out, size_t size, const char *format, va_list arguments) {
    int wanted = vsnprintf(out, size, format, arguments);
    if (wanted >= (int)size)
        fault_trim(out, size - 1);
}

int fault_set(struct fault *fault, enum fault_code code, const char *field, const char *format,
              ...) {
    if (fault->code != FAULT_NONE)
        return -1;
    memset(fault, 0, sizeof *fault);
    fault->code = code;
    (void)snprintf(fault->field, sizeof fault->field, "%s", field);
    va_list arguments;
    va_start(arguments, format);
    fault_print(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return -1;
}

void fault_advise(struct fault *fault, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fault_print(fault->advice, sizeof fault->advice, format, arguments);
    va_end(arguments);
}
