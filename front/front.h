/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The whole: a front-end process and the loop that turns it.
 *
 *      requests (libmicrohttpd)
 *         |            ^
 *         v            |
 *     handlers ----> Redis: `link`     enqueue, reads, touch, status
 *         |            ^
 *         v            |
 *       errand <---- Redis: `reader`   one BLMPOP for all that wait
 */
#include "errand.h"
#include "events.h"
#include "front_settings.h"
#include "http.h"
#include "library.h"
#include "limit.h"
#include "link_secret.h"
#include "request.h"
#include "sample.h"
#include "tally.h"

struct front {
    const struct front_settings *settings;
    char name[JOB_ID_MAX + 1]; /* of this process: its reply list */
    uv_loop_t loop;
    uv_prepare_t prepare;
    uv_signal_t signal[2];
    struct http *http;
    struct link *link, *reader_link;
    struct queue queue, reader;
    struct request *first; /* all that are under way */
    size_t bodies;         /* bytes of bodies that are held, of all requests */
    bool is_closing;
    char token[LINK_SECRET_MAX + 1]; /* the operators'; empty: none */
    struct limit limit;

    struct library library;
    struct errands errands;
    struct events events;
    struct sample sample;
    struct tally tally;
    int64_t started_ns;
};

/* Runs until a signal. The process's exit status: 0, or 2 and 3 when it could not start (it has
 * said why). */
int front_run(const struct front_settings *settings);
