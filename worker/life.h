/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The life of a worker process, and what the signals mean in each part of it.
 *
 *   STARTING --- functions and groups are there ---> RUNNING <-- CONT -- QUIET
 *      |                                               |  `---- TSTP ---->  |
 *      |                                               |                    |
 *      `------------------- TERM, INT -----------------+--------------------'
 *                               |
 *                               v
 *                           DRAINING --- nothing is held any more, or time is up ---> GONE
 *
 * QUIET takes no new jobs and goes on with those it has. TSTP before RUNNING is remembered.
 */
#include <stdbool.h>

enum life_state { LIFE_STARTING, LIFE_RUNNING, LIFE_QUIET, LIFE_DRAINING, LIFE_GONE, LIFE_STATES };

struct life {
    enum life_state state;
    bool quiet;                     /* wanted: TSTP came after the last CONT */
    bool hurry;                     /* a second TERM or INT came: stop at once */
    void (*changed)(void *context); /* after each change of any of these; may be NULL */
    void *context;
};

/* "starting", "running", "quiet", "draining", "gone" */
const char *life_name(enum life_state state);

/* The only writer of `state`; asserts that the drawing has this arrow. */
void life_set_state(struct life *life, enum life_state state);

/* Functions and groups are there: STARTING -> RUNNING, or QUIET if that was asked. Else nothing. */
void life_ready(struct life *life);

/* SIGTERM, SIGINT, SIGTSTP or SIGCONT came. Any other number, and any that has no meaning now, does
 * nothing. */
void life_signal(struct life *life, int number);

/* True where new jobs may be taken. */
bool life_takes_jobs(const struct life *life);
