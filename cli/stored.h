/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What is kept in Redis and read without a worker: sessions, rings of metrics, traces. All give the
 * exit code after a message; what is not there (any more) is REPORT_REJECTED.
 */
#include "remote.h"
#include "session.h"
#include "wire.h"

/* Renews the session's life, and its ring's. Release the session in either case. */
int stored_session(struct remote *remote, const char *id, struct session *session);

/*
 * The metrics of ticks from..to of a session or trace, at most RING_SLOTS of them; there[i] tells
 * whether those of tick from + i are kept.
 */
int stored_ring(struct remote *remote, const char *id, uint32_t from, uint32_t to,
                struct sim_metrics *metrics, bool *there);

int stored_trace(struct remote *remote, const char *id, struct trace *trace);

/* The newest `limit` traces after the first `skip`, newest first: calls `each` for each. Those that
 * cannot be read are told one by one, and counted. */
int stored_traces(struct remote *remote, unsigned skip, unsigned limit,
                  void (*each)(void *context, const struct trace *trace), void *context,
                  unsigned *unreadable);
