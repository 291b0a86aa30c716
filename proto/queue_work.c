/* SPDX-License-Identifier: MIT */
/* Claims, blocking reads, beats: how entries come to a worker and stay with it. */
#include "queue_work.h"

#include "about.h"
#include "queue_call.h"
#include "queue_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- entries ---------------------------------------------------------------------------------- */

const char *queue_entry_id(const struct queue_entry *entry) {
    return entry->ref + 1;
}

static int queue_compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

int queue_entry_compare(const struct queue_entry *a, const struct queue_entry *b) {
    if (a->lane != b->lane)
        return (int)a->lane - (int)b->lane;
    int order = queue_compare_numbers(a->ms, b->ms);
    return order ? order : queue_compare_numbers(a->seq, b->seq);
}

/* lane, and "MS-SEQ" */
static bool queue_make_entry(enum job_lane lane, const char *id, struct queue_entry *entry) {
    size_t size = id ? strlen(id) : 0;
    if (size < 3 || size + 1 > QUEUE_REF_MAX || id[0] < '0' || id[0] > '9')
        return false;
    char *end;
    entry->lane = lane;
    entry->ref[0] = lane == JOB_BATCH ? 'b' : 'i';
    memcpy(entry->ref + 1, id, size + 1);
    entry->ms = strtoull(id, &end, 10);
    if (*end != '-' || end[1] < '0' || end[1] > '9')
        return false;
    entry->seq = strtoull(end + 1, &end, 10);
    return *end == '\0';
}

static const char *queue_item_text(const struct link_reply *list, size_t index, size_t *size) {
    return link_reply_text(link_reply_item(list, index), size);
}

/* --- claim ------------------------------------------------------------------------------------ */

enum { QUEUE_CLAIM_HEAD = 3, QUEUE_CLAIM_WIDTH = 4 };

int queue_claim(struct queue *queue, const struct queue_claim *claim, link_reply_fn *done,
                void *context) {
    queue_call_function(queue, "claim");
    queue_call_text(queue, claim->worker);
    queue_call_number(queue, claim->slots);
    queue_call_number(queue, claim->busy[JOB_INTERACTIVE]);
    queue_call_number(queue, claim->busy[JOB_BATCH]);
    queue_call_number(queue, claim->prefetch);
    queue_call_number(queue, claim->turn);
    queue_call_number(queue, claim->reclaim);
    queue_call_number(queue, claim->lease_ms);
    for (size_t i = 0; i < claim->adopt_count; i++)
        queue_call_text(queue, claim->adopt[i]->ref);
    return queue_call_send(queue, 0, done, context);
}

int queue_read_claim(const struct link_reply *reply, struct queue_claimed *claimed) {
    int code = queue_read_list(reply, QUEUE_CLAIM_HEAD);
    if (code != 0)
        return code;
    size_t beyond = link_reply_count(reply) - QUEUE_CLAIM_HEAD;
    claimed->server_ms = link_reply_integer(link_reply_item(reply, 0), -1);
    claimed->paused = link_reply_integer(link_reply_item(reply, 1), 0) != 0;
    claimed->given = beyond / QUEUE_CLAIM_WIDTH;
    return claimed->server_ms >= 0 && beyond % QUEUE_CLAIM_WIDTH == 0 ? 0 : ERR_PROTOCOL;
}

int queue_read_verdict(const struct link_reply *reply, size_t index, enum queue_verdict *verdict) {
    static const char *const names[QUEUE_VERDICTS] = {
        [QUEUE_VERDICT_RUN] = "run",
        [QUEUE_VERDICT_PAUSED] = "paused",
        [QUEUE_VERDICT_CANCELLED] = "cancelled",
        [QUEUE_VERDICT_LOST] = "lost",
    };
    int found, code;
    const struct link_reply *word = link_reply_item(link_reply_item(reply, 2), index);
    code = queue_read_word(reply, word, names, QUEUE_VERDICTS, &found);
    if (code == 0)
        *verdict = (enum queue_verdict)found;
    return code;
}

int queue_read_given(const struct link_reply *reply, size_t index, struct queue_given *given) {
    size_t at = QUEUE_CLAIM_HEAD + index * QUEUE_CLAIM_WIDTH, size;
    const char *ref = queue_item_text(reply, at, &size);
    int64_t attempt = link_reply_integer(link_reply_item(reply, at + 1), 0);
    int64_t how = link_reply_integer(link_reply_item(reply, at + 2), -1);
    if (!ref || (ref[0] != 'i' && ref[0] != 'b') || attempt < 1 || attempt > INT32_MAX || how < 0 ||
        how >= QUEUE_HOWS)
        return ERR_PROTOCOL;
    *given = (struct queue_given){.how = (enum queue_how)how};
    given->entry.attempt = (unsigned)attempt;
    given->job = queue_item_text(reply, at + 3, &given->job_size);
    enum job_lane lane = ref[0] == 'b' ? JOB_BATCH : JOB_INTERACTIVE;
    return queue_make_entry(lane, ref + 1, &given->entry) ? 0 : ERR_PROTOCOL;
}

/* --- the blocking read ------------------------------------------------------------------------ */

/* How much longer than the wait the answer may take before the link counts as broken. */
enum { QUEUE_WATCH_GRACE_MS = 3000 };

static const enum keys_fixed queue_lane_keys[JOB_LANES] = {
    [JOB_INTERACTIVE] = KEYS_INTERACTIVE,
    [JOB_BATCH] = KEYS_BATCH,
};

int queue_watch(struct queue *queue, const char *worker, const bool lane[JOB_LANES],
                unsigned wait_ms, link_reply_fn *done, void *context) {
    static const char *const head[] = {"GROUP", "workers"};
    queue_call_command(queue, "XREADGROUP");
    queue_call_text(queue, head[0]);
    queue_call_text(queue, head[1]);
    queue_call_text(queue, worker);
    queue_call_text(queue, "COUNT");
    queue_call_number(queue, 1);
    queue_call_text(queue, "BLOCK");
    queue_call_number(queue, wait_ms);
    queue_call_text(queue, "STREAMS");
    for (int i = 0; i < JOB_LANES; i++)
        if (lane[i])
            queue_call_fixed_key(queue, queue_lane_keys[i]);
    for (int i = 0; i < JOB_LANES; i++)
        if (lane[i])
            queue_call_text(queue, ">");
    return queue_call_send(queue, wait_ms + QUEUE_WATCH_GRACE_MS, done, context);
}

/* [id, [field, value, ...]] */
static int queue_read_stream_entry(enum job_lane lane, const struct link_reply *entry,
                                   struct queue_given *given) {
    size_t size;
    *given = (struct queue_given){.how = QUEUE_RUN, .entry.attempt = 1};
    if (!queue_make_entry(lane, queue_item_text(entry, 0, &size), &given->entry))
        return ERR_PROTOCOL;
    const struct link_reply *fields = link_reply_item(entry, 1);
    for (size_t i = 0; i + 1 < link_reply_count(fields) && !given->job; i += 2) {
        const char *name = queue_item_text(fields, i, &size);
        if (name && strcmp(name, "job") == 0)
            given->job = queue_item_text(fields, i + 1, &given->job_size);
    }
    return 0;
}

int queue_read_watch(const struct queue *queue, const struct link_reply *reply,
                     struct queue_given given[JOB_LANES], size_t *count) {
    *count = 0;
    if (reply && link_reply_type(reply) == LINK_NIL)
        return 0;
    int code = queue_read_list(reply, 1);
    char batch[KEYS_MAX];
    (void)keys_fixed(queue->name, KEYS_BATCH, batch);
    for (size_t i = 0; code == 0 && i < link_reply_count(reply) && i < JOB_LANES; i++) {
        const struct link_reply *stream = link_reply_item(reply, i);
        size_t size;
        const char *name = queue_item_text(stream, 0, &size);
        enum job_lane lane = name && strcmp(name, batch) == 0 ? JOB_BATCH : JOB_INTERACTIVE;
        code = queue_read_stream_entry(lane, link_reply_item(link_reply_item(stream, 1), 0),
                                       &given[i]);
        *count = i + 1;
    }
    return code;
}

int queue_connection(struct queue *queue, link_reply_fn *done, void *context) {
    queue_call_command(queue, "CLIENT");
    queue_call_text(queue, "ID");
    return queue_call_send(queue, 0, done, context);
}

int queue_unblock(struct queue *queue, int64_t connection, link_reply_fn *done, void *context) {
    queue_call_command(queue, "CLIENT");
    queue_call_text(queue, "UNBLOCK");
    queue_call_number(queue, (uint64_t)connection);
    return queue_call_send(queue, 0, done, context);
}

int queue_holdings(struct queue *queue, const char *worker, enum job_lane lane, bool next,
                   link_reply_fn *done, void *context) {
    char consumer[JOB_ID_MAX + 8];
    (void)snprintf(consumer, sizeof consumer, "%s%s", worker, next ? ":next" : "");
    queue_call_command(queue, "XPENDING");
    queue_call_fixed_key(queue, queue_lane_keys[lane]);
    queue_call_text(queue, "workers");
    queue_call_text(queue, "-");
    queue_call_text(queue, "+");
    queue_call_number(queue, QUEUE_JOBS_MAX);
    queue_call_text(queue, consumer);
    return queue_call_send(queue, 0, done, context);
}

int queue_read_holding(const struct link_reply *reply, size_t index, enum job_lane lane,
                       struct queue_entry *entry) {
    size_t size;
    const struct link_reply *row = link_reply_item(reply, index);
    int64_t attempt = link_reply_integer(link_reply_item(row, 3), -1);
    if (attempt < 0 || attempt > INT32_MAX)
        return ERR_PROTOCOL;
    entry->attempt = (unsigned)attempt;
    return queue_make_entry(lane, queue_item_text(row, 0, &size), entry) ? 0 : ERR_PROTOCOL;
}

/* --- beat ------------------------------------------------------------------------------------- */

enum { QUEUE_BEAT_HEAD = 1, QUEUE_BEAT_WIDTH = 2 };

static int queue_about_job(const struct queue_beat *beat, const struct queue_beat_job *job,
                           struct mem_buffer *out) {
    struct about_job about = {.attempt = job->entry->attempt,
                              .done = job->done,
                              .total = job->total,
                              .started_ms = (uint64_t)job->started_ms};
    (void)snprintf(about.id, sizeof about.id, "%s", job->id);
    (void)snprintf(about.kind, sizeof about.kind, "%s", job->kind);
    (void)snprintf(about.worker, sizeof about.worker, "%s", beat->worker);
    return about_encode_job(&about, out);
}

/* What is said of each job, one behind the other in `about`, and how long each is. */
static int queue_about_jobs(const struct queue_beat *beat, struct mem_buffer *about, size_t *size) {
    for (size_t i = 0; i < beat->count; i++) {
        size_t before = about->size;
        if (beat->job[i].started && queue_about_job(beat, &beat->job[i], about) != 0)
            return ERR_NO_MEMORY;
        size[i] = about->size - before;
    }
    return 0;
}

int queue_beat(struct queue *queue, const struct queue_beat *beat, link_reply_fn *done,
               void *context) {
    assert(beat->count <= QUEUE_JOBS_MAX);
    struct mem_buffer about = {0};
    size_t *size = mem_alloc(beat->count * sizeof *size);
    int code = size ? queue_about_jobs(beat, &about, size) : ERR_NO_MEMORY;
    if (code != 0)
        goto out;
    queue_call_function(queue, "beat");
    (void)queue_call_key(queue, KEYS_WORKER, beat->worker);
    queue_call_text(queue, beat->worker);
    queue_call_number(queue, beat->ttl_ms);
    queue_call_bytes(queue, beat->about.data, beat->about.size);
    size_t at = 0;
    for (size_t i = 0; i < beat->count; i++) {
        queue_call_text(queue, beat->job[i].entry->ref);
        queue_call_number(queue, beat->job[i].entry->attempt);
        queue_call_number(queue, beat->job[i].started);
        queue_call_bytes(queue, size[i] ? about.data + at : NULL, size[i]);
        at += size[i];
    }
    code = queue_call_send(queue, 0, done, context);
out:
    free(size);
    mem_buffer_release(&about);
    return code;
}

int queue_read_beat(const struct link_reply *reply, int64_t *server_ms, size_t *stops) {
    int code = queue_read_list(reply, QUEUE_BEAT_HEAD);
    if (code != 0)
        return code;
    *server_ms = link_reply_integer(link_reply_item(reply, 0), -1);
    *stops = (link_reply_count(reply) - QUEUE_BEAT_HEAD) / QUEUE_BEAT_WIDTH;
    return *server_ms >= 0 ? 0 : ERR_PROTOCOL;
}

int queue_read_stop(const struct link_reply *reply, size_t index, struct queue_stop *stop) {
    size_t at = QUEUE_BEAT_HEAD + index * QUEUE_BEAT_WIDTH, size;
    const char *why = queue_item_text(reply, at + 1, &size);
    stop->ref = queue_item_text(reply, at, &size);
    stop->cancelled = why && strcmp(why, "cancelled") == 0;
    return stop->ref && why ? 0 : ERR_PROTOCOL;
}
