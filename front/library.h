/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Whether the Redis on the other side has our functions; where it has not, they are loaded, so that
 * a queue can be filled before its first worker starts.
 */
#include "queue_load.h"

#include <stdbool.h>

struct library {
    struct queue *queue; /* borrowed */
    bool is_asking;
    void (*ready)(void *context); /* they are there (again) */
    void *context;
};

/* The link has come up, or functions were missing. Does nothing while it is at it already. */
void library_begin(struct library *library);

/* True for a good answer. One that says that the functions are missing begins anew. */
bool library_check(struct library *library, const struct link_reply *reply);
