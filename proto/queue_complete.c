/* SPDX-License-Identifier: MIT */
/* How entries leave a worker: with everything that a job has brought about, in one call for many;
 * or handed back. */
#include "queue_work.h"

#include "queue_call.h"
#include "queue_read.h"
#include "text.h"

#include <assert.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

void queue_outcome_release(struct queue_outcome *outcome) {
    mem_buffer_release(&outcome->result);
    mem_buffer_release(&outcome->body);
    mem_buffer_release(&outcome->trace_body);
    for (int i = 0; i < 2; i++)
        mem_buffer_release(&outcome->piece[i].bytes);
    outcome->pieces = 0;
}

size_t queue_outcome_size(const struct queue_outcome *outcome) {
    return outcome->result.size + outcome->body.size + outcome->trace_body.size +
           outcome->piece[0].bytes.size + outcome->piece[1].bytes.size;
}

/* --- effects: a msgpack map, PROTOCOL.md, "complete" ------------------------------------------ */

static int queue_effects_write(void *data, const char *bytes, size_t size) {
    mem_buffer_add(data, bytes, size);
    return 0;
}

static void queue_effects_text(msgpack_packer *packer, const char *text) {
    size_t size = strlen(text);
    msgpack_pack_str(packer, size);
    msgpack_pack_str_body(packer, text, size);
}

/* As a string: Redis's cmsgpack knows no bin. */
static void queue_effects_bytes(msgpack_packer *packer, const struct mem_buffer *bytes) {
    msgpack_pack_str(packer, bytes->size);
    msgpack_pack_str_body(packer, bytes->data ? (const void *)bytes->data : "", bytes->size);
}

static void queue_effects_number(msgpack_packer *packer, const char *key, uint64_t number) {
    char digits[24];
    (void)text_from_uint(number, digits);
    queue_effects_text(packer, key);
    queue_effects_text(packer, digits);
}

/* Positions of a job's keys in KEYS; 0: it has none. */
struct queue_positions {
    size_t reply, session, ring, trace;
};

static void queue_effects_begin(msgpack_packer *packer, const char *name, size_t fields,
                                size_t position) {
    queue_effects_text(packer, name);
    msgpack_pack_map(packer, fields);
    queue_effects_text(packer, "key");
    msgpack_pack_uint64(packer, position);
}

static void queue_effects_session(msgpack_packer *packer, const struct queue_outcome *outcome,
                                  size_t position) {
    queue_effects_begin(packer, "session", 5, position);
    if (outcome->expect_revision > 0) {
        queue_effects_number(packer, "expect", outcome->expect_revision);
    } else {
        queue_effects_text(packer, "expect");
        queue_effects_text(packer, "");
    }
    queue_effects_number(packer, "rev", outcome->expect_revision + 1);
    queue_effects_number(packer, "tick", outcome->tick);
    queue_effects_text(packer, "body");
    queue_effects_bytes(packer, &outcome->body);
}

static void queue_effects_ring(msgpack_packer *packer, const struct queue_outcome *outcome,
                               size_t position) {
    queue_effects_begin(packer, "ring", 2, position);
    queue_effects_text(packer, "writes");
    msgpack_pack_array(packer, (size_t)outcome->pieces * 2);
    for (int i = 0; i < outcome->pieces; i++) {
        msgpack_pack_uint64(packer, outcome->piece[i].offset);
        queue_effects_bytes(packer, &outcome->piece[i].bytes);
    }
}

static void queue_effects_trace(msgpack_packer *packer, const struct queue_outcome *outcome,
                                size_t position) {
    queue_effects_begin(packer, "trace", 3, position);
    queue_effects_text(packer, "id");
    queue_effects_text(packer, outcome->trace);
    queue_effects_text(packer, "body");
    queue_effects_bytes(packer, &outcome->trace_body);
}

/* Appends nothing where there are no effects. */
static void queue_effects(const struct queue_outcome *outcome, const struct queue_positions *at,
                          struct mem_buffer *out) {
    size_t count = (size_t)(at->session > 0) + (at->ring > 0) + (at->trace > 0);
    if (count == 0)
        return;
    msgpack_packer packer;
    msgpack_packer_init(&packer, out, queue_effects_write);
    msgpack_pack_map(&packer, count);
    if (at->session > 0)
        queue_effects_session(&packer, outcome, at->session);
    if (at->ring > 0)
        queue_effects_ring(&packer, outcome, at->ring);
    if (at->trace > 0)
        queue_effects_trace(&packer, outcome, at->trace);
}

/* --- complete --------------------------------------------------------------------------------- */

/* What has to live until the call is sent. */
struct queue_completing {
    struct queue_positions at;
    struct mem_buffer effects;
};

static size_t queue_optional_key(struct queue *queue, enum keys_named key, const char *id) {
    return id[0] ? queue_call_key(queue, key, id) : 0;
}

/* Jobs often come in runs with the same reply list: that is named once. */
static size_t queue_reply_key(struct queue *queue, const struct queue_completion *job, size_t index,
                              const struct queue_completing *completing) {
    const char *name = job[index].outcome->reply_to;
    if (index > 0 && name[0] && strcmp(name, job[index - 1].outcome->reply_to) == 0)
        return completing[index - 1].at.reply;
    return queue_optional_key(queue, KEYS_REPLY, name);
}

static void queue_complete_keys(struct queue *queue, const struct queue_completion *job,
                                size_t count, struct queue_completing *completing) {
    for (size_t i = 0; i < count; i++)
        (void)queue_call_key(queue, KEYS_RESULT, job[i].outcome->id);
    for (size_t i = 0; i < count; i++) {
        const struct queue_outcome *outcome = job[i].outcome;
        struct queue_positions *at = &completing[i].at;
        at->reply = queue_reply_key(queue, job, i, completing);
        at->session = queue_optional_key(queue, KEYS_SESSION, outcome->session);
        at->ring = queue_optional_key(queue, KEYS_RING, outcome->ring);
        at->trace = queue_optional_key(queue, KEYS_TRACE, outcome->trace);
    }
}

/* attempt,reply,kind:status,bytes */
static void queue_complete_about(struct queue *queue, const struct queue_completion *job,
                                 size_t reply) {
    const struct queue_outcome *outcome = job->outcome;
    char about[128]; /* three numbers and two names of ours, which are short */
    char *at = about + text_from_uint(job->entry->attempt, about);
    *at++ = ',';
    at += text_from_uint(reply, at);
    *at++ = ',';
    at = stpcpy(stpcpy(stpcpy(at, outcome->kind), ":"), outcome->status);
    *at++ = ',';
    (void)text_from_uint(outcome->job_size, at);
    queue_call_text(queue, about);
}

static void queue_complete_job(struct queue *queue, const struct queue_completion *job,
                               struct queue_completing *completing) {
    const struct queue_outcome *outcome = job->outcome;
    queue_effects(outcome, &completing->at, &completing->effects);
    queue_call_text(queue, job->entry->ref);
    queue_complete_about(queue, job, completing->at.reply);
    queue_call_bytes(queue, outcome->result.data, outcome->result.size);
    queue_call_bytes(queue, completing->effects.data, completing->effects.size);
}

int queue_complete(struct queue *queue, const char *worker, const struct queue_completion *job,
                   size_t count, link_reply_fn *done, void *context) {
    assert(count >= 1 && count <= QUEUE_JOBS_MAX);
    struct queue_completing *completing = mem_zero(count, sizeof *completing);
    if (!completing)
        return ERR_NO_MEMORY;
    queue_call_function(queue, "complete");
    queue_complete_keys(queue, job, count, completing);
    queue_call_text(queue, worker);
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        queue_complete_job(queue, &job[i], &completing[i]);
        failed = failed || completing[i].effects.failed;
    }
    int code = failed ? ERR_NO_MEMORY : queue_call_send(queue, 0, done, context);
    for (size_t i = 0; i < count; i++)
        mem_buffer_release(&completing[i].effects);
    free(completing);
    return code;
}

int queue_read_complete(const struct link_reply *reply, size_t index,
                        enum queue_completed *completed) {
    static const char *const names[QUEUE_COMPLETEDS] = {
        [QUEUE_COMPLETED_OK] = "ok",
        [QUEUE_COMPLETED_DUPLICATE] = "duplicate",
        [QUEUE_COMPLETED_CONFLICT] = "conflict",
        [QUEUE_COMPLETED_LOST] = "lost",
    };
    int found;
    int code =
        queue_read_word(reply, link_reply_item(reply, index), names, QUEUE_COMPLETEDS, &found);
    if (code == 0)
        *completed = (enum queue_completed)found;
    return code;
}

/* --- release, leave --------------------------------------------------------------------------- */

int queue_hand_back(struct queue *queue, const char *worker, const struct queue_entry *const *entry,
                    size_t count, link_reply_fn *done, void *context) {
    assert(count <= QUEUE_JOBS_MAX);
    queue_call_function(queue, "release");
    queue_call_text(queue, worker);
    for (size_t i = 0; i < count; i++) {
        queue_call_text(queue, entry[i]->ref);
        queue_call_number(queue, entry[i]->attempt);
    }
    return queue_call_send(queue, 0, done, context);
}

int queue_leave(struct queue *queue, const char *worker, link_reply_fn *done, void *context) {
    queue_call_function(queue, "leave");
    (void)queue_call_key(queue, KEYS_WORKER, worker);
    queue_call_text(queue, worker);
    return queue_call_send(queue, 0, done, context);
}
