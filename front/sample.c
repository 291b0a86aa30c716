/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "sample.h"

#include "clock.h"
#include "front.h"
#include "shape_queue.h"

#include <math.h>
#include <string.h>

static double sample_number(const struct link_reply *status, const char *lane, const char *name) {
    const struct link_reply *value = queue_read_status(queue_read_status(status, lane), name);
    int64_t number = link_reply_integer(value, -1);
    return number < 0 ? NAN : (double)number;
}

/* The sum of the counters KIND:STATUS. */
static double sample_done(const struct link_reply *status) {
    const struct link_reply *stats = queue_read_status(status, "stats");
    double sum = 0;
    for (size_t i = 0; i + 1 < link_reply_count(stats); i += 2) {
        size_t size;
        const char *name = link_reply_text(link_reply_item(stats, i), &size);
        if (name && strchr(name, ':'))
            sum += (double)link_reply_integer(link_reply_item(stats, i + 1), 0);
    }
    return sum;
}

void sample_take(struct sample *sample, const struct link_reply *status) {
    sample->alive = shape_alive(status);
}

void sample_add(struct sample *sample, const struct result *result) {
    sample->results++;
    sample->queued_ms += (double)result->queued_ms;
    sample->run_ms += result->run_ms;
}

static void sample_store(struct sample *sample, const struct link_reply *status) {
    int64_t now_ns = clock_now_ns();
    double done = sample_done(status);
    struct sample_slot *slot = &sample->slot[sample->next];
    *slot = (struct sample_slot){
        .at_ms = clock_wall_ms(),
        .waiting = sample_number(status, "interactive", "waiting") +
                   sample_number(status, "batch", "waiting"),
        .running = sample_number(status, "interactive", "running") +
                   sample_number(status, "batch", "running"),
        .done_per_s = (done - sample->done) * 1e9 / (double)(now_ns - sample->done_at_ns),
        .queued_ms = sample->results ? sample->queued_ms / sample->results : NAN,
        .run_ms = sample->results ? sample->run_ms / sample->results : NAN,
    };
    if (slot->done_per_s < 0) /* Redis was emptied */
        slot->done_per_s = NAN;
    sample->done = done;
    sample->done_at_ns = now_ns;
    sample->results = 0;
    sample->queued_ms = sample->run_ms = 0;
    sample->next = (sample->next + 1) % SAMPLE_SLOTS;
    sample->count += sample->count < SAMPLE_SLOTS;
}

static void sample_on_status(void *context, const struct link_reply *reply) {
    struct sample *sample = context;
    if (!library_check(&sample->front->library, reply)) {
        sample->alive = 0;
        sample->done = NAN;
        return;
    }
    sample_take(sample, reply);
    sample_store(sample, reply);
}

/* Where that fails, the next one comes soon. */
static void sample_ask(struct sample *sample) {
    if (queue_status(&sample->front->queue, sample_on_status, sample) != 0) {
        sample->alive = 0;
        sample->done = NAN;
    }
}

static void sample_on_timer(uv_timer_t *timer) {
    sample_ask(timer->data);
}

void sample_init(struct sample *sample, struct front *front) {
    sample->front = front;
    sample->done = NAN;
    uv_timer_init(&front->loop, &sample->timer);
    sample->timer.data = sample;
    uv_timer_start(&sample->timer, sample_on_timer, SAMPLE_EVERY_MS, SAMPLE_EVERY_MS);
}

void sample_close(struct sample *sample) {
    uv_close((uv_handle_t *)&sample->timer, NULL);
}

void sample_now(struct sample *sample) {
    sample_ask(sample);
    uv_timer_again(&sample->timer);
}

#define SAMPLE_COLUMN(name)                                                                        \
    { #name, offsetof(struct sample_slot, name) }

static const struct {
    const char *name;
    size_t offset;
} sample_columns[] = {
    SAMPLE_COLUMN(waiting),   SAMPLE_COLUMN(running), SAMPLE_COLUMN(done_per_s),
    SAMPLE_COLUMN(queued_ms), SAMPLE_COLUMN(run_ms),
};

static const struct sample_slot *sample_at(const struct sample *sample, size_t index) {
    size_t first = sample->count < SAMPLE_SLOTS ? 0 : sample->next;
    return &sample->slot[(first + index) % SAMPLE_SLOTS];
}

void sample_write(const struct sample *sample, struct jot *jot) {
    jot_open_map(jot, NULL);
    jot_whole(jot, "every_s", SAMPLE_EVERY_MS / 1000);
    jot_open_list(jot, "at");
    for (size_t i = 0; i < sample->count; i++)
        jot_whole(jot, NULL, (uint64_t)sample_at(sample, i)->at_ms);
    jot_close_list(jot);
    for (size_t column = 0; column < sizeof sample_columns / sizeof *sample_columns; column++) {
        jot_open_list(jot, sample_columns[column].name);
        for (size_t i = 0; i < sample->count; i++) {
            const char *slot = (const char *)sample_at(sample, i);
            double value;
            memcpy(&value, slot + sample_columns[column].offset, sizeof value);
            jot_real(jot, NULL, value, 3);
        }
        jot_close_list(jot);
    }
    jot_close_map(jot);
}
