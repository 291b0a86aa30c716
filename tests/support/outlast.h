/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A worker, a client and the command at one Redis, and what happens to that Redis meanwhile: an
 * event is a function after which another server has the queue's keys.
 */

/* Starts a worker; its log and other files go to `folder`. Both are borrowed. */
void outlast_begin(const char *url, const char *folder);

/*
 * The event comes while a job runs and a sweep of the command waits behind it. Then the job has the
 * result that it must have, and the sweep gives what it gives without any Redis.
 */
void outlast_busy(void (*event)(void));

/* The event comes while nothing is to be done. Then there is a job again, and it is done. */
void outlast_idle(void (*event)(void));

/* Nothing is left in the queue, and the worker ends as it should. */
void outlast_end(void);
