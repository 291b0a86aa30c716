/* SPDX-License-Identifier: MIT */
/*
 * wire_scan against a second one, which is written as the format's specification reads: by
 * recursion. Both take the same messages, and the library unpacks each that they take, to its end.
 */
#include "fuzz.h"

#include "wire_scan.h"

#include <msgpack.h>
#include <stdbool.h>

struct walk {
    const uint8_t *at, *end;
    long values;
};

static uint64_t walk_number(struct walk *walk, unsigned bytes) {
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | *walk->at++;
    return number;
}

static bool walk_has(const struct walk *walk, uint64_t bytes) {
    return bytes <= (uint64_t)(walk->end - walk->at);
}

static bool walk_skip(struct walk *walk, uint64_t bytes) {
    if (!walk_has(walk, bytes))
        return false;
    walk->at += bytes;
    return true;
}

static bool walk_value(struct walk *walk, int depth);

static bool walk_inside(struct walk *walk, uint64_t values, int depth) {
    if (depth > WIRE_DEPTH_MAX || !walk_has(walk, values))
        return false;
    while (values-- > 0)
        if (!walk_value(walk, depth + 1))
            return false;
    return true;
}

/* A length of 1, 2 or 4 bytes, and what it counts. */
static bool walk_sized(struct walk *walk, unsigned width, uint64_t per_unit, int depth) {
    if (!walk_has(walk, width))
        return false;
    uint64_t count = walk_number(walk, width);
    return per_unit ? walk_inside(walk, count * per_unit, depth) : walk_skip(walk, count);
}

static bool walk_value(struct walk *walk, int depth) {
    if (!walk_has(walk, 1) || ++walk->values > WIRE_VALUES_MAX)
        return false;
    uint8_t kind = *walk->at++;
    if (kind <= 0x7f || kind >= 0xe0) /* fixint */
        return true;
    if (kind <= 0x8f) /* fixmap */
        return walk_inside(walk, 2 * (kind & 15u), depth);
    if (kind <= 0x9f) /* fixarray */
        return walk_inside(walk, kind & 15u, depth);
    if (kind <= 0xbf) /* fixstr */
        return walk_skip(walk, kind & 31u);
    switch (kind) {
    case 0xc0: /* nil, false, true */
    case 0xc2:
    case 0xc3:
        return true;
    case 0xc4: /* bin */
    case 0xc5:
    case 0xc6:
        return walk_sized(walk, 1u << (kind - 0xc4), 0, depth);
    case 0xca: /* float */
    case 0xcb:
        return walk_skip(walk, 4u << (kind - 0xca));
    case 0xcc: /* uint, int */
    case 0xcd:
    case 0xce:
    case 0xcf:
        return walk_skip(walk, 1u << (kind - 0xcc));
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return walk_skip(walk, 1u << (kind - 0xd0));
    case 0xd9: /* str */
    case 0xda:
    case 0xdb:
        return walk_sized(walk, 1u << (kind - 0xd9), 0, depth);
    case 0xdc: /* array, map */
    case 0xdd:
        return walk_sized(walk, 2u << (kind - 0xdc), 1, depth);
    case 0xde:
    case 0xdf:
        return walk_sized(walk, 2u << (kind - 0xde), 2, depth);
    default: /* never used, extensions */
        return false;
    }
}

static bool walk_message(const uint8_t *data, size_t size) {
    struct walk walk = {data, data + size, 0};
    bool is_map = size > 0 && (data[0] >> 4 == 8 || data[0] == 0xde || data[0] == 0xdf);
    return is_map && walk_value(&walk, 1) && walk.at == walk.end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t offset = SIZE_MAX;
    const char *flaw = wire_scan(data, size, &offset);
    assert(!flaw == walk_message(data, size));
    assert(offset <= size);
    if (flaw)
        return 0;
    assert(offset == size);
    assert(wire_scan(data, size - 1, &offset)); /* no message is the beginning of another */
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    offset = 0;
    assert(msgpack_unpack_next(&unpacked, (const char *)data, size, &offset) ==
           MSGPACK_UNPACK_SUCCESS);
    assert(offset == size && unpacked.data.type == MSGPACK_OBJECT_MAP);
    msgpack_unpacked_destroy(&unpacked);
    return 0;
}
