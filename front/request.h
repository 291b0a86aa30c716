/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * One HTTP request, from its head to the end of its answer.
 *
 *   HEAD ---> BODY ---> HANDLED --- answered at once ----------------> ANSWERED ---> gone
 *    |         |           |                                             ^
 *    |         |           `--- Redis is asked: suspended until --------'
 *    `---------'                nothing is pending any more
 *     too big, too many: answered here
 *
 * While an answer of Redis is pending its request cannot go away, whatever the client does: so
 * callbacks may keep a pointer to it.
 */
#include "mem.h"
#include "queue.h"

#include <microhttpd.h>
#include <stdbool.h>

struct front;
struct route;

#define REQUEST_BODY_MAX (256u << 10)
#define REQUEST_BODIES_MAX (32u << 20) /* of all requests together */
#define REQUEST_ORIGIN_MAX 64u

struct request {
    struct front *front;
    struct MHD_Connection *connection;
    struct request *before, *after; /* all that are under way */
    const struct route *route;      /* NULL: none, or not yet known */
    char method[16];                /* cut where it is longer: then it is none of ours */
    char path[160];                 /* likewise */
    char id[JOB_ID_MAX + 1];        /* X-Request-Id: the client's if it is legal, else drawn */
    char subject[JOB_ID_MAX + 1];   /* the ID in the path; empty: the route has none */
    char traceparent[JOB_TRACEPARENT_MAX + 1];
    char client[REQUEST_ORIGIN_MAX]; /* address, for logs */
    int64_t started_ns;
    struct mem_buffer body;
    size_t received; /* of the body, kept or not */
    bool is_handled, is_suspended;
    unsigned pending; /* answers of Redis to come */
    unsigned status;  /* of the response; 0: not answered yet */
    struct MHD_Response *response;
    void *work; /* the handler's own */
    void (*drop)(void *work);
};

/* For http_options. */
enum MHD_Result request_on_data(void *front, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *data_size, void **request);
void request_on_completed(void *front, struct MHD_Connection *connection, void **request,
                          enum MHD_RequestTerminationCode how);

/* --- for handlers ---------------------------------------------------------------------------- */

/*
 * Memory of the handler's, zeroed, freed with the request by `drop` (which may be NULL) and free().
 * NULL: there is none, and the request is answered.
 */
void *request_work(struct request *request, size_t size, void (*drop)(void *work));

/* A header or a ?query value; NULL: not there. */
const char *request_header(const struct request *request, const char *name);
const char *request_query(const struct request *request, const char *name);

/* A whole number from the query. False: it is none, or out of range, and the request is answered.
 */
bool request_query_uint(struct request *request, const char *name, uint64_t min, uint64_t max,
                        uint64_t *value);

/* True if a comma-separated header has that word ("respond-async"). */
bool request_prefers(const struct request *request, const char *name, const char *word);

/* After a queue_ function: true if its callback will come. Else the request is answered. */
bool request_sent(struct request *request, int code);

/* First in every callback of one that was sent. */
void request_arrived(struct request *request);

/* The same, and true if it brings a good answer and the request still waits for one. */
bool request_got(struct request *request, const struct link_reply *reply);

/* The answer: `response` is taken over; NULL: no memory for it. The first one counts. */
void request_answer(struct request *request, unsigned status, struct MHD_Response *response);
