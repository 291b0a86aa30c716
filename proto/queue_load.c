/* SPDX-License-Identifier: MIT */
/*
 * functions.lua is compiled in (embed.cmake makes an array of it), so that a worker can load it
 * wherever its ACL allows, and can never load another version than it speaks. The version stands
 * only there; it is read from the text.
 */
#include "queue_load.h"

#include "queue_call.h"
#include "queue_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char queue_library_text[];
extern const size_t queue_library_size;

const char *queue_library(size_t *size) {
    *size = queue_library_size;
    return (const char *)queue_library_text;
}

unsigned queue_library_version(void) {
    static const char before[] = "\nlocal VERSION = ";
    const char *at = strstr((const char *)queue_library_text, before);
    assert(at);
    return (unsigned)strtoul(at + sizeof before - 1, NULL, 10);
}

enum queue_need queue_load_need(const struct link_reply *reply, unsigned *version) {
    *version = 0;
    switch (queue_answer(reply)) {
    case QUEUE_ANSWER_NO_FUNCTIONS:
        return QUEUE_NEED_LOAD;
    case QUEUE_ANSWER_DENIED:
        return QUEUE_NEED_RIGHTS;
    case QUEUE_ANSWER_OK:
        break;
    default:
        return QUEUE_NEED_RETRY;
    }
    if (queue_read_version(reply, version) != 0)
        return QUEUE_NEED_REPLACE; /* none of ours would answer so */
    return *version < queue_library_version() ? QUEUE_NEED_REPLACE : QUEUE_NEED_NOTHING;
}

int queue_load(struct queue *queue, bool replace, link_reply_fn *done, void *context) {
    queue_call_command(queue, "FUNCTION");
    queue_call_text(queue, "LOAD");
    if (replace)
        queue_call_text(queue, "REPLACE");
    queue_call_bytes(queue, queue_library_text, queue_library_size);
    return queue_call_send(queue, 0, done, context);
}

bool queue_load_was_there(const struct link_reply *reply) {
    return queue_answer(reply) == QUEUE_ANSWER_WRONG &&
           strstr(queue_answer_text(reply), "already exists") != NULL;
}
