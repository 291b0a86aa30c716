/* SPDX-License-Identifier: MIT */
/* What operators ask of a queue. */
#include "queue_call.h"
#include "queue_read.h"

#include <assert.h>
#include <string.h>

int queue_version(struct queue *queue, link_reply_fn *done, void *context) {
    queue_call_command(queue, "FCALL_RO");
    queue_call_text(queue, "susurration_v1_version");
    queue_call_text(queue, "0");
    return queue_call_send(queue, 0, done, context);
}

int queue_read_version(const struct link_reply *reply, unsigned *version) {
    int code = queue_read_answer(reply);
    int64_t number = link_reply_integer(reply, 0);
    if (code == 0 && (number < 1 || number > INT32_MAX))
        return ERR_PROTOCOL;
    *version = (unsigned)number;
    return code;
}

int queue_status(struct queue *queue, link_reply_fn *done, void *context) {
    queue_call_function(queue, "status");
    return queue_call_send(queue, 0, done, context);
}

const struct link_reply *queue_read_status(const struct link_reply *reply, const char *name) {
    for (size_t i = 0; i + 1 < link_reply_count(reply); i += 2) {
        size_t size;
        const char *text = link_reply_text(link_reply_item(reply, i), &size);
        if (text && strcmp(text, name) == 0)
            return link_reply_item(reply, i + 1);
    }
    return NULL;
}

int queue_bury(struct queue *queue, const char *ref, const char *reason, link_reply_fn *done,
               void *context) {
    queue_call_function(queue, "bury");
    queue_call_text(queue, ref);
    queue_call_text(queue, reason);
    queue_call_text(queue, "");
    queue_call_text(queue, "");
    return queue_call_send(queue, 0, done, context);
}

int queue_requeue(struct queue *queue, const char *const *dead_id, size_t count,
                  link_reply_fn *done, void *context) {
    assert(count >= 1 && count <= QUEUE_JOBS_MAX);
    queue_call_function(queue, "requeue");
    for (size_t i = 0; i < count; i++)
        queue_call_text(queue, dead_id[i]);
    return queue_call_send(queue, 0, done, context);
}

int queue_purge(struct queue *queue, const char *const *dead_id, size_t count, link_reply_fn *done,
                void *context) {
    assert(count >= 1 && count <= QUEUE_JOBS_MAX);
    queue_call_function(queue, "purge");
    for (size_t i = 0; i < count; i++)
        queue_call_text(queue, dead_id[i]);
    return queue_call_send(queue, 0, done, context);
}

int queue_read_requeue(const struct link_reply *reply, size_t index, struct queue_place *place) {
    return queue_read_place(reply, 2 * index, place);
}

int queue_dead(struct queue *queue, size_t count, link_reply_fn *done, void *context) {
    queue_call_command(queue, "XREVRANGE");
    queue_call_fixed_key(queue, KEYS_DEAD);
    queue_call_text(queue, "+");
    queue_call_text(queue, "-");
    queue_call_text(queue, "COUNT");
    queue_call_number(queue, count);
    return queue_call_send(queue, 0, done, context);
}

int queue_configure(struct queue *queue, const char *field, const char *value, link_reply_fn *done,
                    void *context) {
    queue_call_command(queue, value ? "HSET" : "HDEL");
    queue_call_fixed_key(queue, KEYS_CONFIG);
    queue_call_text(queue, field);
    if (value)
        queue_call_text(queue, value);
    return queue_call_send(queue, 0, done, context);
}
