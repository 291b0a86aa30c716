/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Jobs whose progress somebody watches: a stream of server-sent events each. All are looked at five
 * times a second; what has changed since is sent, and behind a job that is done its stream ends.
 */
#include <uv.h>

struct front;
struct request;
struct stream;

struct events {
    struct front *front;
    struct stream *first;
    uv_timer_t timer; /* runs while there are streams */
};

void events_init(struct events *events, struct front *front);
void events_close(struct events *events);

/* Answers with the stream of the job that is request->subject. */
void events_answer(struct request *request);
