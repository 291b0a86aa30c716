/* SPDX-License-Identifier: MIT */
#pragma once
/* What is looked at before a library may unpack a message. */
#include <stddef.h>

#define WIRE_DEPTH_MAX 8       /* maps and lists inside each other, the outermost included */
#define WIRE_VALUES_MAX 100000 /* keys and values of a whole message */

/*
 * NULL when the bytes are exactly one msgpack map that is safe to unpack: complete, nothing behind
 * it, not too deep, no extension types, and every announced length and count covered by the bytes
 * that are left. Else what is wrong, as words to follow "the job is not ..."; *offset is where.
 */
const char *wire_scan(const void *data, size_t size, size_t *offset);
