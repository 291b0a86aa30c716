/* SPDX-License-Identifier: MIT */
#pragma once
/* What routes lead to; one file a noun. */
#include <stdbool.h>

struct request;
typedef void handle_fn(struct request *request);

/* handle_page.c */
handle_fn handle_health, handle_page;
bool handle_page_is(const struct request *request); /* whether its path is a page */

/* handle_session.c */
handle_fn handle_session_create, handle_session_get, handle_session_step, handle_session_params,
    handle_session_timeline;

/* handle_trace.c */
handle_fn handle_trace_create, handle_trace_list, handle_trace_get, handle_trace_timeline;

/* handle_job.c */
handle_fn handle_job_get, handle_job_events, handle_job_cancel;

/* handle_queue.c */
handle_fn handle_queue, handle_workers, handle_history, handle_pause, handle_resume,
    handle_operator, handle_metrics;

/* handle_dead.c */
handle_fn handle_dead_list, handle_dead_requeue, handle_dead_purge;
