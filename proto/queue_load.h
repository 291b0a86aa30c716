/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The library of Redis functions that this program was built with, and how it gets into a Redis.
 *
 *   queue_version -> queue_load_need -> queue_load, or nothing
 */
#include "queue.h"

/* The text of functions.lua; lives for ever, terminated. */
const char *queue_library(size_t *size);

/* Its version. */
unsigned queue_library_version(void);

enum queue_need {
    QUEUE_NEED_NOTHING, /* this version is there, or a newer one, which does all that this one does
                         */
    QUEUE_NEED_LOAD,    /* there is none */
    QUEUE_NEED_REPLACE, /* there is an older one */
    QUEUE_NEED_RIGHTS,  /* the ACL does not even allow to ask */
    QUEUE_NEED_RETRY,   /* no answer, or not now */
};

/* What an answer to queue_version means; *version is what is there, 0: none or unknown. */
enum queue_need queue_load_need(const struct link_reply *reply, unsigned *version);

/*
 * FUNCTION LOAD, or with `replace` FUNCTION LOAD REPLACE. Of several that load at once the others
 * get an error that queue_load_was_there knows.
 */
int queue_load(struct queue *queue, bool replace, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;
bool queue_load_was_there(const struct link_reply *reply);
