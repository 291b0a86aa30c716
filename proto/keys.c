/* SPDX-License-Identifier: MIT */
/*
 * Copies and no printf: a worker names a key for each result it delivers. An id that is not legal
 * could end the hash tag or the name early and so reach another queue's keys, hence the assert.
 */
#include "keys.h"

#include "job.h"

#include <assert.h>
#include <string.h>

static const char *const keys_fixed_name[] = {
#define KEYS_FIXED_NAME(key, name) name,
    KEYS_FIXED_NAMES(KEYS_FIXED_NAME)
#undef KEYS_FIXED_NAME
};

static const char *const keys_named_name[] = {
#define KEYS_NAMED_NAME(key, name) name,
    KEYS_NAMED_NAMES(KEYS_NAMED_NAME)
#undef KEYS_NAMED_NAME
};

static size_t keys_append(char *out, size_t at, const char *text) {
    size_t size = strlen(text);
    memcpy(out + at, text, size + 1);
    return at + size;
}

static size_t keys_queue(const char *queue, char *out) {
    assert(job_id_is_legal(queue, strlen(queue)));
    size_t at = keys_append(out, 0, "flock:{");
    at = keys_append(out, at, queue);
    return keys_append(out, at, "}:");
}

size_t keys_fixed(const char *queue, enum keys_fixed key, char out[KEYS_MAX]) {
    assert(key < KEYS_FIXED);
    return keys_append(out, keys_queue(queue, out), keys_fixed_name[key]);
}

size_t keys_named(const char *queue, enum keys_named key, const char *id, char out[KEYS_MAX]) {
    assert(key < KEYS_NAMED && job_id_is_legal(id, strlen(id)));
    size_t at = keys_append(out, keys_queue(queue, out), keys_named_name[key]);
    return keys_append(out, at, id);
}
