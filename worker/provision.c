/* SPDX-License-Identifier: MIT */
/*
 * A worker whose ACL does not let it load functions waits for the operator to do so. Several
 * workers may start at the same moment; who loads second is told that it is there,
 * and asks again. On the loop's thread.
 */
#include "provision.h"

#include "clock.h"
#include "log.h"

#include <assert.h>
#include <stdio.h>

/* Functions that are missing so soon after they were there: the library has gaps, or somebody drops
 * it again and again. Then there is a rest before the next look. */
#define PROVISION_SOON_NS INT64_C(10000000000)

static const unsigned provision_arrows[PROVISION_STATES] = {
    [PROVISION_IDLE] = 1u << PROVISION_ASKING | 1u << PROVISION_RESTING,
    [PROVISION_ASKING] = 1u << PROVISION_IDLE | 1u << PROVISION_LOADING | 1u << PROVISION_RESTING,
    [PROVISION_LOADING] = 1u << PROVISION_ASKING | 1u << PROVISION_IDLE | 1u << PROVISION_RESTING,
    [PROVISION_RESTING] = 1u << PROVISION_ASKING | 1u << PROVISION_IDLE,
};

static void provision_set_state(struct provision *provision, enum provision_state state) {
    assert(provision_arrows[provision->state] & 1u << state);
    provision->state = state;
}

static void provision_ask(struct provision *provision);
static void provision_on_loaded(void *context, const struct link_reply *reply);

static void provision_on_timer(uv_timer_t *timer) {
    provision_ask(timer->data);
}

/* Tries again later. */
static void provision_rest(struct provision *provision) {
    provision_set_state(provision, PROVISION_RESTING);
    uv_timer_start(&provision->timer, provision_on_timer,
                   backoff_take(&provision->backoff, backoff_dice()), 0);
}

static void provision_fail(struct provision *provision, const char *why) {
    trouble_begin(provision->trouble, TROUBLE_FUNCTIONS, why);
    provision_rest(provision);
}

static void provision_done(struct provision *provision, unsigned version) {
    provision_set_state(provision, PROVISION_IDLE);
    provision->is_ready = true;
    provision->ready_ns = clock_now_ns();
    if (version > queue_library_version() && version != provision->newer)
        LOG_WRITE(LOG_LEVEL_INFO, "this Redis has newer functions, which do as well",
                  LOG_INT("theirs", version), LOG_INT("ours", queue_library_version()));
    provision->newer = version;
    provision->ready(provision->context);
    trouble_end(provision->trouble, TROUBLE_FUNCTIONS);
}

static void provision_load(struct provision *provision, bool replace) {
    provision_set_state(provision, PROVISION_LOADING);
    provision->replaces = replace;
    if (queue_load(provision->queue, replace, provision_on_loaded, provision) != 0)
        provision_fail(provision, "the request could not be sent");
}

static void provision_on_version(void *context, const struct link_reply *reply) {
    struct provision *provision = context;
    unsigned version;
    if (provision->state != PROVISION_ASKING || !reply)
        return; /* without an answer: provision_interrupt comes */
    enum queue_need need = queue_load_need(reply, &version);
    switch (need) {
    case QUEUE_NEED_NOTHING:
        provision_done(provision, version);
        break;
    case QUEUE_NEED_LOAD:
    case QUEUE_NEED_REPLACE:
        provision_load(provision, need == QUEUE_NEED_REPLACE);
        break;
    case QUEUE_NEED_RIGHTS:
    case QUEUE_NEED_RETRY:
        provision_fail(provision, queue_answer_text(reply));
        break;
    }
}

static void provision_on_loaded(void *context, const struct link_reply *reply) {
    struct provision *provision = context;
    if (provision->state != PROVISION_LOADING || !reply)
        return;
    if (queue_answer(reply) == QUEUE_ANSWER_OK) {
        LOG_WRITE(LOG_LEVEL_INFO, "loaded the Redis functions",
                  LOG_INT("version", queue_library_version()));
        provision_ask(provision);
    } else if (queue_load_was_there(reply)) {
        provision_rest(provision); /* by somebody else, at the same moment */
    } else {
        char why[256];
        (void)snprintf(why, sizeof why, "%s%s; load functions.lua by hand, or allow FUNCTION LOAD",
                       provision->replaces ? "those that are there are older: " : "",
                       queue_answer_text(reply));
        provision_fail(provision,
                       queue_answer(reply) == QUEUE_ANSWER_DENIED ? why : queue_answer_text(reply));
    }
}

static void provision_ask(struct provision *provision) {
    provision_set_state(provision, PROVISION_ASKING);
    if (queue_version(provision->queue, provision_on_version, provision) != 0)
        provision_fail(provision, "the request could not be sent");
}

void provision_init(struct provision *provision, uv_loop_t *loop, struct queue *queue,
                    struct trouble *trouble, void (*ready)(void *context), void *context) {
    *provision =
        (struct provision){.queue = queue, .trouble = trouble, .ready = ready, .context = context};
    uv_timer_init(loop, &provision->timer);
    provision->timer.data = provision;
}

void provision_begin(struct provision *provision) {
    provision->is_ready = false;
    trouble_begin(provision->trouble, TROUBLE_FUNCTIONS, NULL);
    if (provision->state != PROVISION_IDLE)
        return;
    bool again = clock_now_ns() - provision->ready_ns < PROVISION_SOON_NS;
    if (again && provision->ready_ns > 0) {
        provision_rest(provision);
    } else {
        backoff_reset(&provision->backoff);
        provision_ask(provision);
    }
}

void provision_interrupt(struct provision *provision) {
    provision->is_ready = false;
    provision->ready_ns = 0;
    uv_timer_stop(&provision->timer);
    if (provision->state != PROVISION_IDLE)
        provision_set_state(provision, PROVISION_IDLE);
}

void provision_close(struct provision *provision) {
    provision_interrupt(provision);
    uv_close((uv_handle_t *)&provision->timer, NULL);
}
