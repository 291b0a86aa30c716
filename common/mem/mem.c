/* SPDX-License-Identifier: MIT */
/*
 * malloc and its family behind a seam. In service the seam is one relaxed load of a zero; a test
 * sets the countdown, and the allocation that brings it to its end fails. The countdown is atomic
 * because every thread allocates, but a test that wants a certain allocation to fail runs one.
 */
#include "mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEM_BUFFER_LEAST = 256 };

static atomic_uint mem_countdown; /* 0: no failure is due */
static atomic_bool mem_keep_failing;
static atomic_uint mem_failed;

void mem_fail(unsigned nth, int after) {
    atomic_store(&mem_failed, 0);
    atomic_store(&mem_keep_failing, after != 0);
    atomic_store(&mem_countdown, nth);
}

unsigned mem_failures(void) {
    return atomic_load(&mem_failed);
}

static bool mem_fails_now(void) {
    unsigned left = atomic_load_explicit(&mem_countdown, memory_order_relaxed);
    while (left > 0) {
        unsigned next = left == 1 && atomic_load(&mem_keep_failing) ? 1 : left - 1;
        if (!atomic_compare_exchange_weak(&mem_countdown, &left, next))
            continue;
        atomic_fetch_add(&mem_failed, left == 1);
        return left == 1;
    }
    return false;
}

/* NULL means "none left" and nothing else, so nobody gets zero bytes. */
static size_t mem_at_least_one(size_t size) {
    return size ? size : 1;
}

void *mem_alloc(size_t size) {
    return mem_fails_now() ? NULL : malloc(mem_at_least_one(size));
}

void *mem_zero(size_t count, size_t size) {
    if (size > 0 && count > SIZE_MAX / size)
        return NULL;
    return mem_fails_now() ? NULL : calloc(mem_at_least_one(count), mem_at_least_one(size));
}

void *mem_resize(void *old, size_t size) {
    return mem_fails_now() ? NULL : realloc(old, mem_at_least_one(size));
}

static bool mem_buffer_reserve(struct mem_buffer *buffer, size_t more) {
    if (more <= buffer->capacity - buffer->size)
        return true;
    if (more > SIZE_MAX / 2 - buffer->size)
        return false;
    size_t capacity = buffer->capacity ? buffer->capacity : MEM_BUFFER_LEAST;
    while (capacity < buffer->size + more)
        capacity *= 2;
    unsigned char *data = mem_resize(buffer->data, capacity);
    if (!data)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void mem_buffer_add(struct mem_buffer *buffer, const void *bytes, size_t size) {
    if (buffer->failed || size == 0)
        return;
    if (!mem_buffer_reserve(buffer, size)) {
        buffer->failed = 1;
        return;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

void mem_buffer_release(struct mem_buffer *buffer) {
    free(buffer->data);
    *buffer = (struct mem_buffer){0};
}
