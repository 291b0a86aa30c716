/* SPDX-License-Identifier: MIT */
#pragma once
/* xxhash.h names malloc and free for its heap states, which nobody here makes. */
#include <stddef.h>

static inline void *malloc(size_t size) {
    (void)size;
    return NULL;
}

static inline void free(void *memory) {
    (void)memory;
}
