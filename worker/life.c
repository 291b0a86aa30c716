/* SPDX-License-Identifier: MIT */
/*
 * Only the state and its arrows; what follows from a change is done by whoever listens. On the
 * loop's thread.
 */
#include "life.h"

#include <assert.h>
#include <signal.h>

#define LIFE_BIT(state) (1u << (state))

static const unsigned life_arrows[LIFE_STATES] = {
    [LIFE_STARTING] = LIFE_BIT(LIFE_RUNNING) | LIFE_BIT(LIFE_QUIET) | LIFE_BIT(LIFE_DRAINING),
    [LIFE_RUNNING] = LIFE_BIT(LIFE_QUIET) | LIFE_BIT(LIFE_DRAINING),
    [LIFE_QUIET] = LIFE_BIT(LIFE_RUNNING) | LIFE_BIT(LIFE_DRAINING),
    [LIFE_DRAINING] = LIFE_BIT(LIFE_GONE),
};

const char *life_name(enum life_state state) {
    static const char *const names[LIFE_STATES] = {
        [LIFE_STARTING] = "starting", [LIFE_RUNNING] = "running", [LIFE_QUIET] = "quiet",
        [LIFE_DRAINING] = "draining", [LIFE_GONE] = "gone",
    };
    return names[state];
}

static void life_tell(struct life *life) {
    if (life->changed)
        life->changed(life->context);
}

void life_set_state(struct life *life, enum life_state state) {
    assert(life_arrows[life->state] & LIFE_BIT(state));
    life->state = state;
    life_tell(life);
}

void life_ready(struct life *life) {
    if (life->state == LIFE_STARTING)
        life_set_state(life, life->quiet ? LIFE_QUIET : LIFE_RUNNING);
}

static void life_end(struct life *life) {
    if (life->state < LIFE_DRAINING) {
        life_set_state(life, LIFE_DRAINING);
    } else if (life->state == LIFE_DRAINING && !life->hurry) {
        life->hurry = true;
        life_tell(life);
    }
}

static void life_want_quiet(struct life *life, bool quiet) {
    life->quiet = quiet;
    if (life->state == LIFE_RUNNING && quiet)
        life_set_state(life, LIFE_QUIET);
    else if (life->state == LIFE_QUIET && !quiet)
        life_set_state(life, LIFE_RUNNING);
}

void life_signal(struct life *life, int number) {
    if (number == SIGTERM || number == SIGINT)
        life_end(life);
    else if (number == SIGTSTP || number == SIGCONT)
        life_want_quiet(life, number == SIGTSTP);
}

bool life_takes_jobs(const struct life *life) {
    return life->state == LIFE_RUNNING;
}
