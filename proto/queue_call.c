/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a call live in one growing text and in two arrays that say where each begins and
 * how long it is; all three are kept for the next call, so that a busy worker does not allocate for
 * its requests. Texts move when the buffer grows, so pointers to them are made last, when it is
 * complete. The number of keys stands in front of them but is known behind them: its place is kept.
 */
#include "queue_call.h"

#include "text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE_CALL_NUMKEYS = 2, QUEUE_CALL_LEAST = 64 };

static bool queue_call_reserve(struct queue_call *call) {
    if (call->failed || call->count < call->capacity)
        return !call->failed;
    size_t capacity = call->capacity ? 2 * call->capacity : QUEUE_CALL_LEAST;
    const char **arg = mem_resize(call->arg, capacity * sizeof *arg);
    if (arg)
        call->arg = arg;
    size_t *start = mem_resize(call->start, capacity * sizeof *start);
    if (start)
        call->start = start;
    size_t *size = mem_resize(call->size, capacity * sizeof *size);
    if (size)
        call->size = size;
    if (arg && start && size)
        call->capacity = capacity;
    else
        call->failed = 1;
    return !call->failed;
}

static void queue_call_add(struct queue_call *call, const char *arg, size_t start, size_t size) {
    if (!queue_call_reserve(call))
        return;
    call->arg[call->count] = arg;
    call->start[call->count] = start;
    call->size[call->count] = size;
    call->count++;
}

static void queue_call_copy(struct queue *queue, const char *text, size_t size) {
    size_t start = queue->call.text.size;
    mem_buffer_add(&queue->call.text, text, size);
    queue_call_add(&queue->call, NULL, start, size);
}

void queue_call_command(struct queue *queue, const char *name) {
    queue->call.count = queue->call.key_count = 0;
    queue->call.text.size = 0;
    queue->call.text.failed = queue->call.failed = 0;
    queue_call_text(queue, name);
}

void queue_call_function(struct queue *queue, const char *name) {
    char whole[64];
    (void)snprintf(whole, sizeof whole, "susurration_v1_%s", name);
    queue_call_command(queue, "FCALL");
    queue_call_text(queue, whole);
    queue_call_text(queue, "0");
    for (int key = 0; key < KEYS_FIXED; key++)
        queue_call_fixed_key(queue, (enum keys_fixed)key);
    queue->call.key_count = KEYS_FIXED;
}

void queue_call_fixed_key(struct queue *queue, enum keys_fixed key) {
    char name[KEYS_MAX];
    queue_call_copy(queue, name, keys_fixed(queue->name, key, name));
}

void queue_call_named_key(struct queue *queue, enum keys_named key, const char *id) {
    char name[KEYS_MAX];
    queue_call_copy(queue, name, keys_named(queue->name, key, id, name));
}

size_t queue_call_key(struct queue *queue, enum keys_named key, const char *id) {
    assert(queue->call.failed || queue->call.count == queue->call.key_count + 3);
    queue_call_named_key(queue, key, id);
    return ++queue->call.key_count;
}

void queue_call_bytes(struct queue *queue, const void *bytes, size_t size) {
    queue_call_add(&queue->call, size ? bytes : "", 0, size);
}

void queue_call_text(struct queue *queue, const char *text) {
    queue_call_copy(queue, text, strlen(text));
}

void queue_call_number(struct queue *queue, uint64_t number) {
    char digits[24];
    queue_call_copy(queue, digits, text_from_uint(number, digits));
}

int queue_call_send(struct queue *queue, unsigned timeout_ms, link_reply_fn *done, void *context) {
    struct queue_call *call = &queue->call;
    if (call->failed || call->text.failed)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < call->count; i++)
        if (!call->arg[i])
            call->arg[i] = (const char *)call->text.data + call->start[i];
    char keys[24];
    if (call->key_count > 0) {
        call->arg[QUEUE_CALL_NUMKEYS] = keys;
        call->size[QUEUE_CALL_NUMKEYS] = text_from_uint(call->key_count, keys);
    }
    return queue->send(queue->link, done, context, timeout_ms, call->count, call->arg, call->size);
}
