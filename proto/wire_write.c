/* SPDX-License-Identifier: MIT */
/*
 * The writer, over msgpack-c's packer. msgpack puts the number of entries in front of a map; here
 * it is known only behind the last one. So closing a map appends the header, then turns it to the
 * front:
 *
 *   | k v k v k v | header |   ->   | header | k v k v k v |
 *
 * which moves a few kilobytes at most and keeps every header minimal. Any thread.
 */
#include "wire_write.h"

#include "err.h"
#include "text.h"

#include <assert.h>
#include <string.h>

#define HEADER_MAX 5

static int wire_write_bytes(void *data, const char *bytes, size_t size) {
    mem_buffer_add(data, bytes, size);
    return 0;
}

static void wire_write_string(struct wire_writer *writer, const char *text) {
    size_t length = strlen(text);
    msgpack_pack_str(&writer->packer, length);
    msgpack_pack_str_body(&writer->packer, text, length);
}

static void wire_write_key(struct wire_writer *writer, const char *key) {
    if (!key)
        return;
    writer->map[writer->depth - 1].count++;
    wire_write_string(writer, key);
}

void wire_write_begin(struct wire_writer *writer, struct mem_buffer *out) {
    writer->out = out;
    writer->depth = 0;
    msgpack_packer_init(&writer->packer, out, wire_write_bytes);
    wire_write_open(writer, NULL);
}

int wire_write_end(struct wire_writer *writer) {
    wire_write_close(writer);
    assert(writer->depth == 0);
    return writer->out->failed ? ERR_NO_MEMORY : 0;
}

void wire_write_uint(struct wire_writer *writer, const char *key, uint64_t value) {
    wire_write_key(writer, key);
    msgpack_pack_uint64(&writer->packer, value);
}

void wire_write_int(struct wire_writer *writer, const char *key, int64_t value) {
    wire_write_key(writer, key);
    msgpack_pack_int64(&writer->packer, value);
}

void wire_write_real(struct wire_writer *writer, const char *key, double value) {
    wire_write_key(writer, key);
    msgpack_pack_double(&writer->packer, value);
}

void wire_write_bool(struct wire_writer *writer, const char *key, bool value) {
    wire_write_key(writer, key);
    if (value)
        msgpack_pack_true(&writer->packer);
    else
        msgpack_pack_false(&writer->packer);
}

void wire_write_nil(struct wire_writer *writer, const char *key) {
    wire_write_key(writer, key);
    msgpack_pack_nil(&writer->packer);
}

void wire_write_text(struct wire_writer *writer, const char *key, const char *text) {
    wire_write_key(writer, key);
    wire_write_string(writer, text);
}

void wire_write_optional(struct wire_writer *writer, const char *key, const char *text) {
    if (text[0] != '\0')
        wire_write_text(writer, key, text);
}

void wire_write_hash(struct wire_writer *writer, const char *key, uint64_t hash) {
    char digits[17];
    text_from_hash(hash, digits);
    wire_write_text(writer, key, digits);
}

void wire_write_list(struct wire_writer *writer, const char *key, uint32_t count) {
    wire_write_key(writer, key);
    msgpack_pack_array(&writer->packer, count);
}

void wire_write_open(struct wire_writer *writer, const char *key) {
    wire_write_key(writer, key);
    assert(writer->depth < WIRE_DEPTH_MAX);
    writer->map[writer->depth].offset = writer->out->size;
    writer->map[writer->depth].count = 0;
    writer->depth++;
}

void wire_write_close(struct wire_writer *writer) {
    assert(writer->depth > 0);
    writer->depth--;
    size_t start = writer->map[writer->depth].offset, end = writer->out->size;
    msgpack_pack_map(&writer->packer, writer->map[writer->depth].count);
    if (writer->out->failed)
        return;
    char header[HEADER_MAX];
    size_t size = writer->out->size - end;
    unsigned char *first = writer->out->data + start;
    memcpy(header, writer->out->data + end, size);
    memmove(first + size, first, end - start);
    memcpy(first, header, size);
}
