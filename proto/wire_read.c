/* SPDX-License-Identifier: MIT */
/*
 * The reader: wire_scan looks, msgpack-c unpacks (strings stay where they are, in the message), and
 * each read below checks one value's type and range. All of them begin at wire_read_find, where the
 * first fault is seen to stick. Any thread.
 */
#include "wire_read.h"

#include "err.h"
#include "job.h"
#include "text.h"
#include "wire_reject.h"
#include "wire_scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Where a value stands, to say so. */
struct place {
    const struct wire_map *map;
    const char *key;
    long index;
};

#define REJECT(at, code, value, ...)                                                               \
    wire_reject((at)->map, (at)->key, (at)->index, FAULT_##code, value, __VA_ARGS__)

void wire_read_open(const void *data, size_t size, const char *what, msgpack_unpacked *unpacked,
                    struct wire_map *top, struct fault *fault) {
    *top = (struct wire_map){.index = -1, .fault = fault};
    msgpack_unpacked_init(unpacked);
    size_t offset = 0;
    const char *flaw = wire_scan(data, size, &offset);
    if (flaw) {
        fault_set(fault, FAULT_MALFORMED, "", "the %s is not %s (at byte %zu of %zu)", what, flaw,
                  offset, size);
        return;
    }
    offset = 0;
    msgpack_unpack_return unpack = msgpack_unpack_next(unpacked, data, size, &offset);
    if (unpack == MSGPACK_UNPACK_NOMEM_ERROR) {
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory to unpack the %s", what);
    } else if (unpack != MSGPACK_UNPACK_SUCCESS || unpacked->data.type != MSGPACK_OBJECT_MAP) {
        fault_set(fault, FAULT_MALFORMED, "", "the %s is not a msgpack map", what);
    } else {
        top->entry = unpacked->data.via.map.ptr;
        top->count = unpacked->data.via.map.size;
    }
}

void wire_read_close(msgpack_unpacked *unpacked) {
    msgpack_unpacked_destroy(unpacked);
}

int wire_read_error(const struct fault *fault) {
    if (fault->code == FAULT_NONE)
        return 0;
    return fault->code == FAULT_NO_MEMORY ? ERR_NO_MEMORY : ERR_PROTOCOL;
}

static bool wire_read_is_key(const msgpack_object *object, const char *key, size_t length) {
    return object->type == MSGPACK_OBJECT_STR && object->via.str.size == length &&
           memcmp(object->via.str.ptr, key, length) == 0;
}

/* As wire_read_find, but nil is a value. */
static const msgpack_object *wire_read_raw(const struct wire_map *map, const char *key) {
    const msgpack_object *found = NULL;
    size_t length = strlen(key);
    for (uint32_t i = 0; i < map->count; i++) {
        if (!wire_read_is_key(&map->entry[i].key, key, length))
            continue;
        if (found) {
            wire_reject(map, key, -1, FAULT_MALFORMED, NULL, "must stand once, but is there twice");
            return NULL;
        }
        found = &map->entry[i].val;
    }
    return found;
}

const msgpack_object *wire_read_find(const struct wire_map *map, const char *key,
                                     enum wire_need need) {
    if (map->fault->code != FAULT_NONE)
        return NULL;
    const msgpack_object *found = wire_read_raw(map, key);
    if (found && found->type != MSGPACK_OBJECT_NIL)
        return found;
    if (need == WIRE_REQUIRED)
        wire_reject(map, key, -1, FAULT_MISSING_FIELD, NULL, "is required, but is missing");
    return NULL;
}

bool wire_read_is_nil(const struct wire_map *map, const char *key) {
    const msgpack_object *found = wire_read_raw(map, key);
    return found && found->type == MSGPACK_OBJECT_NIL;
}

static bool wire_read_is_float(const msgpack_object *value) {
    return value->type == MSGPACK_OBJECT_FLOAT32 || value->type == MSGPACK_OBJECT_FLOAT64;
}

static bool wire_read_is_integer(const msgpack_object *value) {
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
           value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
}

/* Each take_ function checks a value and gives it; false after a fault, or where there is none. */

static bool take_uint(const struct place *at, const msgpack_object *value, uint64_t min,
                      uint64_t max, uint64_t *out) {
    if (!value)
        return false;
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 >= min &&
        value->via.u64 <= max) {
        *out = value->via.u64;
        return true;
    }
    static const char rule[] = "must be a whole number from %" PRIu64 " to %" PRIu64;
    if (wire_read_is_integer(value) || wire_read_is_float(value))
        REJECT(at, OUT_OF_RANGE, value, rule, min, max);
    else
        REJECT(at, WRONG_TYPE, value, rule, min, max);
    return false;
}

static bool take_u32(const struct place *at, const msgpack_object *value, uint32_t min,
                     uint32_t max, uint32_t *out) {
    uint64_t wide;
    if (!take_uint(at, value, min, max, &wide))
        return false;
    *out = (uint32_t)wide;
    return true;
}

static bool take_real(const struct place *at, const msgpack_object *value, double min, double max,
                      double *out) {
    if (!value)
        return false;
    bool number = true;
    double real = 0;
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        real = (double)value->via.u64;
    else if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        real = (double)value->via.i64;
    else if (wire_read_is_float(value))
        real = value->via.f64;
    else
        number = false;
    if (number && isfinite(real) && real >= min && real <= max) {
        *out = real;
        return true;
    }
    char from[32], to[32];
    text_from_double(min, from);
    text_from_double(max, to);
    enum fault_code code = number ? FAULT_OUT_OF_RANGE : FAULT_WRONG_TYPE;
    if (isinf(max))
        wire_reject(at->map, at->key, at->index, code, value, "must be a finite number%s%s",
                    isinf(min) ? "" : " of at least ", isinf(min) ? "" : from);
    else
        wire_reject(at->map, at->key, at->index, code, value, "must be from %s to %s", from, to);
    return false;
}

static bool take_bytes(const struct place *at, const msgpack_object *value, const char *rule,
                       struct wire_text *out) {
    if (!value)
        return false;
    if (value->type != MSGPACK_OBJECT_STR) {
        REJECT(at, WRONG_TYPE, value, "%s", rule);
        return false;
    }
    *out = (struct wire_text){value->via.str.size ? value->via.str.ptr : "", value->via.str.size};
    return true;
}

static bool take_hash(const struct place *at, const msgpack_object *value, uint64_t *out) {
    static const char rule[] = "must be a string of 16 hexadecimal digits";
    struct wire_text text;
    if (!take_bytes(at, value, rule, &text))
        return false;
    if (text_to_hash(text.start, text.length, out))
        return true;
    REJECT(at, BAD_TEXT, value, rule);
    return false;
}

static bool take_map(const struct place *at, const msgpack_object *value, struct wire_map *out) {
    if (!value)
        return false;
    if (value->type != MSGPACK_OBJECT_MAP) {
        REJECT(at, WRONG_TYPE, value, "must be a map");
        return false;
    }
    *out = (struct wire_map){.parent = at->map,
                             .key = at->key,
                             .index = at->index,
                             .entry = value->via.map.ptr,
                             .count = value->via.map.size,
                             .fault = at->map->fault};
    return true;
}

bool wire_read_uint(const struct wire_map *map, const char *key, enum wire_need need, uint64_t min,
                    uint64_t max, uint64_t *out) {
    return take_uint(&(struct place){map, key, -1}, wire_read_find(map, key, need), min, max, out);
}

bool wire_read_u32(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                   uint32_t max, uint32_t *out) {
    return take_u32(&(struct place){map, key, -1}, wire_read_find(map, key, need), min, max, out);
}

bool wire_read_real(const struct wire_map *map, const char *key, enum wire_need need, double min,
                    double max, double *out) {
    return take_real(&(struct place){map, key, -1}, wire_read_find(map, key, need), min, max, out);
}

bool wire_read_bool(const struct wire_map *map, const char *key, enum wire_need need, bool *out) {
    const msgpack_object *value = wire_read_find(map, key, need);
    if (!value)
        return false;
    if (value->type != MSGPACK_OBJECT_BOOLEAN) {
        wire_reject(map, key, -1, FAULT_WRONG_TYPE, value, "must be true or false");
        return false;
    }
    *out = value->via.boolean;
    return true;
}

bool wire_read_bytes(const struct wire_map *map, const char *key, enum wire_need need,
                     struct wire_text *out) {
    return take_bytes(&(struct place){map, key, -1}, wire_read_find(map, key, need),
                      "must be a string", out);
}

bool wire_read_id(const struct wire_map *map, const char *key, enum wire_need need,
                  char out[static JOB_ID_MAX + 1]) {
    static const char rule[] = "must be 1 to 64 of A-Z a-z 0-9 . _ -";
    const msgpack_object *value = wire_read_find(map, key, need);
    struct wire_text text;
    if (!take_bytes(&(struct place){map, key, -1}, value, rule, &text))
        return false;
    if (!job_id_is_legal(text.start, text.length)) {
        wire_reject(map, key, -1, FAULT_BAD_TEXT, value, rule);
        return false;
    }
    memcpy(out, text.start, text.length);
    out[text.length] = '\0';
    return true;
}

bool wire_read_text(const struct wire_map *map, const char *key, enum wire_need need, uint32_t max,
                    char *out) {
    const msgpack_object *value = wire_read_find(map, key, need);
    struct wire_text text;
    if (!take_bytes(&(struct place){map, key, -1}, value, "must be a string", &text))
        return false;
    long count = text_utf8_count(text.start, text.length);
    if (count < 0 || memchr(text.start, '\0', text.length)) {
        wire_reject(map, key, -1, FAULT_BAD_TEXT, value,
                    "must be UTF-8 text without NUL, of at most %" PRIu32 " characters", max);
        return false;
    }
    if (count > (long)max) {
        wire_reject(map, key, -1, FAULT_TOO_LONG, NULL,
                    "must be of at most %" PRIu32 " characters, got %ld", max, count);
        return false;
    }
    memcpy(out, text.start, text.length);
    out[text.length] = '\0';
    return true;
}

bool wire_read_ascii(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                     uint32_t max, char *out) {
    const msgpack_object *value = wire_read_find(map, key, need);
    struct wire_text text;
    if (!take_bytes(&(struct place){map, key, -1}, value, "must be a string", &text))
        return false;
    bool legal = text.length >= min && text.length <= max;
    for (size_t i = 0; i < text.length && legal; i++)
        legal = text.start[i] > ' ' && text.start[i] <= '~';
    if (!legal) {
        wire_reject(map, key, -1, text.length > max ? FAULT_TOO_LONG : FAULT_BAD_TEXT, value,
                    "must be %" PRIu32 " to %" PRIu32 " printable ASCII characters", min, max);
        return false;
    }
    memcpy(out, text.start, text.length);
    out[text.length] = '\0';
    return true;
}

bool wire_read_label(const struct wire_map *map, const char *key, enum wire_need need, char *out,
                     size_t size) {
    struct wire_text text;
    if (!wire_read_bytes(map, key, need, &text))
        return false;
    if (text_utf8_count(text.start, text.length) < 0 || memchr(text.start, '\0', text.length)) {
        wire_reject(map, key, -1, FAULT_BAD_TEXT, NULL, "must be UTF-8 text without NUL");
        return false;
    }
    size_t length = text.length < size ? text.length : size - 1;
    while (length < text.length && length > 0 && ((unsigned char)text.start[length] & 0xc0) == 0x80)
        length--;
    memcpy(out, text.start, length);
    out[length] = '\0';
    return true;
}

bool wire_read_hash(const struct wire_map *map, const char *key, enum wire_need need,
                    uint64_t *out) {
    return take_hash(&(struct place){map, key, -1}, wire_read_find(map, key, need), out);
}

bool wire_read_map(const struct wire_map *map, const char *key, enum wire_need need,
                   struct wire_map *out) {
    return take_map(&(struct place){map, key, -1}, wire_read_find(map, key, need), out);
}

bool wire_read_list(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                    uint32_t max, struct wire_list *out) {
    const msgpack_object *value = wire_read_find(map, key, need);
    if (!value)
        return false;
    bool list = value->type == MSGPACK_OBJECT_ARRAY;
    if (!list || value->via.array.size < min || value->via.array.size > max) {
        enum fault_code code = !list                         ? FAULT_WRONG_TYPE
                               : value->via.array.size > max ? FAULT_TOO_LONG
                                                             : FAULT_OUT_OF_RANGE;
        wire_reject(map, key, -1, code, value, "must be a list of %" PRIu32 " to %" PRIu32, min,
                    max);
        return false;
    }
    *out = (struct wire_list){map, key, value->via.array.ptr, value->via.array.size};
    return true;
}

/* NULL after a fault. */
static const msgpack_object *wire_read_item(const struct wire_list *list, uint32_t index) {
    return list->map->fault->code == FAULT_NONE ? &list->item[index] : NULL;
}

#define ITEM(list, index)                                                                          \
    &(struct place){(list)->map, (list)->key, (long)(index)}, wire_read_item(list, index)

bool wire_read_item_u32(const struct wire_list *list, uint32_t index, uint32_t min, uint32_t max,
                        uint32_t *out) {
    return take_u32(ITEM(list, index), min, max, out);
}

bool wire_read_item_real(const struct wire_list *list, uint32_t index, double min, double max,
                         double *out) {
    return take_real(ITEM(list, index), min, max, out);
}

bool wire_read_item_hash(const struct wire_list *list, uint32_t index, uint64_t *out) {
    return take_hash(ITEM(list, index), out);
}

bool wire_read_item_map(const struct wire_list *list, uint32_t index, struct wire_map *out) {
    return take_map(ITEM(list, index), out);
}
