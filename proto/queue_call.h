/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Putting one command together, argument by argument; private to queue_*.c. What runs out of memory
 * on the way is told by queue_call_send.
 *
 *   FCALL name numkeys | ten fixed keys | more keys | arguments
 */
#include "keys.h"
#include "queue.h"

/* A function of the library, with its fixed keys. */
void queue_call_function(struct queue *queue, const char *name);

/* One more key; only before the first argument. Its position, counted from 1. */
size_t queue_call_key(struct queue *queue, enum keys_named key, const char *id);

/* Any other command: its words and keys are arguments like all. */
void queue_call_command(struct queue *queue, const char *name);

/* `bytes` are borrowed until queue_call_send; text and numbers are copied. */
void queue_call_bytes(struct queue *queue, const void *bytes, size_t size);
void queue_call_text(struct queue *queue, const char *text);
void queue_call_number(struct queue *queue, uint64_t number);
void queue_call_fixed_key(struct queue *queue, enum keys_fixed key);
void queue_call_named_key(struct queue *queue, enum keys_named key, const char *id);

/* timeout_ms as in link_send. */
int queue_call_send(struct queue *queue, unsigned timeout_ms, link_reply_fn *done,
                    void *context) ERR_MUST_CHECK;
