/* SPDX-License-Identifier: MIT */
/*
 * A beat that fails changes nothing: the next one says it all again. A job that another worker has
 * by now is told by its ref; one that this worker has just delivered may be told so too, when the
 * beat overtook nothing but its own list, and then there is nobody by that ref any more.
 */
#include "beat.h"

#include "log.h"

#include <stdlib.h>

enum {
    BEAT_EVERY_MS = 1000,
    BEAT_TTL_BEATS = 5, /* after which a silent worker leaves the registry */
    BEAT_TTL_LEAST_MS = 5000,
};

unsigned beat_interval_ms(unsigned lease_s) {
    unsigned third = lease_s * 1000 / 3;
    return third < BEAT_EVERY_MS ? third : BEAT_EVERY_MS;
}

static void beat_settle_declared(struct beat *beat, bool is_told) {
    struct held *after;
    for (struct held *held = beat->list->first; held; held = after) {
        after = held->after;
        if (held->declare != HELD_DECLARE_SENT)
            continue;
        held->declare = is_told ? HELD_DECLARE_NO : HELD_DECLARE_WANTED;
        if (is_told)
            beat->declared(beat->context, held);
    }
}

static void beat_stop(struct beat *beat, const struct queue_stop *stop) {
    struct held *held = held_list_find(beat->list, stop->ref);
    if (!held)
        return;
    if (stop->cancelled && atomic_load(&held->order) == HELD_GO_ON)
        atomic_store(&held->order, HELD_CANCEL);
    else if (!stop->cancelled && held->beat_attempt == held->entry.attempt)
        beat->lost(beat->context, held);
}

static void beat_on_answer(void *context, const struct link_reply *reply) {
    struct beat *beat = context;
    struct queue_stop stop;
    int64_t server_ms;
    size_t stops;
    int code = queue_read_beat(reply, &server_ms, &stops);
    bool is_told = code == 0;
    bool resumes = is_told && beat->failed;
    beat->in_flight = false;
    beat->failed = !is_told;
    for (size_t i = 0; is_told && i < stops; i++)
        if (queue_read_stop(reply, i, &stop) == 0)
            beat_stop(beat, &stop);
    beat_settle_declared(beat, is_told);
    beat->meter->beats += is_told;
    trouble_answered(beat->trouble, TROUBLE_BEAT, code, reply);
    if (resumes)
        beat->resumed(beat->context);
}

/* What started_ns says is true or just becoming so; of a job in a slot nothing else is looked at.
 */
static void beat_tell(struct held *held, struct queue_beat_job *job) {
    int64_t started_ns = atomic_load_explicit(&held->started_ns, memory_order_relaxed);
    held->beat_attempt = held->entry.attempt;
    if (held->declare == HELD_DECLARE_WANTED)
        held->declare = HELD_DECLARE_SENT;
    *job =
        (struct queue_beat_job){.entry = &held->entry,
                                .started = started_ns > 0 || held->declare == HELD_DECLARE_SENT,
                                .id = held->job.id,
                                .kind = job_kind_name(held->job.kind),
                                .done = atomic_load_explicit(&held->done, memory_order_relaxed),
                                .total = atomic_load_explicit(&held->total, memory_order_relaxed),
                                .started_ms = held->server_ms};
    if (started_ns > 0)
        job->started_ms += (started_ns - held->claimed_ns) / 1000000;
}

static void beat_send(struct beat *beat) {
    struct queue_beat request = {.worker = beat->worker};
    size_t count = beat->list->count < QUEUE_JOBS_MAX ? beat->list->count : QUEUE_JOBS_MAX;
    struct queue_beat_job *job = mem_alloc(count * sizeof *job);
    if (!job)
        return;
    for (struct held *held = beat->list->first; held && request.count < count; held = held->after)
        if (!held->fenced_out) /* else it may be held a second time, and that one counts */
            beat_tell(held, &job[request.count++]);
    request.job = job;
    request.ttl_ms = beat->every_ms * BEAT_TTL_BEATS;
    if (request.ttl_ms < BEAT_TTL_LEAST_MS)
        request.ttl_ms = BEAT_TTL_LEAST_MS;
    beat->about(beat->context, &request.about);
    beat->in_flight =
        !request.about.failed && queue_beat(beat->queue, &request, beat_on_answer, beat) == 0;
    if (!beat->in_flight)
        beat_settle_declared(beat, false);
    mem_buffer_release(&request.about);
    free(job);
}

static void beat_on_timer(uv_timer_t *timer) {
    struct beat *beat = timer->data;
    if (beat->ready && !beat->in_flight)
        beat_send(beat);
}

void beat_now(struct beat *beat) {
    uv_timer_start(&beat->timer, beat_on_timer, beat->every_ms, beat->every_ms);
    beat_on_timer(&beat->timer);
}

bool beat_ahead(struct beat *beat) {
    if (!beat->ready || beat->in_flight)
        return false;
    beat_send(beat);
    return beat->in_flight;
}

void beat_settle(struct beat *beat) {
    bool wanted = false;
    for (const struct held *held = beat->list->first; held && !wanted; held = held->after)
        wanted = held->declare == HELD_DECLARE_WANTED;
    if (wanted && !beat->failed)
        beat_on_timer(&beat->timer);
}

void beat_init(struct beat *beat, uv_loop_t *loop) {
    uv_timer_init(loop, &beat->timer);
    uv_unref((uv_handle_t *)&beat->timer);
    beat->timer.data = beat;
}

void beat_close(struct beat *beat) {
    uv_close((uv_handle_t *)&beat->timer, NULL);
}
