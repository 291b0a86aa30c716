/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The whole: every part of a worker process, and the loop that turns them. Each part does its own
 * thing on events; once a turn of the loop, after all events, worker_settle lets each do what can
 * be done now. So whatever comes together leaves together.
 *
 *      commands link                                     reader's link
 *   claim  complete  beat                              blocking XREADGROUP
 *     |       ^                                               |
 *     v       |                                               |
 *   claim -> intake -> slots (threads) -> deliver     <-------' (adopted by the next claim)
 */
#include "admin.h"
#include "beat.h"
#include "claim.h"
#include "deliver.h"
#include "drain.h"
#include "intake.h"
#include "life.h"
#include "meter.h"
#include "provision.h"
#include "recover.h"
#include "settings.h"

struct worker {
    const struct settings *settings;
    char host[JOB_ID_MAX + 1];
    struct work work; /* with the worker's name */
    struct life life;
    struct held_list list;
    struct meter meter;
    struct trouble trouble;
    int64_t started_ns, started_wall_ms;

    uv_loop_t loop;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_signal_t signal[4];
    uv_timer_t watchdog;
    struct link *link, *reader_link;
    struct queue queue, reader;
    struct slots *slots;
    struct admin *admin; /* NULL: none */

    struct provision provision;
    struct intake intake;
    struct claim claim;
    struct deliver deliver;
    struct beat beat;
    struct recover recover;
    struct drain drain;
};

/* Runs until the drain is over. The process's exit status: 0, or 2 and 3 when it could not start
 * (it has said why). */
int worker_run(const struct settings *settings);
