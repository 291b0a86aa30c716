/* SPDX-License-Identifier: MIT */
#pragma once
/* What a request is answered with. The first answer counts. */
#include "fault.h"
#include "jot.h"
#include "request.h"

#define ANSWER_RETRY_S 2u /* when to come again where nothing better is known */

/* Problem details (RFC 9457). */
struct problem {
    unsigned status;
    const char *code;     /* of the fault table, or one of our own: a word that does not change */
    const char *detail;   /* for people */
    const char *field;    /* which member or parameter is to blame; NULL or empty: none */
    const char *advice;   /* what to do instead; likewise */
    const char *job;      /* id of a job that goes on; likewise */
    unsigned retry_after; /* seconds; 0: nothing is said */
    const char *allow;    /* the header Allow; NULL: none */
    const struct mem_buffer *more; /* further members, ",\"name\":value"; NULL: none */
};
void answer_problem(struct request *request, const struct problem *problem);

/* The same with a detail put together here. */
void answer_wrong(struct request *request, unsigned status, const char *code, const char *field,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* 400 for what is wrong with a request; 503 without memory. */
void answer_fault(struct request *request, const struct fault *fault);

/* The queue cannot be asked, or did not answer well. */
void answer_unavailable(struct request *request, const char *code, const char *detail);

/* JSON; the bytes are taken over. `name`, `value`: a further header; NULL: none. */
void answer_json(struct request *request, unsigned status, struct mem_buffer *json,
                 const char *name, const char *value);

/* A reply of Redis as {KEY: what `shape` makes of it}; or what is wrong with it (request_got). */
void answer_shape(struct request *request, const struct link_reply *reply, const char *key,
                  void (*shape)(struct jot *jot, const char *key, const struct link_reply *reply));

/* Bytes of another type; they are taken over. */
void answer_text(struct request *request, const char *type, struct mem_buffer *text);

/* JSON with an ETag, for what a client may keep; location NULL: none. */
void answer_tagged(struct request *request, unsigned status, struct mem_buffer *json,
                   const char *etag, const char *location);

/* 202: a job that goes on, and where to ask for it. */
void answer_accepted(struct request *request, struct mem_buffer *json, const char *location);

/* Any bytes that live for ever, with an ETag: 304 if the client has them. */
void answer_constant(struct request *request, const char *type, const void *bytes, size_t size,
                     const char *tag);

/* True, and 304 is the answer, if If-None-Match names that ETag (with its quotes). */
bool answer_unchanged(struct request *request, const char *etag);

/* To OPTIONS: what the path takes, and what pages of another origin may send. */
void answer_options(struct request *request, const char *allow);

/* A status without a body: 204. */
void answer_nothing(struct request *request, unsigned status);

/* "no memory": 503. */
void answer_no_memory(struct request *request);

/* Adds a header; harmless on NULL. */
void answer_header(struct MHD_Response *response, const char *name, const char *value);

/* What every answer has, whoever made it; called once, when it leaves. */
void answer_finish(struct request *request);
