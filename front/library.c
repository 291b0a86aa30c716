/* SPDX-License-Identifier: MIT */
/* What fails here is seen by the next request that fails for the same reason. On the loop. */
#include "library.h"

#include "log.h"

static void library_on_loaded(void *context, const struct link_reply *reply) {
    struct library *library = context;
    library->is_asking = false;
    if (queue_answer(reply) == QUEUE_ANSWER_OK || queue_load_was_there(reply))
        library->ready(library->context);
    else if (reply)
        LOG_WRITE(LOG_LEVEL_WARNING, "the queue's functions were not loaded",
                  LOG_TEXT("why", queue_answer_text(reply)));
}

static void library_on_version(void *context, const struct link_reply *reply) {
    struct library *library = context;
    unsigned version;
    enum queue_need need = queue_load_need(reply, &version);
    bool is_old = need == QUEUE_NEED_REPLACE;
    library->is_asking = (need == QUEUE_NEED_LOAD || is_old) &&
                         queue_load(library->queue, is_old, library_on_loaded, library) == 0;
    if (need == QUEUE_NEED_NOTHING)
        library->ready(library->context);
}

void library_begin(struct library *library) {
    if (!library->is_asking)
        library->is_asking = queue_version(library->queue, library_on_version, library) == 0;
}

bool library_check(struct library *library, const struct link_reply *reply) {
    enum queue_answer answer = queue_answer(reply);
    if (answer == QUEUE_ANSWER_NO_FUNCTIONS)
        library_begin(library);
    return answer == QUEUE_ANSWER_OK;
}
