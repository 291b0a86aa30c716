/* SPDX-License-Identifier: MIT */
/*
 * The look ahead. Unpackers trust what a message announces: five bytes that promise 2^32 - 1 list
 * elements make msgpack-c reserve gigabytes, and a megabyte of opening brackets is a megabyte of
 * nesting for whoever walks it. So one pass over the headers, without recursion and without
 * allocation, bounds both; WIRE_VALUES_MAX then bounds what unpacking may cost, about 3 MB.
 *
 *   left[0] = 1 (the message)   left[1] = values left in the outermost map   left[2] = ...
 *
 * Any thread.
 */
#include "wire_scan.h"

#include <stdint.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

enum shape { PLAIN, BYTES, LIST, MAP, EXTENSION, RESERVED };

/* The header bytes 0xc0 to 0xdf: what follows them, and in how many bytes its size is written (for
 * PLAIN: how many bytes the value has). */
static const struct header {
    unsigned char shape, width;
} headers[32] = {
    {PLAIN, 0},     {RESERVED, 0},  {PLAIN, 0},     {PLAIN, 0}, /* nil, never used, false, true */
    {BYTES, 1},     {BYTES, 2},     {BYTES, 4},                 /* bin */
    {EXTENSION, 0}, {EXTENSION, 0}, {EXTENSION, 0},             /* ext */
    {PLAIN, 4},     {PLAIN, 8},                                 /* float */
    {PLAIN, 1},     {PLAIN, 2},     {PLAIN, 4},     {PLAIN, 8}, /* uint */
    {PLAIN, 1},     {PLAIN, 2},     {PLAIN, 4},     {PLAIN, 8}, /* int */
    {EXTENSION, 0}, {EXTENSION, 0}, {EXTENSION, 0},             /* fixext */
    {EXTENSION, 0}, {EXTENSION, 0},                             /* fixext */
    {BYTES, 1},     {BYTES, 2},     {BYTES, 4},                 /* str */
    {LIST, 2},      {LIST, 4},      {MAP, 2},       {MAP, 4},
};

/* One header byte, with the size that it carries itself, if it does. */
static struct header wire_scan_header(unsigned char byte, uint64_t *count) {
    *count = 0;
    if (byte <= 0x7f || byte >= 0xe0)
        return (struct header){PLAIN, 0};
    if (byte >= 0xc0)
        return headers[byte - 0xc0];
    if (byte >= 0xa0) {
        *count = byte & 0x1fu;
        return (struct header){BYTES, 0};
    }
    *count = byte & 0x0fu;
    return (struct header){byte >= 0x90 ? LIST : MAP, 0};
}

struct scan {
    const unsigned char *at, *end;
    uint64_t left[WIRE_DEPTH_MAX + 1];
    int values, depth;
};

/* Opens a list or map of `items` values, keys counted. */
static const char *wire_scan_open(struct scan *scan, uint64_t items) {
    if (items > (uint64_t)(scan->end - scan->at))
        return "complete: a list or map announces more than the bytes that follow it";
    if (scan->depth == WIRE_DEPTH_MAX)
        return "nested at most " TEXT(WIRE_DEPTH_MAX) " deep";
    scan->left[++scan->depth] = items;
    return NULL;
}

/* One value, or the header of a list or map. */
static const char *wire_scan_value(struct scan *scan) {
    static const char truncated[] = "complete: it is truncated";
    if (scan->at == scan->end)
        return truncated;
    if (++scan->values > WIRE_VALUES_MAX)
        return "of at most " TEXT(WIRE_VALUES_MAX) " keys and values";
    uint64_t count;
    struct header header = wire_scan_header(*scan->at, &count);
    if (header.shape == EXTENSION)
        return "free of extension types";
    if (header.shape == RESERVED)
        return "msgpack: the byte 0xc1 is never used";
    scan->at++;
    if ((uint64_t)(scan->end - scan->at) < header.width)
        return truncated;
    if (header.shape != PLAIN)
        for (unsigned i = 0; i < header.width; i++)
            count = count << 8 | scan->at[i];
    scan->at += header.width;
    if (header.shape == LIST || header.shape == MAP)
        return wire_scan_open(scan, header.shape == MAP ? 2 * count : count);
    if (count > (uint64_t)(scan->end - scan->at))
        return truncated;
    scan->at += count;
    return NULL;
}

const char *wire_scan(const void *data, size_t size, size_t *offset) {
    *offset = 0;
    if (size == 0)
        return "there: it has no bytes";
    const unsigned char *bytes = data;
    struct scan scan = {.at = bytes, .end = bytes + size, .left = {1}};
    if ((bytes[0] & 0xf0u) != 0x80 && bytes[0] != 0xde && bytes[0] != 0xdf)
        return "a msgpack map";
    for (;;) {
        while (scan.left[scan.depth] == 0 && scan.depth > 0)
            scan.depth--;
        if (scan.left[scan.depth] == 0)
            break;
        scan.left[scan.depth]--;
        const unsigned char *before = scan.at;
        const char *flaw = wire_scan_value(&scan);
        if (flaw) {
            *offset = (size_t)(before - bytes);
            return flaw;
        }
    }
    *offset = (size_t)(scan.at - bytes);
    return scan.at == scan.end ? NULL : "one map: bytes follow it";
}
