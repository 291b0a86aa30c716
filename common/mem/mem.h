/* SPDX-License-Identifier: MIT */
#pragma once
/* Allocation, in one place so that tests can make the nth one fail. */
#include <stddef.h>

/* As malloc, calloc, realloc: NULL when there is none left. Free with free(). */
void *mem_alloc(size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *old, size_t size);

/* Tests only: the nth allocation from now (1 is the next) and, if `after`, all later ones fail; 0:
 * none. */
void mem_fail(unsigned nth, int after);

/* Tests only: how many have failed so since then. */
unsigned mem_failures(void);

/* A growing run of bytes with a sticky error: after a failed append `failed` stays set. */
struct mem_buffer {
    unsigned char *data; /* owned; NULL while empty */
    size_t size, capacity;
    int failed;
};

void mem_buffer_add(struct mem_buffer *buffer, const void *bytes, size_t size);
void mem_buffer_release(struct mem_buffer *buffer); /* frees and zeroes it */
