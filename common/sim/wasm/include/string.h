/* SPDX-License-Identifier: MIT */
#pragma once
/* What xxhash.h asks of <string.h>; clang makes both of bulk-memory instructions. */
#include <stddef.h>

static inline void *memcpy(void *to, const void *from, size_t size) {
    return __builtin_memcpy(to, from, size);
}

static inline void *memset(void *to, int value, size_t size) {
    return __builtin_memset(to, value, size);
}
