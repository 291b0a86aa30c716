/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Writing a message value by value, keys in the order of the calls. A map counts its own entries,
 * so what is optional is simply not written. Running out of memory sticks in the buffer: a codec
 * asks once, with wire_write_end.
 */
#include "mem.h"
#include "wire_scan.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_writer {
    struct mem_buffer *out;
    msgpack_packer packer;
    int depth; /* maps that are open */
    struct {
        size_t offset; /* of its first entry in out */
        uint32_t count;
    } map[WIRE_DEPTH_MAX];
};

/* Appends to *out, and opens the message's map. */
void wire_write_begin(struct wire_writer *writer, struct mem_buffer *out);

/* Closes it. 0 or ERR_NO_MEMORY. */
int wire_write_end(struct wire_writer *writer);

/* key NULL: an element of a list, or of the map whose key was just written. */
void wire_write_uint(struct wire_writer *writer, const char *key, uint64_t value);
void wire_write_int(struct wire_writer *writer, const char *key, int64_t value);
void wire_write_real(struct wire_writer *writer, const char *key, double value);
void wire_write_bool(struct wire_writer *writer, const char *key, bool value);
void wire_write_nil(struct wire_writer *writer, const char *key);
void wire_write_text(struct wire_writer *writer, const char *key, const char *text);
void wire_write_hash(struct wire_writer *writer, const char *key, uint64_t hash);

/* A text that is left out when it is empty. */
void wire_write_optional(struct wire_writer *writer, const char *key, const char *text);

/* A list of `count`, which are to follow; a map, whose entries follow until it is closed. */
void wire_write_list(struct wire_writer *writer, const char *key, uint32_t count);
void wire_write_open(struct wire_writer *writer, const char *key);
void wire_write_close(struct wire_writer *writer);
