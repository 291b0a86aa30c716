/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The end of a worker: what has not begun is handed back at once; what runs may finish for
 * `patience`, then it is stopped at its next tick and handed back; results are delivered; the
 * worker leaves the registry. However Redis behaves, it is over soon after the patience is.
 */
#include "claim.h"
#include "deliver.h"

struct drain {
    struct queue *queue;
    const char *worker;
    struct held_list *list;
    struct intake *intake;
    struct claim *claim;
    int64_t abandon_ns; /* when what still runs is stopped; 0: no drain */
    int64_t give_up_ns; /* when the worker ends, whatever is left */
    bool leaving;       /* the worker's leave is under way */
    bool left;
    uv_timer_t timer; /* only wakes the loop */
};

/* The other fields are the caller's to fill. */
void drain_init(struct drain *drain, uv_loop_t *loop);
void drain_close(struct drain *drain);

void drain_begin(struct drain *drain, int64_t now_ns, unsigned patience_s);

/* No patience any more. */
void drain_hurry(struct drain *drain, int64_t now_ns);

/* Does what is due, once a turn of the loop. True: the worker can end. */
bool drain_settle(struct drain *drain, int64_t now_ns, bool link_is_up);
