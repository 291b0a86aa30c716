/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a worker asks of its queue: claim, beat, complete, release, leave, and the blocking read.
 * PROTOCOL.md, "Functions", says what each guarantees. Requests and readers as in queue.h.
 */
#include "queue.h"
#include "wire.h"

/* An entry of one of the lanes, and which attempt at it this is: together with the worker's name
 * the fence of everything that is asked about it. */
struct queue_entry {
    enum job_lane lane;
    char ref[QUEUE_REF_MAX + 1];
    uint64_t ms, seq; /* the two halves of the entry's id; ms is when it was added */
    unsigned attempt; /* 1: no run of it has been lost */
};

/* The entry's id, inside the ref. */
const char *queue_entry_id(const struct queue_entry *entry);

/* The order in which a lane was filled: negative, 0, positive. Interactive before batch. */
int queue_entry_compare(const struct queue_entry *a, const struct queue_entry *b);

enum queue_how {
    QUEUE_RUN,
    QUEUE_NEXT,  /* not started until beat says so, or it is completed */
    QUEUE_ALONE, /* it was lost before; likewise, and nothing may run beside it */
    QUEUE_HOWS,
};

/* An entry that has come to this worker. */
struct queue_given {
    struct queue_entry entry;
    enum queue_how how;
    const char *job; /* NULL: it has no field `job`. Borrowed from the reply */
    size_t job_size;
};

/* --- claim ---------------------------------------------------------------------------------------
 */

/* Whose entries to take over, where the lease is over. Its own only right behind a beat: else a
 * worker that has slept, or whose Redis has, would count as lost what it still runs. */
enum queue_reclaim { QUEUE_RECLAIM_NONE, QUEUE_RECLAIM_OTHERS, QUEUE_RECLAIM_ALL };

struct queue_claim {
    const char *worker;
    unsigned slots, busy[JOB_LANES];
    unsigned prefetch;
    unsigned turn; /* claims so far that gave something */
    enum queue_reclaim reclaim;
    unsigned lease_ms;
    const struct queue_entry *adopt[JOB_LANES]; /* from a read; verdicts come in this order */
    size_t adopt_count;
};

enum queue_verdict {
    QUEUE_VERDICT_RUN,
    QUEUE_VERDICT_PAUSED,    /* handed back */
    QUEUE_VERDICT_CANCELLED, /* it has its result */
    QUEUE_VERDICT_LOST,
    QUEUE_VERDICTS,
};

struct queue_claimed {
    int64_t server_ms;
    bool paused;
    size_t given; /* how many queue_read_given has */
};

int queue_claim(struct queue *queue, const struct queue_claim *claim, link_reply_fn *done,
                void *context) ERR_MUST_CHECK;
int queue_read_claim(const struct link_reply *reply, struct queue_claimed *claimed) ERR_MUST_CHECK;
int queue_read_verdict(const struct link_reply *reply, size_t index,
                       enum queue_verdict *verdict) ERR_MUST_CHECK;
int queue_read_given(const struct link_reply *reply, size_t index,
                     struct queue_given *given) ERR_MUST_CHECK;

/*
 * Waits up to wait_ms for an entry of `lane`s: at most one of each comes. `given` has room for
 * JOB_LANES; *count is 0 when none came.
 */
int queue_watch(struct queue *queue, const char *worker, const bool lane[JOB_LANES],
                unsigned wait_ms, link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_watch(const struct queue *queue, const struct link_reply *reply,
                     struct queue_given given[JOB_LANES], size_t *count) ERR_MUST_CHECK;

/* The number of the link's connection, by which another link can end its wait early. */
int queue_connection(struct queue *queue, link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_unblock(struct queue *queue, int64_t connection, link_reply_fn *done,
                  void *context) ERR_MUST_CHECK;

/*
 * What Redis says that this worker has of a lane, as started or (`next`) as claimed ahead; at most
 * QUEUE_JOBS_MAX. The reader fails where there are no more.
 */
int queue_holdings(struct queue *queue, const char *worker, enum job_lane lane, bool next,
                   link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_holding(const struct link_reply *reply, size_t index, enum job_lane lane,
                       struct queue_entry *entry) ERR_MUST_CHECK;

/* --- beat ----------------------------------------------------------------------------------------
 */

struct queue_beat_job {
    const struct queue_entry *entry;
    bool started;
    const char *id, *kind;
    uint64_t done, total; /* ticks */
    int64_t started_ms;   /* since 1970, by the server's clock */
};

struct queue_beat {
    const char *worker;
    unsigned ttl_ms;
    struct mem_buffer about; /* wire_encode_worker */
    const struct queue_beat_job *job;
    size_t count; /* at most QUEUE_JOBS_MAX */
};

/* What to stop: jobs that were lost to another worker, and those that were cancelled. */
struct queue_stop {
    const char *ref; /* borrowed from the reply */
    bool cancelled;
};

int queue_beat(struct queue *queue, const struct queue_beat *beat, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;
int queue_read_beat(const struct link_reply *reply, int64_t *server_ms,
                    size_t *stops) ERR_MUST_CHECK;
int queue_read_stop(const struct link_reply *reply, size_t index,
                    struct queue_stop *stop) ERR_MUST_CHECK;

/* --- complete, release, leave --------------------------------------------------------------------
 */

/* Everything that is written when a job is done, encoded; or nothing of it is. */
struct queue_outcome {
    char id[JOB_ID_MAX + 1];       /* of the job */
    char reply_to[JOB_ID_MAX + 1]; /* empty: nowhere */
    const char *kind, *status;     /* names, for the counters */
    size_t job_size;               /* bytes of the job */
    struct mem_buffer result;

    char session[JOB_ID_MAX + 1]; /* empty: none is written */
    uint64_t expect_revision;     /* it gets the next one; 0: it must not exist yet */
    uint32_t tick;
    struct mem_buffer body;

    char ring[JOB_ID_MAX + 1]; /* empty: none */
    struct wire_ring_piece piece[2];
    int pieces;

    char trace[JOB_ID_MAX + 1]; /* empty: none */
    struct mem_buffer trace_body;
};

/* Its bytes, roughly: for limits. */
size_t queue_outcome_size(const struct queue_outcome *outcome);
void queue_outcome_release(struct queue_outcome *outcome);

struct queue_completion {
    const struct queue_entry *entry;
    const struct queue_outcome *outcome;
};

enum queue_completed {
    QUEUE_COMPLETED_OK,
    QUEUE_COMPLETED_DUPLICATE, /* a job of that id has a result already; the entry is gone */
    QUEUE_COMPLETED_CONFLICT,  /* the session has another revision; nothing is written */
    QUEUE_COMPLETED_LOST,      /* the entry is another's by now; nothing is written */
    QUEUE_COMPLETEDS,
};

/* 1 to QUEUE_JOBS_MAX; fast when they are in the order of queue_entry_compare. One answer each. */
int queue_complete(struct queue *queue, const char *worker, const struct queue_completion *job,
                   size_t count, link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_complete(const struct link_reply *reply, size_t index,
                        enum queue_completed *completed) ERR_MUST_CHECK;

/* Hands entries back, uncounted. Lost ones need no treatment, so there is nothing to read. */
int queue_hand_back(struct queue *queue, const char *worker, const struct queue_entry *const *entry,
                    size_t count, link_reply_fn *done, void *context) ERR_MUST_CHECK;

/* Out of the registry; an idle worker leaves nothing behind. */
int queue_leave(struct queue *queue, const char *worker, link_reply_fn *done,
                void *context) ERR_MUST_CHECK;
