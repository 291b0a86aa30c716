/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd calls once with the head, once for each part of the body, and once more at its end;
 * after a suspended connection was resumed it calls that last time again, and the answer is ready.
 * On the loop.
 */
#include "request.h"

#include "answer.h"
#include "clock.h"
#include "front.h"
#include "limit.h"
#include "log.h"
#include "route.h"
#include "text.h"
#include "token.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Of a body that is too big so much is read and dropped, so that the client hears why. */
#define REQUEST_DROPPED_MAX (16u << 20)

/* --- the head ------------------------------------------------------------------------------------
 */

/* Fits, or is cut: then it is longer than anything that we have. */
static void request_copy(char *out, size_t size, const char *text) {
    (void)snprintf(out, size, "%s", text);
}

/* For logs, where the address of a client is; "?" over anything that has none. */
static const struct sockaddr *request_find_client(struct request *request) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    const void *number = NULL;
    if (address && address->sa_family == AF_INET)
        number = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    else if (address && address->sa_family == AF_INET6)
        number = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (!number || !inet_ntop(address->sa_family, number, request->client, sizeof request->client))
        request_copy(request->client, sizeof request->client, "?");
    return address;
}

/* W3C trace context, version 00: anything else is not handed on. */
static bool request_is_traceparent(const char *text) {
    static const char shape[] = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
    size_t i = 0;
    for (; shape[i] && text[i]; i++) {
        bool fits =
            shape[i] == 'h' ? strchr("0123456789abcdef", text[i]) != NULL : text[i] == shape[i];
        if (!fits)
            return false;
    }
    return !shape[i] && !text[i];
}

static void request_read_head(struct request *request) {
    const char *id = request_header(request, "X-Request-Id");
    const char *trace = request_header(request, "traceparent");
    if (id && job_id_is_legal(id, strlen(id)))
        memcpy(request->id, id, strlen(id) + 1);
    else
        token_draw(request->id);
    if (trace && request_is_traceparent(trace))
        memcpy(request->traceparent, trace, strlen(trace) + 1);
}

static struct request *request_begin(struct front *front, struct MHD_Connection *connection,
                                     const char *path, const char *method) {
    struct request *request = mem_zero(1, sizeof *request);
    if (!request)
        return NULL;
    request->front = front;
    request->connection = connection;
    request->started_ns = clock_now_ns();
    request_copy(request->method, sizeof request->method, method);
    request_copy(request->path, sizeof request->path, path);
    request_read_head(request);
    request->after = front->first;
    if (request->after)
        request->after->before = request;
    front->first = request;
    return request;
}

static bool request_is_json(const struct request *request) {
    static const char json[] = "application/json";
    const char *type = request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
    size_t length = sizeof json - 1;
    return type && strncasecmp(type, json, length) == 0 && strchr("; \t", type[length]);
}

static void request_refuse_method(struct request *request, const char *allow) {
    char detail[128];
    (void)snprintf(detail, sizeof detail, "%s is not for this path; it takes %s", request->method,
                   allow);
    answer_problem(request, &(struct problem){.status = MHD_HTTP_METHOD_NOT_ALLOWED,
                                              .code = "method_not_allowed",
                                              .detail = detail,
                                              .allow = allow});
}

/* True where it may not: then it is answered. */
static bool request_is_limited(struct request *request) {
    const struct sockaddr *client = request_find_client(request);
    if (request->route && (request->route->needs & ROUTE_FREE))
        return false;
    unsigned wait_s = limit_take(&request->front->limit, client, request->started_ns);
    if (wait_s == 0)
        return false;
    answer_problem(request, &(struct problem){.status = MHD_HTTP_TOO_MANY_REQUESTS,
                                              .code = "too_many_requests",
                                              .detail = "more requests than this address may send "
                                                        "in so short a time",
                                              .retry_after = wait_s});
    return true;
}

/* What can be told from the head alone; an answer here wins over everything later. */
static void request_check_head(struct request *request) {
    char allow[ROUTE_ALLOW_MAX];
    request->route = route_find(request, allow);
    if (request_is_limited(request))
        return;
    if (!request->route && strcmp(request->method, MHD_HTTP_METHOD_OPTIONS) == 0 && *allow)
        answer_options(request, allow);
    else if (!request->route && *allow)
        request_refuse_method(request, allow);
    else if (!request->route)
        answer_wrong(request, MHD_HTTP_NOT_FOUND, "not_found", NULL, "there is nothing here");
    else if (request->route->needs & ROUTE_TOKEN)
        (void)token_check(request);
}

/* A body that is known to be too big, and too big to be dropped, or whose client asks before it
 * sends it: then it hears at once. */
static bool request_is_hopeless(const struct request *request) {
    const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    uint64_t size, most = request_header(request, MHD_HTTP_HEADER_EXPECT) ? REQUEST_BODY_MAX
                                                                          : REQUEST_DROPPED_MAX;
    return length && text_to_uint(length, 0, UINT64_MAX >> 11, &size) && size > most;
}

/* --- the body ------------------------------------------------------------------------------------
 */

static enum MHD_Result request_take(struct request *request, const char *data, size_t size) {
    request->received += size;
    if (request->received > REQUEST_DROPPED_MAX)
        return MHD_NO; /* the connection is cut */
    if (request->received > REQUEST_BODY_MAX || !request->route ||
        !(request->route->needs & ROUTE_BODY) || request->status != 0)
        return MHD_YES;
    if (request->front->bodies + size > REQUEST_BODIES_MAX) {
        answer_unavailable(request, "busy", "too many large bodies are on their way");
        return MHD_YES;
    }
    size_t before = request->body.size;
    mem_buffer_add(&request->body, data, size);
    request->front->bodies += request->body.size - before;
    return MHD_YES;
}

static void request_refuse_size(struct request *request) {
    answer_wrong(request, MHD_HTTP_CONTENT_TOO_LARGE, "body_too_large", NULL,
                 "a body has at most %u bytes", REQUEST_BODY_MAX);
}

/* What only the end of the body shows. */
static void request_check_body(struct request *request) {
    if (request->received > REQUEST_BODY_MAX)
        request_refuse_size(request);
    else if (request->body.failed)
        answer_no_memory(request);
    else if ((request->route->needs & ROUTE_BODY) && request->received > 0 &&
             !request_is_json(request))
        answer_wrong(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", NULL,
                     "the body must be application/json, and say so in Content-Type");
}

static void request_handle(struct request *request) {
    request->is_handled = true;
    if (request->front->is_closing)
        answer_unavailable(request, "shutting_down", "this front-end is being stopped");
    if (request->status == 0)
        request_check_body(request);
    if (request->status == 0)
        request->route->handle(request);
}

/* --- libmicrohttpd's callbacks -------------------------------------------------------------------
 */

static enum MHD_Result request_leave(struct request *request) {
    if (!request->response)
        return MHD_NO;
    answer_finish(request);
    return MHD_queue_response(request->connection, request->status, request->response);
}

enum MHD_Result request_on_data(void *context, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data,
                                size_t *data_size, void **state) {
    struct request *request = *state;
    (void)version;
    if (!request) {
        *state = request = request_begin(context, connection, path, method);
        if (!request)
            return MHD_NO;
        request_check_head(request);
        if (!request_is_hopeless(request))
            return MHD_YES;
        request_refuse_size(request);
        return request_leave(request);
    }
    if (*data_size > 0) {
        enum MHD_Result result = request_take(request, data, *data_size);
        *data_size = 0;
        return result;
    }
    if (!request->is_handled)
        request_handle(request);
    if (request->status == 0 || request->pending > 0) {
        request->is_suspended = true;
        MHD_suspend_connection(connection);
        return MHD_YES;
    }
    return request_leave(request);
}

void request_on_completed(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode how) {
    struct front *front = context;
    struct request *request = *state;
    (void)connection;
    if (!request)
        return;
    LOG_WRITE(LOG_LEVEL_INFO, "request", LOG_TEXT("request", request->id),
              LOG_TEXT("client", request->client), LOG_TEXT("method", request->method),
              LOG_TEXT("path", request->path), LOG_INT("status", request->status),
              LOG_TEXT("traceparent", request->traceparent),
              LOG_TEXT("end", how == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : "cut"),
              LOG_MS("ms", clock_now_ns() - request->started_ns));
    tally_add(&front->tally, request->route, request->status, clock_now_ns() - request->started_ns);
    if (request->before)
        request->before->after = request->after;
    else
        front->first = request->after;
    if (request->after)
        request->after->before = request->before;
    if (request->response)
        MHD_destroy_response(request->response);
    if (request->drop)
        request->drop(request->work);
    free(request->work);
    front->bodies -= request->body.size;
    mem_buffer_release(&request->body);
    free(request);
}

/* --- for handlers ------------------------------------------------------------------------------
 */

void *request_work(struct request *request, size_t size, void (*drop)(void *work)) {
    request->work = mem_zero(1, size);
    if (request->work)
        request->drop = drop;
    else
        answer_no_memory(request);
    return request->work;
}

const char *request_header(const struct request *request, const char *name) {
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *request_query(const struct request *request, const char *name) {
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

bool request_query_uint(struct request *request, const char *name, uint64_t min, uint64_t max,
                        uint64_t *value) {
    char shown[64];
    const char *text = request_query(request, name);
    if (!text || text_to_uint(text, min, max, value))
        return true;
    text_printable(text, strlen(text), shown, sizeof shown);
    answer_wrong(request, MHD_HTTP_BAD_REQUEST, "out_of_range", name,
                 "%s must be a whole number from %llu to %llu, got \"%s\"", name,
                 (unsigned long long)min, (unsigned long long)max, shown);
    return false;
}

bool request_prefers(const struct request *request, const char *name, const char *word) {
    const char *at = request_header(request, name);
    while (at && *at) {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, " \t,;=");
        if (length == strlen(word) && strncasecmp(at, word, length) == 0)
            return true;
        at += strcspn(at, ",");
    }
    return false;
}

/* Goes on where everything is there for it. */
static void request_settle(struct request *request) {
    if (!request->is_suspended || request->status == 0 || request->pending > 0)
        return;
    request->is_suspended = false;
    http_resume(request->front->http, request->connection);
}

bool request_sent(struct request *request, int code) {
    if (code == 0) {
        request->pending++;
        return true;
    }
    if (code == ERR_NO_MEMORY)
        answer_no_memory(request);
    else
        answer_unavailable(request, "redis_unavailable", err_text(code));
    return false;
}

void request_arrived(struct request *request) {
    request->pending--;
    request_settle(request);
}

bool request_got(struct request *request, const struct link_reply *reply) {
    request_arrived(request);
    if (request->status != 0 || library_check(&request->front->library, reply))
        return request->status == 0;
    if (queue_answer(reply) == QUEUE_ANSWER_WRONG)
        answer_wrong(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "internal", NULL, "Redis: %s",
                     queue_answer_text(reply));
    else
        answer_unavailable(request, "redis_unavailable", queue_answer_text(reply));
    return false;
}

void request_answer(struct request *request, unsigned status, struct MHD_Response *response) {
    if (request->status != 0) {
        if (response)
            MHD_destroy_response(response);
        return;
    }
    request->status = status;
    request->response = response;
    request_settle(request);
}
