/* SPDX-License-Identifier: MIT */
/* JSON through jansson, whose objects keep the order of their keys. */
#include "message.h"

#include "text.h"

#include <check.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 100

static int message_write(void *data, const char *bytes, size_t size) {
    mem_buffer_add(data, bytes, size);
    return 0;
}

static void message_hex(const char *hex, struct mem_buffer *out) {
    for (; hex[0] && hex[1]; hex += 2) {
        char digits[3] = {hex[0], hex[1], '\0'};
        unsigned char byte = (unsigned char)strtoul(digits, NULL, 16);
        mem_buffer_add(out, &byte, 1);
    }
}

static void message_repeat(const char *count_and_text, struct mem_buffer *out) {
    char *text;
    for (unsigned long left = strtoul(count_and_text, &text, 10); left > 0; left--)
        mem_buffer_add(out, text + 1, strlen(text + 1));
}

static void message_nest(const char *depth, struct mem_buffer *out) {
    unsigned long left = strtoul(depth, NULL, 10);
    for (; left > 1; left--)
        mem_buffer_add(out, "\x91", 1);
    mem_buffer_add(out, "\x90", 1);
}

static void message_special(msgpack_packer *packer, const char *mark, const char *value,
                            struct mem_buffer *out) {
    struct mem_buffer bytes = {0};
    if (strcmp(mark, "$float") == 0) {
        msgpack_pack_double(packer, strtod(value, NULL));
    } else if (strcmp(mark, "$uint") == 0) {
        msgpack_pack_uint64(packer, strtoull(value, NULL, 10));
    } else if (strcmp(mark, "$raw") == 0) {
        message_hex(value, out);
    } else if (strcmp(mark, "$nest") == 0) {
        message_nest(value, out);
    } else if (strcmp(mark, "$text") == 0) {
        message_repeat(value, &bytes);
        msgpack_pack_str(packer, bytes.size);
        mem_buffer_add(out, bytes.data, bytes.size);
    } else if (strcmp(mark, "$bin") == 0) {
        message_hex(value, &bytes);
        msgpack_pack_bin(packer, bytes.size);
        mem_buffer_add(out, bytes.data, bytes.size);
    } else if (strcmp(mark, "$str") == 0) {
        message_hex(value, &bytes);
        msgpack_pack_str(packer, bytes.size);
        mem_buffer_add(out, bytes.data, bytes.size);
    } else {
        ck_abort_msg("%s stands for nothing", mark);
    }
    mem_buffer_release(&bytes);
}

static void message_pack_string(msgpack_packer *packer, const char *text, size_t length) {
    msgpack_pack_str(packer, length);
    msgpack_pack_str_body(packer, text, length);
}

static void message_pack(msgpack_packer *packer, json_t *json, struct mem_buffer *out) {
    const char *key;
    size_t index;
    json_t *value;
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        json_object_foreach(json, key, value) {
            if (key[0] == '$') {
                message_special(packer, key, json_string_value(value), out);
                return;
            }
        }
        msgpack_pack_map(packer, json_object_size(json));
        json_object_foreach(json, key, value) {
            message_pack_string(packer, key, strlen(key));
            message_pack(packer, value, out);
        }
        break;
    case JSON_ARRAY:
        msgpack_pack_array(packer, json_array_size(json));
        json_array_foreach(json, index, value) message_pack(packer, value, out);
        break;
    case JSON_STRING:
        message_pack_string(packer, json_string_value(json), json_string_length(json));
        break;
    case JSON_INTEGER:
        msgpack_pack_int64(packer, json_integer_value(json));
        break;
    case JSON_REAL:
        msgpack_pack_double(packer, json_real_value(json));
        break;
    case JSON_TRUE:
        msgpack_pack_true(packer);
        break;
    case JSON_FALSE:
        msgpack_pack_false(packer);
        break;
    case JSON_NULL:
        msgpack_pack_nil(packer);
        break;
    }
}

void message_from_json(const char *text, struct mem_buffer *out) {
    char *copy = strdup(text);
    ck_assert_ptr_nonnull(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    json_error_t error;
    json_t *json = json_loads(copy, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    ck_assert_msg(json, "%s in %s", error.text, copy);
    msgpack_packer packer;
    msgpack_packer_init(&packer, out, message_write);
    message_pack(&packer, json, out);
    ck_assert(!out->failed);
    json_decref(json);
    free(copy);
}

static void message_puts(struct mem_buffer *out, const char *text) {
    mem_buffer_add(out, text, strlen(text));
}

static void message_print_real(double value, struct mem_buffer *out) {
    char digits[32];
    text_from_double(value, digits);
    if (isnan(value))
        message_puts(out, "{\"$float\": \"nan\"}");
    else if (isinf(value))
        message_puts(out, value < 0 ? "{\"$float\": \"-inf\"}" : "{\"$float\": \"inf\"}");
    else
        message_puts(out, digits);
    if (isfinite(value) && !strpbrk(digits, ".e"))
        message_puts(out, ".0");
}

static void message_print_string(const msgpack_object_str *text, struct mem_buffer *out) {
    json_t *json = json_stringn(text->ptr, text->size);
    ck_assert_msg(json, "a string that is not UTF-8");
    char *quoted = json_dumps(json, JSON_ENCODE_ANY);
    message_puts(out, quoted);
    free(quoted);
    json_decref(json);
}

static void message_print(const msgpack_object *object, unsigned indent, struct mem_buffer *out);

static void message_indent(unsigned indent, struct mem_buffer *out) {
    message_puts(out, "\n");
    for (unsigned i = 0; i < indent; i++)
        message_puts(out, "  ");
}

static void message_print_map(const msgpack_object_map *map, unsigned indent,
                              struct mem_buffer *out) {
    message_puts(out, "{");
    for (uint32_t i = 0; i < map->size; i++) {
        ck_assert_int_eq(map->ptr[i].key.type, MSGPACK_OBJECT_STR);
        if (i > 0)
            message_puts(out, ",");
        message_indent(indent + 1, out);
        message_print_string(&map->ptr[i].key.via.str, out);
        message_puts(out, ": ");
        message_print(&map->ptr[i].val, indent + 1, out);
    }
    if (map->size > 0)
        message_indent(indent, out);
    message_puts(out, "}");
}

/* Scalars fill lines; maps and lists stand on their own. */
static void message_print_list(const msgpack_object_array *list, unsigned indent,
                               struct mem_buffer *out) {
    message_puts(out, "[");
    size_t line = out->size;
    for (uint32_t i = 0; i < list->size; i++) {
        bool nested =
            list->ptr[i].type == MSGPACK_OBJECT_MAP || list->ptr[i].type == MSGPACK_OBJECT_ARRAY;
        if (i > 0)
            message_puts(out, ",");
        if (nested || out->size - line > LINE_WIDTH - 2 * indent - 24) {
            message_indent(indent + 1, out);
            line = out->size;
        } else if (i > 0) {
            message_puts(out, " ");
        }
        message_print(&list->ptr[i], indent + 1, out);
    }
    message_puts(out, "]");
}

static void message_print(const msgpack_object *object, unsigned indent, struct mem_buffer *out) {
    char text[32];
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        message_puts(out, "null");
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        message_puts(out, object->via.boolean ? "true" : "false");
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        (void)snprintf(text, sizeof text, "%" PRIu64, object->via.u64);
        message_puts(out, text);
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        (void)snprintf(text, sizeof text, "%" PRId64, object->via.i64);
        message_puts(out, text);
        break;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        message_print_real(object->via.f64, out);
        break;
    case MSGPACK_OBJECT_STR:
        message_print_string(&object->via.str, out);
        break;
    case MSGPACK_OBJECT_MAP:
        message_print_map(&object->via.map, indent, out);
        break;
    case MSGPACK_OBJECT_ARRAY:
        message_print_list(&object->via.array, indent, out);
        break;
    case MSGPACK_OBJECT_BIN:
    case MSGPACK_OBJECT_EXT:
    default:
        ck_abort_msg("a type that our messages do not have");
    }
}

void message_to_json(const void *data, size_t size, struct mem_buffer *out) {
    msgpack_unpacked unpacked;
    size_t offset = 0;
    msgpack_unpacked_init(&unpacked);
    ck_assert_int_eq(msgpack_unpack_next(&unpacked, data, size, &offset), MSGPACK_UNPACK_SUCCESS);
    ck_assert_uint_eq(offset, size);
    message_print(&unpacked.data, 0, out);
    message_puts(out, "\n");
    msgpack_unpacked_destroy(&unpacked);
}
