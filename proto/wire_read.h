/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Reading a message value by value. The first fault sticks: every later read is harmless and leaves
 * its out argument alone, so a decoder is a plain list of fields and asks once at the end.
 *
 * Common to all: a value that is absent or nil leaves *out alone and is a fault only when `need` is
 * WIRE_REQUIRED. A key that stands twice in a map is a fault. True means that *out was set. Texts
 * and lists point into the message and live as long as it does.
 */
#include "fault.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_need { WIRE_OPTIONAL, WIRE_REQUIRED };

/* A map and where it stands: "changes[3].params" is key "params" of index 3 of "changes". */
struct wire_map {
    const struct wire_map *parent; /* NULL: the message itself. Must outlive this map */
    const char *key;
    long index; /* in the list that `key` names; -1: not in a list */
    const msgpack_object_kv *entry;
    uint32_t count;
    struct fault *fault;
};

struct wire_list {
    const struct wire_map *map; /* that holds it under `key` */
    const char *key;
    const msgpack_object *item;
    uint32_t count;
};

struct wire_text {
    const char *start; /* not terminated; never NULL once set */
    size_t length;
};

/*
 * Checks and unpacks a message whose name is `what` ("job") into *top. Close it whatever happens;
 * after a fault *top is an empty map.
 */
void wire_read_open(const void *data, size_t size, const char *what, msgpack_unpacked *unpacked,
                    struct wire_map *top, struct fault *fault);
void wire_read_close(msgpack_unpacked *unpacked);

/* A decoder's answer, for those that keep no fault: 0, ERR_NO_MEMORY or ERR_PROTOCOL. */
int wire_read_error(const struct fault *fault);

/* The value of a key; NULL when it is absent, nil, or there was a fault about it. */
const msgpack_object *wire_read_find(const struct wire_map *map, const char *key,
                                     enum wire_need need);

/* True when the key is there, once, and its value is nil. */
bool wire_read_is_nil(const struct wire_map *map, const char *key);

bool wire_read_uint(const struct wire_map *map, const char *key, enum wire_need need, uint64_t min,
                    uint64_t max, uint64_t *out);
bool wire_read_u32(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                   uint32_t max, uint32_t *out);
/* Integers too. max may be INFINITY; the value itself is always finite. */
bool wire_read_real(const struct wire_map *map, const char *key, enum wire_need need, double min,
                    double max, double *out);
bool wire_read_bool(const struct wire_map *map, const char *key, enum wire_need need, bool *out);

/* Any string, as bytes. */
bool wire_read_bytes(const struct wire_map *map, const char *key, enum wire_need need,
                     struct wire_text *out);
/* 1 to 64 of A-Z a-z 0-9 . _ - */
bool wire_read_id(const struct wire_map *map, const char *key, enum wire_need need,
                  char out[static 65]);
/* UTF-8 without NUL, at most max characters; `out` holds 4 * max + 1 bytes. */
bool wire_read_text(const struct wire_map *map, const char *key, enum wire_need need, uint32_t max,
                    char *out);
/* Printable ASCII, min to max characters; `out` holds max + 1 bytes. */
bool wire_read_ascii(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                     uint32_t max, char *out);
/* UTF-8 without NUL, cut at a character's border to what fits into `size` bytes. */
bool wire_read_label(const struct wire_map *map, const char *key, enum wire_need need, char *out,
                     size_t size);
/* 16 hexadecimal digits. */
bool wire_read_hash(const struct wire_map *map, const char *key, enum wire_need need,
                    uint64_t *out);

bool wire_read_map(const struct wire_map *map, const char *key, enum wire_need need,
                   struct wire_map *out);
bool wire_read_list(const struct wire_map *map, const char *key, enum wire_need need, uint32_t min,
                    uint32_t max, struct wire_list *out);

/* The same for element `index` of a list; nil is a fault. */
bool wire_read_item_u32(const struct wire_list *list, uint32_t index, uint32_t min, uint32_t max,
                        uint32_t *out);
bool wire_read_item_real(const struct wire_list *list, uint32_t index, double min, double max,
                         double *out);
bool wire_read_item_hash(const struct wire_list *list, uint32_t index, uint64_t *out);
bool wire_read_item_map(const struct wire_list *list, uint32_t index, struct wire_map *out);
