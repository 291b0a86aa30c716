/* SPDX-License-Identifier: MIT */
/* Threads of the same size everywhere. Any thread may start one. */
#include "thread.h"

#include <sched.h>

int thread_start(pthread_t *thread, void *(*run)(void *context), void *context) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return ERR_SYSTEM;
    int error = pthread_attr_setstacksize(&attributes, THREAD_STACK);
    if (error == 0)
        error = pthread_create(thread, &attributes, run, context);
    (void)pthread_attr_destroy(&attributes);
    return error == 0 ? 0 : ERR_SYSTEM;
}

void thread_give_way(void) {
    struct sched_param none = {0};
    if (sched_getscheduler(0) == SCHED_OTHER)
        (void)sched_setscheduler(0, SCHED_BATCH, &none); /* a kernel without it: as it was */
}
