/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Writing JSON value by value into a buffer, compact. Running out of memory sticks in the buffer:
 * whoever writes asks once, at the end. Not jansson: it prints every real of a document with the
 * same number of digits, and needs a node for each.
 *
 *   jot_begin(&w, &out); jot_open_map(&w, NULL); jot_whole(&w, "tick", 3); jot_close_map(&w);
 *
 * key NULL: the document itself, or an element of a list.
 */
#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jot {
    struct mem_buffer *out;
    bool follows; /* a value stands before, in the same map or list */
};

void jot_begin(struct jot *jot, struct mem_buffer *out);

void jot_open_map(struct jot *jot, const char *key);
void jot_close_map(struct jot *jot);
void jot_open_list(struct jot *jot, const char *key);
void jot_close_list(struct jot *jot);

/* A text that is no UTF-8 becomes null: it is a stranger's. */
void jot_text(struct jot *jot, const char *key, const char *text);
void jot_bytes(struct jot *jot, const char *key, const char *text, size_t size);

/* An empty text becomes null. */
void jot_text_or_null(struct jot *jot, const char *key, const char *text);

void jot_whole(struct jot *jot, const char *key, uint64_t value);
void jot_bool(struct jot *jot, const char *key, bool value);
void jot_null(struct jot *jot, const char *key);
void jot_hash(struct jot *jot, const char *key, uint64_t hash);

/*
 * With so many decimals at most, rightly rounded; JOT_EXACT: the fewest digits that read back as
 * the same binary64, with a point or an exponent so that it stays a real to whoever reads it. What
 * is not finite becomes null.
 */
#define JOT_EXACT (-1)
void jot_real(struct jot *jot, const char *key, double value, int decimals);

/* Something that is JSON already. */
void jot_raw(struct jot *jot, const char *key, const void *json, size_t size);
