/* SPDX-License-Identifier: MIT */
/*
 * Threads that each take the next chunk and run it; the calling thread writes. One mutex guards the
 * whole struct sweep. Nobody simulates under it; the rows are written under it, which costs less
 * than a thousandth of making them.
 */
#include "engine.h"
#include "local.h"
#include "mem.h"
#include "report.h"
#include "sweep.h"
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct sweep_crew {
    struct sweep *sweep;
    const struct engine *engine;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a chunk is done, a place became free, or all is to stop */
    bool stop;
    char why[FAULT_MESSAGE_MAX + 1]; /* empty: nothing went wrong */
};

/* Waits for a chunk that may begin; false when there is nothing left to do. The lock is held. */
static bool sweep_crew_take(struct sweep_crew *crew, uint64_t *index) {
    while (!crew->stop && crew->sweep->next_begin < crew->sweep->chunks) {
        if (sweep_begin(crew->sweep, index))
            return true;
        pthread_cond_wait(&crew->changed, &crew->lock);
    }
    return false;
}

static void *sweep_crew_main(void *context) {
    struct sweep_crew *crew = context;
    uint64_t index;
    pthread_mutex_lock(&crew->lock);
    while (sweep_crew_take(crew, &index)) {
        struct job job = sweep_job(crew->sweep, index);
        struct result result;
        pthread_mutex_unlock(&crew->lock);
        local_run(&job, crew->engine, &result);
        pthread_mutex_lock(&crew->lock);
        if (sweep_add(crew->sweep, index, &result) != 0 && !crew->stop) {
            crew->stop = true;
            (void)snprintf(crew->why, sizeof crew->why, "%s", result.fault.message);
        }
        result_release(&result);
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Writes rows as they come until all are written or something fails. The lock is held. */
static int sweep_crew_write(struct sweep_crew *crew) {
    while (!crew->stop) {
        uint64_t before = crew->sweep->next_write;
        int code = sweep_write(crew->sweep);
        if (code != 0 || sweep_is_done(crew->sweep))
            return code;
        if (crew->sweep->next_write != before)
            pthread_cond_broadcast(&crew->changed);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    return report_infrastructure("a run failed: %s", crew->why);
}

int sweep_local(struct sweep *sweep, const struct engine *engine, unsigned threads) {
    struct sweep_crew crew = {.sweep = sweep, .engine = engine};
    pthread_t *thread = mem_zero(threads, sizeof *thread);
    unsigned started = 0;
    if (!thread)
        return report_infrastructure("out of memory");
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.changed, NULL);
    while (started < threads && thread_start(&thread[started], sweep_crew_main, &crew) == 0)
        started++;

    int code;
    if (started == 0) {
        code = report_infrastructure("cannot start a thread");
    } else {
        pthread_mutex_lock(&crew.lock);
        code = sweep_crew_write(&crew);
        crew.stop = true;
        pthread_cond_broadcast(&crew.changed);
        pthread_mutex_unlock(&crew.lock);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
    free(thread);
    return code;
}
