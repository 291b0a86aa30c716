/* SPDX-License-Identifier: MIT */
/*
 * Messages about values. A path is put together only when something is wrong: while all is well a
 * reader keeps nothing but pointers to where it stands. Any thread.
 */
#include "wire_reject.h"

#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 60

__attribute__((format(printf, 3, 4))) static void wire_append(char *out, size_t size,
                                                              const char *format, ...) {
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

/* At most as deep as our own messages nest: five. */
static void wire_path(const struct wire_map *map, const char *key, long index, char *out,
                      size_t size) {
    if (map->parent) {
        wire_path(map->parent, map->key, map->index, out, size);
        wire_append(out, size, ".");
    }
    wire_append(out, size, "%s", key);
    if (index >= 0)
        wire_append(out, size, "[%ld]", index);
}

/* With a point where it is whole, so that 42.0 in a message is seen not to be 42. */
static void wire_show_real(double value, char *out, size_t size) {
    char digits[32];
    text_from_double(value, digits);
    if (isnan(value))
        (void)snprintf(out, size, "NaN");
    else if (isinf(value))
        (void)snprintf(out, size, value < 0 ? "-infinity" : "infinity");
    else
        (void)snprintf(out, size, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static void wire_show_text(const msgpack_object_str *text, char *out, size_t size) {
    char printable[SHOWN_MAX - 8];
    text_printable(text->size ? text->ptr : "", text->size, printable, sizeof printable);
    (void)snprintf(out, size, "\"%s\"", printable);
}

static void wire_show(const msgpack_object *value, char *out, size_t size) {
    switch (value->type) {
    case MSGPACK_OBJECT_NIL:
        (void)snprintf(out, size, "nil");
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        (void)snprintf(out, size, value->via.boolean ? "true" : "false");
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        (void)snprintf(out, size, "%" PRIu64, value->via.u64);
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        (void)snprintf(out, size, "%" PRId64, value->via.i64);
        break;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        wire_show_real(value->via.f64, out, size);
        break;
    case MSGPACK_OBJECT_STR:
        wire_show_text(&value->via.str, out, size);
        break;
    case MSGPACK_OBJECT_BIN:
        (void)snprintf(out, size, "%" PRIu32 " binary bytes", value->via.bin.size);
        break;
    case MSGPACK_OBJECT_ARRAY:
        (void)snprintf(out, size, "a list of %" PRIu32, value->via.array.size);
        break;
    case MSGPACK_OBJECT_MAP:
        (void)snprintf(out, size, "a map of %" PRIu32, value->via.map.size);
        break;
    case MSGPACK_OBJECT_EXT:
    default:
        (void)snprintf(out, size, "an extension type");
        break;
    }
}

void wire_reject(const struct wire_map *map, const char *key, long index, enum fault_code code,
                 const msgpack_object *got, const char *rule, ...) {
    char path[FAULT_FIELD_MAX + 1] = "", words[FAULT_MESSAGE_MAX + 1], shown[SHOWN_MAX] = "";
    va_list arguments;
    va_start(arguments, rule);
    (void)vsnprintf(words, sizeof words, rule, arguments);
    va_end(arguments);
    wire_path(map, key, index, path, sizeof path);
    if (got)
        wire_show(got, shown, sizeof shown);
    fault_set(map->fault, code, path, "%s %s%s%s", path, words, got ? ", got " : "", shown);
}
