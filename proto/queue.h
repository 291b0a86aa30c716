/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One queue in Redis, and what clients and operators ask of it. (What a worker asks stands in
 * queue_work.h; queue_load.h loads the functions behind all this; PROTOCOL.md is the contract.)
 *
 * A request is one call here. Its answer comes to `done`, which takes it apart with the queue_read
 * function of the same name. A request returns 0, or an ERR_ code without `done` being called.
 * Arguments are copied. All on the loop's thread.
 *
 *   queue_init(&queue, link, "main", link_call);      link_call waits for the answer, link_send
 * does not code = queue_cancel(&queue, "abc", on_answer, &what);
 *
 * The readers return 0; ERR_DOWN for a NULL reply, ERR_REFUSED for an error of Redis (queue_answer
 * says which), ERR_PROTOCOL for anything that the protocol does not know. What they give is
 * borrowed from the reply, so valid during `done`.
 */
#include "err.h"
#include "job.h"
#include "link.h"
#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* link_send, link_call, or a test's own. */
typedef int queue_send_fn(struct link *link, link_reply_fn *done, void *context,
                          unsigned timeout_ms, size_t argc, const char *const *argv,
                          const size_t *argv_size);

/* The command being put together; see queue_call.h. */
struct queue_call {
    const char **arg; /* NULL: in `text`, from `start` on */
    size_t *start, *size;
    size_t count, capacity;
    size_t key_count;
    struct mem_buffer text;
    int failed;
};

struct queue {
    struct link *link; /* borrowed */
    queue_send_fn *send;
    char name[JOB_ID_MAX + 1];
    struct queue_call call;
};

/* Nothing is sent. `name` must be a legal id. queue_release frees what calls have left behind. */
void queue_init(struct queue *queue, struct link *link, const char *name, queue_send_fn *send);
void queue_release(struct queue *queue);

/* What kind of answer it is. */
enum queue_answer {
    QUEUE_ANSWER_OK,
    QUEUE_ANSWER_DOWN,         /* none came; whether Redis has carried it out is unknown */
    QUEUE_ANSWER_NO_FUNCTIONS, /* the library is not there (any more): queue_load */
    QUEUE_ANSWER_NO_GROUP,     /* a stream or its group is not there: the next claim creates it */
    QUEUE_ANSWER_FULL,         /* enqueue: max_jobs or max_bytes; try again later */
    QUEUE_ANSWER_TOO_BIG,      /* enqueue: a job of more than max_job_bytes */
    QUEUE_ANSWER_DENIED,       /* the ACL does not allow it */
    QUEUE_ANSWER_LATER,        /* Redis cannot do it now: loading, read-only, out of memory ... */
    QUEUE_ANSWER_WRONG,        /* what was sent is wrong, "ERR ...": the message says what */
};
enum queue_answer queue_answer(const struct link_reply *reply);

/* Redis's words of an error, "no answer", or "ok". */
const char *queue_answer_text(const struct link_reply *reply);

/* --- jobs ----------------------------------------------------------------------------------------
 */

/* A ref names an entry: the lane's letter and the entry's id, "i1764500000000-0". */
#define QUEUE_REF_MAX 42u

#define QUEUE_JOBS_MAX 1000u /* in one call */

struct queue_job {
    const char *id; /* the one inside the bytes; empty: there is none */
    const void *bytes;
    size_t size;
};

enum queue_state {
    QUEUE_STATE_QUEUED,  /* by this call */
    QUEUE_STATE_WAITING, /* there already */
    QUEUE_STATE_RUNNING,
    QUEUE_STATE_DONE,    /* it has a result */
    QUEUE_STATE_UNKNOWN, /* no such job, or its result is forgotten */
    QUEUE_STATES,
};

/* As on the wire. */
const char *queue_state_name(enum queue_state state);

struct queue_place {
    enum queue_state state;
    char ref[QUEUE_REF_MAX + 1]; /* empty: it has no entry */
};

/* 1 to QUEUE_JOBS_MAX jobs, all or none. The reader: one place for each, in order. */
int queue_enqueue(struct queue *queue, enum job_lane lane, const struct queue_job *job,
                  size_t count, link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_enqueue(const struct link_reply *reply, size_t index,
                       struct queue_place *place) ERR_MUST_CHECK;

/* Where a job is, by id or ref. `about` (NULL: nothing) is what its worker said of it, msgpack. */
int queue_find(struct queue *queue, const char *id, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;
int queue_read_find(const struct link_reply *reply, struct queue_place *place, const char **about,
                    size_t *about_size) ERR_MUST_CHECK;

enum queue_cancelled {
    QUEUE_CANCEL_CANCELLED,  /* it was not held by a worker, and has its result `cancelled` now */
    QUEUE_CANCEL_CANCELLING, /* its worker will be told */
    QUEUE_CANCEL_DONE,
    QUEUE_CANCEL_UNKNOWN,
    QUEUE_CANCELS,
};
const char *queue_cancel_name(enum queue_cancelled cancelled);
int queue_cancel(struct queue *queue, const char *id, link_reply_fn *done,
                 void *context) ERR_MUST_CHECK;
int queue_read_cancel(const struct link_reply *reply,
                      enum queue_cancelled *cancelled) ERR_MUST_CHECK;

/* The result of a job: LINK_NIL, or a text for wire_decode_result. */
int queue_result(struct queue *queue, const char *id, link_reply_fn *done,
                 void *context) ERR_MUST_CHECK;

/*
 * Waits for the next result of a reply list, wait_ms at most (0: for ever). The reader gives NULL
 * when none came.
 */
int queue_wait(struct queue *queue, const char *reply_to, unsigned wait_ms, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;
int queue_read_wait(const struct link_reply *reply, const char **result,
                    size_t *result_size) ERR_MUST_CHECK;

/* The same for all that are there, `count` at most: a list of texts, NULL when none came. */
int queue_wait_many(struct queue *queue, const char *reply_to, unsigned count, unsigned wait_ms,
                    link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_wait_many(const struct link_reply *reply,
                         const struct link_reply **results) ERR_MUST_CHECK;

/* --- sessions and traces -------------------------------------------------------------------------
 */

/* The reader gives body NULL where there is no such session. */
int queue_session(struct queue *queue, const char *id, link_reply_fn *done,
                  void *context) ERR_MUST_CHECK;
int queue_read_session(const struct link_reply *reply, uint64_t *revision, const char **body,
                       size_t *body_size) ERR_MUST_CHECK;

/* Its tick alone: LINK_NIL where there is no such session, or an integer. */
int queue_session_tick(struct queue *queue, const char *id, link_reply_fn *done,
                       void *context) ERR_MUST_CHECK;

/* Renews the life of a session and of a ring of that id: called with every read. An integer. */
int queue_touch(struct queue *queue, const char *id, link_reply_fn *done,
                void *context) ERR_MUST_CHECK;

/* `size` bytes of a metrics ring from `offset` on (GETRANGE): a text, shorter where the ring ends.
 */
int queue_ring(struct queue *queue, const char *id, size_t offset, size_t size, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;

/* Ids of stored traces, the newest first, `skip` of them left out: a list of texts. */
int queue_traces(struct queue *queue, size_t skip, size_t count, link_reply_fn *done,
                 void *context) ERR_MUST_CHECK;

/* LINK_NIL, or a text for wire_decode_trace. */
int queue_trace(struct queue *queue, const char *id, link_reply_fn *done,
                void *context) ERR_MUST_CHECK;

/* --- operators -----------------------------------------------------------------------------------
 */

int queue_version(struct queue *queue, link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_version(const struct link_reply *reply, unsigned *version) ERR_MUST_CHECK;

/* The whole state as names and values (PROTOCOL.md, "status"); the reader finds a name's value at
 * the top or, with a `lane` reply taken from there, inside it. NULL: not there. */
int queue_status(struct queue *queue, link_reply_fn *done, void *context) ERR_MUST_CHECK;
const struct link_reply *queue_read_status(const struct link_reply *reply, const char *name);

/* Puts an entry into the dead letters, with a result `failed`: `buried`, `unknown`. */
int queue_bury(struct queue *queue, const char *ref, const char *reason, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;

/* Drops dead letters, 1 to QUEUE_JOBS_MAX, or with the one id "all" all of them. An integer: how
 * many. */
int queue_purge(struct queue *queue, const char *const *dead_id, size_t count, link_reply_fn *done,
                void *context) ERR_MUST_CHECK;

/* Puts dead letters back, 1 to QUEUE_JOBS_MAX. The reader as in queue_enqueue. */
int queue_requeue(struct queue *queue, const char *const *dead_id, size_t count,
                  link_reply_fn *done, void *context) ERR_MUST_CHECK;
int queue_read_requeue(const struct link_reply *reply, size_t index,
                       struct queue_place *place) ERR_MUST_CHECK;

/* Dead letters, the newest first, at most `count`: a list of [id, [field, value, ...]]. */
int queue_dead(struct queue *queue, size_t count, link_reply_fn *done,
               void *context) ERR_MUST_CHECK;

/* `config`: sets a field, or with value NULL removes it ("paused" to "1" pauses the queue). */
int queue_configure(struct queue *queue, const char *field, const char *value, link_reply_fn *done,
                    void *context) ERR_MUST_CHECK;
