/* SPDX-License-Identifier: MIT */
/*
 * One lock guards the lines, the counts and the hand-over of every job. A thread takes it once a
 * job: in the same breath it puts down what it has done and picks the next. It wakes the loop only
 * when the line of finished jobs was empty, and the loop wakes no more threads than there is new
 * work for, so short jobs cost few system calls. The
 * loop is woken without the lock, and so are threads where it is the loop that wakes them. All
 * threads are alike; which of them is "the extra one" is only a matter of counting (slots_may_run).
 */
#include "slots.h"

#include "clock.h"
#include "fpu.h"
#include "thread.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { SLOTS_OVERTAKES = 7 };

struct slots {
    struct slots_options options;
    uv_async_t async;
    void (*stopped)(void *context);
    void *stopped_context;

    pthread_mutex_t lock;
    pthread_cond_t work, prepared;
    struct held_line waiting[JOB_LANES], finished;
    unsigned running[JOB_LANES];
    unsigned overtaken; /* how often interactive jobs went before the batch job that waits */
    unsigned idle;
    unsigned ready; /* threads that have looked at their arithmetic */
    int fault;      /* what they found */
    bool stopping;

    unsigned thread_count;
    pthread_t thread[]; /* options.count + 1 */
};

/* Batch fills the slots at most; an interactive job may go beside a full house of batch. */
static bool slots_may_run(const struct slots *slots, enum job_lane lane) {
    unsigned interactive = slots->running[JOB_INTERACTIVE], batch = slots->running[JOB_BATCH];
    if (interactive + batch < slots->options.count)
        return true;
    return lane == JOB_INTERACTIVE && interactive == 0 && batch == slots->options.count;
}

static struct held *slots_take(struct slots *slots, enum job_lane lane) {
    if (!slots->waiting[lane].first || !slots_may_run(slots, lane))
        return NULL;
    bool overtakes = lane == JOB_INTERACTIVE && slots->waiting[JOB_BATCH].first;
    slots->overtaken = overtakes ? slots->overtaken + 1 : 0;
    return held_line_take(&slots->waiting[lane]);
}

/* Interactive before batch, but with every eighth it is the other way round, as in the function
 * `claim`: a line that is filled up again before it is empty would keep a batch job for ever. */
static struct held *slots_pick(struct slots *slots) {
    bool is_batch_due = slots->overtaken >= SLOTS_OVERTAKES;
    struct held *held = slots_take(slots, is_batch_due ? JOB_BATCH : JOB_INTERACTIVE);
    return held ? held : slots_take(slots, is_batch_due ? JOB_INTERACTIVE : JOB_BATCH);
}

static void slots_begin(struct slots *slots, struct held *held) {
    held_set_state(held, HELD_RUNNING);
    atomic_store_explicit(&held->started_ns, clock_now_ns(), memory_order_relaxed);
    slots->running[held->entry.lane]++;
    if (held->entry.lane == JOB_BATCH && slots->waiting[JOB_INTERACTIVE].first)
        pthread_cond_signal(&slots->work); /* the extra place may have come about */
}

/* True if the loop is to be woken: it does not know of finished jobs yet. */
static bool slots_end(struct slots *slots, struct held *held) {
    bool is_first = !slots->finished.first;
    slots->running[held->entry.lane]--;
    held_set_state(held, HELD_FINISHED);
    held_line_add(&slots->finished, held);
    return is_first;
}

static void slots_prepare(struct slots *slots) {
    thread_give_way();
    int fault = fpu_prepare();
    pthread_mutex_lock(&slots->lock);
    slots->ready++;
    if (fault != 0)
        slots->fault = fault;
    pthread_cond_signal(&slots->prepared);
    pthread_mutex_unlock(&slots->lock);
}

static void *slots_thread(void *argument) {
    struct slots *slots = argument;
    bool wake = false;
    slots_prepare(slots);
    pthread_mutex_lock(&slots->lock);
    while (!slots->stopping) {
        struct held *held = slots_pick(slots);
        if (!held && !wake) {
            slots->idle++;
            pthread_cond_wait(&slots->work, &slots->lock);
            slots->idle--;
            continue;
        }
        if (held)
            slots_begin(slots, held);
        pthread_mutex_unlock(&slots->lock);
        if (wake)
            uv_async_send(&slots->async);
        if (held)
            slots->options.work(slots->options.context, held);
        pthread_mutex_lock(&slots->lock);
        wake = held && slots_end(slots, held);
    }
    pthread_mutex_unlock(&slots->lock);
    return NULL;
}

static void slots_on_async(uv_async_t *async) {
    struct slots *slots = async->data;
    slots->options.finished(slots->options.context);
}

static void slots_join(struct slots *slots) {
    pthread_mutex_lock(&slots->lock);
    slots->stopping = true;
    pthread_cond_broadcast(&slots->work);
    pthread_mutex_unlock(&slots->lock);
    for (unsigned i = 0; i < slots->thread_count; i++)
        pthread_join(slots->thread[i], NULL);
}

static void slots_on_closed(uv_handle_t *handle) {
    struct slots *slots = handle->data;
    void (*stopped)(void *context) = slots->stopped;
    void *context = slots->stopped_context;
    pthread_cond_destroy(&slots->prepared);
    pthread_cond_destroy(&slots->work);
    pthread_mutex_destroy(&slots->lock);
    free(slots);
    if (stopped)
        stopped(context);
}

void slots_stop(struct slots *slots, void (*stopped)(void *context), void *context) {
    slots_join(slots);
    slots->stopped = stopped;
    slots->stopped_context = context;
    uv_close((uv_handle_t *)&slots->async, slots_on_closed);
}

/* Signals are the loop's matter: the threads are started with all of them blocked. */
static int slots_start_threads(struct slots *slots) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = 0;
    while (code == 0 && slots->thread_count <= slots->options.count) {
        code = thread_start(&slots->thread[slots->thread_count], slots_thread, slots);
        slots->thread_count += code == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_lock(&slots->lock);
    while (slots->ready < slots->thread_count)
        pthread_cond_wait(&slots->prepared, &slots->lock);
    int fault = code == 0 ? slots->fault : code;
    pthread_mutex_unlock(&slots->lock);
    return fault;
}

int slots_start(struct slots **out, uv_loop_t *loop, const struct slots_options *options) {
    struct slots *slots = mem_zero(1, sizeof *slots + (options->count + 1) * sizeof *slots->thread);
    if (!slots)
        return ERR_NO_MEMORY;
    slots->options = *options;
    pthread_mutex_init(&slots->lock, NULL);
    pthread_cond_init(&slots->work, NULL);
    pthread_cond_init(&slots->prepared, NULL);
    if (uv_async_init(loop, &slots->async, slots_on_async) != 0) {
        free(slots);
        return ERR_SYSTEM;
    }
    slots->async.data = slots;
    int code = slots_start_threads(slots);
    if (code != 0) {
        slots_stop(slots, NULL, NULL);
        return code;
    }
    *out = slots;
    return 0;
}

void slots_give(struct slots *slots, struct held_line *line) {
    struct held *held;
    pthread_mutex_lock(&slots->lock);
    unsigned wake = line->count < slots->idle ? line->count : slots->idle;
    while ((held = held_line_take(line))) {
        assert(held->state == HELD_WAITING);
        held_line_add(&slots->waiting[held->entry.lane], held);
    }
    pthread_mutex_unlock(&slots->lock);
    while (wake-- > 0)
        pthread_cond_signal(&slots->work);
}

static void slots_move_all(struct held_line *from, struct held_line *to) {
    struct held *held;
    while ((held = held_line_take(from)))
        held_line_add(to, held);
}

void slots_take_finished(struct slots *slots, struct held_line *line) {
    pthread_mutex_lock(&slots->lock);
    slots_move_all(&slots->finished, line);
    pthread_mutex_unlock(&slots->lock);
}

void slots_take_back(struct slots *slots, bool (*which)(const struct held *held),
                     struct held_line *line) {
    pthread_mutex_lock(&slots->lock);
    for (int lane = 0; lane < JOB_LANES; lane++) {
        struct held_line all = {0};
        struct held *held;
        slots_move_all(&slots->waiting[lane], &all);
        while ((held = held_line_take(&all)))
            held_line_add(which(held) ? line : &slots->waiting[lane], held);
    }
    pthread_mutex_unlock(&slots->lock);
}

void slots_count(struct slots *slots, struct slots_counts *counts) {
    pthread_mutex_lock(&slots->lock);
    for (int lane = 0; lane < JOB_LANES; lane++) {
        counts->running[lane] = slots->running[lane];
        counts->waiting[lane] = slots->waiting[lane].count;
    }
    pthread_mutex_unlock(&slots->lock);
}
