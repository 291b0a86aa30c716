/* SPDX-License-Identifier: MIT */
/* The handle, what answers mean, and the requests of clients: jobs, sessions, traces. */
#include "queue.h"

#include "queue_call.h"
#include "queue_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void queue_init(struct queue *queue, struct link *link, const char *name, queue_send_fn *send) {
    assert(job_id_is_legal(name, strlen(name)));
    *queue = (struct queue){.link = link, .send = send};
    memcpy(queue->name, name, strlen(name) + 1);
}

void queue_release(struct queue *queue) {
    free(queue->call.arg);
    free(queue->call.start);
    free(queue->call.size);
    mem_buffer_release(&queue->call.text);
    queue->call = (struct queue_call){0};
}

static const char *const queue_lane_names[JOB_LANES] = {
    [JOB_INTERACTIVE] = "interactive",
    [JOB_BATCH] = "batch",
};

int queue_enqueue(struct queue *queue, enum job_lane lane, const struct queue_job *job,
                  size_t count, link_reply_fn *done, void *context) {
    assert(count >= 1 && count <= QUEUE_JOBS_MAX);
    queue_call_function(queue, "enqueue");
    for (size_t i = 0; i < count; i++)
        if (job[i].id && *job[i].id)
            (void)queue_call_key(queue, KEYS_RESULT, job[i].id);
    queue_call_text(queue, queue_lane_names[lane]);
    for (size_t i = 0; i < count; i++) {
        queue_call_text(queue, job[i].id ? job[i].id : "");
        queue_call_bytes(queue, job[i].bytes, job[i].size);
    }
    return queue_call_send(queue, 0, done, context);
}

int queue_read_enqueue(const struct link_reply *reply, size_t index, struct queue_place *place) {
    return queue_read_place(reply, 2 * index, place);
}

/* find and cancel: the result key must be an id's, and a ref is one too. */
static int queue_ask_job(struct queue *queue, const char *function, const char *id,
                         link_reply_fn *done, void *context) {
    if (!job_id_is_legal(id, strlen(id)))
        return ERR_INVALID;
    queue_call_function(queue, function);
    (void)queue_call_key(queue, KEYS_RESULT, id);
    queue_call_text(queue, id);
    return queue_call_send(queue, 0, done, context);
}

int queue_find(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    return queue_ask_job(queue, "find", id, done, context);
}

int queue_read_find(const struct link_reply *reply, struct queue_place *place, const char **about,
                    size_t *about_size) {
    *about = NULL;
    *about_size = 0;
    int code = queue_read_place(reply, 0, place);
    if (code == 0)
        *about = link_reply_text(link_reply_item(reply, 2), about_size);
    return code;
}

int queue_cancel(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    return queue_ask_job(queue, "cancel", id, done, context);
}

static const char *const queue_cancel_names[QUEUE_CANCELS] = {
    [QUEUE_CANCEL_CANCELLED] = "cancelled",
    [QUEUE_CANCEL_CANCELLING] = "cancelling",
    [QUEUE_CANCEL_DONE] = "done",
    [QUEUE_CANCEL_UNKNOWN] = "unknown",
};

const char *queue_cancel_name(enum queue_cancelled cancelled) {
    return queue_cancel_names[cancelled];
}

int queue_read_cancel(const struct link_reply *reply, enum queue_cancelled *cancelled) {
    int found, code = queue_read_word(reply, reply, queue_cancel_names, QUEUE_CANCELS, &found);
    if (code == 0)
        *cancelled = (enum queue_cancelled)found;
    return code;
}

/* GET of something that there is one of for each id. */
static int queue_get(struct queue *queue, enum keys_named key, const char *id, link_reply_fn *done,
                     void *context) {
    if (!job_id_is_legal(id, strlen(id)))
        return ERR_INVALID;
    queue_call_command(queue, "GET");
    queue_call_named_key(queue, key, id);
    return queue_call_send(queue, 0, done, context);
}

int queue_result(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    return queue_get(queue, KEYS_RESULT, id, done, context);
}

int queue_trace(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    return queue_get(queue, KEYS_TRACE, id, done, context);
}

/* How much longer than the wait itself the answer may take before the link counts as broken. */
enum { QUEUE_WAIT_GRACE_MS = 5000 };

static void queue_wait_seconds(unsigned wait_ms, char seconds[32]) {
    (void)snprintf(seconds, 32, "%u.%03u", wait_ms / 1000, wait_ms % 1000);
}

static unsigned queue_wait_timeout_ms(unsigned wait_ms) {
    return wait_ms == 0 || wait_ms > UINT32_MAX - QUEUE_WAIT_GRACE_MS
               ? UINT32_MAX
               : wait_ms + QUEUE_WAIT_GRACE_MS;
}

int queue_wait(struct queue *queue, const char *reply_to, unsigned wait_ms, link_reply_fn *done,
               void *context) {
    char seconds[32];
    if (!job_id_is_legal(reply_to, strlen(reply_to)))
        return ERR_INVALID;
    queue_wait_seconds(wait_ms, seconds);
    queue_call_command(queue, "BLPOP");
    queue_call_named_key(queue, KEYS_REPLY, reply_to);
    queue_call_text(queue, seconds);
    return queue_call_send(queue, queue_wait_timeout_ms(wait_ms), done, context);
}

int queue_wait_many(struct queue *queue, const char *reply_to, unsigned count, unsigned wait_ms,
                    link_reply_fn *done, void *context) {
    char seconds[32];
    if (!job_id_is_legal(reply_to, strlen(reply_to)))
        return ERR_INVALID;
    queue_wait_seconds(wait_ms, seconds);
    queue_call_command(queue, "BLMPOP");
    queue_call_text(queue, seconds);
    queue_call_text(queue, "1");
    queue_call_named_key(queue, KEYS_REPLY, reply_to);
    queue_call_text(queue, "LEFT");
    queue_call_text(queue, "COUNT");
    queue_call_number(queue, count);
    return queue_call_send(queue, queue_wait_timeout_ms(wait_ms), done, context);
}

int queue_read_wait_many(const struct link_reply *reply, const struct link_reply **results) {
    *results = NULL;
    if (reply && link_reply_type(reply) == LINK_NIL)
        return 0;
    int code = queue_read_list(reply, 2);
    if (code != 0)
        return code;
    *results = link_reply_item(reply, 1);
    return link_reply_type(*results) == LINK_LIST ? 0 : ERR_PROTOCOL;
}

int queue_read_wait(const struct link_reply *reply, const char **result, size_t *result_size) {
    *result = NULL;
    *result_size = 0;
    if (reply && link_reply_type(reply) == LINK_NIL)
        return 0;
    int code = queue_read_list(reply, 2);
    if (code != 0)
        return code;
    *result = link_reply_text(link_reply_item(reply, 1), result_size);
    return *result ? 0 : ERR_PROTOCOL;
}

int queue_session(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    if (!job_id_is_legal(id, strlen(id)))
        return ERR_INVALID;
    queue_call_command(queue, "HMGET");
    queue_call_named_key(queue, KEYS_SESSION, id);
    queue_call_text(queue, "rev");
    queue_call_text(queue, "body");
    return queue_call_send(queue, 0, done, context);
}

int queue_read_session(const struct link_reply *reply, uint64_t *revision, const char **body,
                       size_t *body_size) {
    *revision = 0;
    *body = NULL;
    *body_size = 0;
    int code = queue_read_list(reply, 2);
    if (code != 0 || link_reply_type(link_reply_item(reply, 1)) == LINK_NIL)
        return code;
    int64_t number = link_reply_integer(link_reply_item(reply, 0), -1);
    *body = link_reply_text(link_reply_item(reply, 1), body_size);
    if (number < 1 || !*body)
        return ERR_PROTOCOL;
    *revision = (uint64_t)number;
    return 0;
}

int queue_session_tick(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    if (!job_id_is_legal(id, strlen(id)))
        return ERR_INVALID;
    queue_call_command(queue, "HGET");
    queue_call_named_key(queue, KEYS_SESSION, id);
    queue_call_text(queue, "tick");
    return queue_call_send(queue, 0, done, context);
}

int queue_touch(struct queue *queue, const char *id, link_reply_fn *done, void *context) {
    if (!job_id_is_legal(id, strlen(id)))
        return ERR_INVALID;
    queue_call_function(queue, "touch");
    (void)queue_call_key(queue, KEYS_SESSION, id);
    (void)queue_call_key(queue, KEYS_RING, id);
    return queue_call_send(queue, 0, done, context);
}

int queue_ring(struct queue *queue, const char *id, size_t offset, size_t size, link_reply_fn *done,
               void *context) {
    if (!job_id_is_legal(id, strlen(id)) || size == 0)
        return ERR_INVALID;
    queue_call_command(queue, "GETRANGE");
    queue_call_named_key(queue, KEYS_RING, id);
    queue_call_number(queue, offset);
    queue_call_number(queue, offset + size - 1);
    return queue_call_send(queue, 0, done, context);
}

int queue_traces(struct queue *queue, size_t skip, size_t count, link_reply_fn *done,
                 void *context) {
    if (count == 0)
        return ERR_INVALID;
    queue_call_command(queue, "ZREVRANGE");
    queue_call_fixed_key(queue, KEYS_TRACES);
    queue_call_number(queue, skip);
    queue_call_number(queue, skip + count - 1);
    return queue_call_send(queue, 0, done, context);
}
