/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "answer.h"

#include "front.h"
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char answer_json_type[] = "application/json";
static const char answer_problem_type[] = "application/problem+json";

void answer_header(struct MHD_Response *response, const char *name, const char *value) {
    if (response && value && MHD_add_response_header(response, name, value) != MHD_YES)
        LOG_WRITE(LOG_LEVEL_WARNING, "a header was not added", LOG_TEXT("header", name));
}

/* Takes the bytes over. */
static struct MHD_Response *answer_bytes(struct mem_buffer *bytes, const char *type,
                                         const char *cache) {
    struct MHD_Response *response =
        bytes->failed
            ? NULL
            : MHD_create_response_from_buffer(bytes->size, bytes->data, MHD_RESPMEM_MUST_FREE);
    if (response)
        *bytes = (struct mem_buffer){0};
    else
        mem_buffer_release(bytes);
    answer_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    answer_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, cache);
    return response;
}

/* --- problems ------------------------------------------------------------------------------------
 */

static bool answer_has(const char *text) {
    return text && *text;
}

static void answer_write_problem(const struct problem *problem, struct mem_buffer *out) {
    struct jot jot;
    jot_begin(&jot, out);
    jot_open_map(&jot, NULL);
    jot_text(&jot, "type", "about:blank");
    jot_text(&jot, "title", MHD_get_reason_phrase_for(problem->status));
    jot_whole(&jot, "status", problem->status);
    jot_text(&jot, "detail", problem->detail);
    jot_text(&jot, "code", problem->code);
    if (answer_has(problem->field))
        jot_text(&jot, "field", problem->field);
    if (answer_has(problem->advice))
        jot_text(&jot, "advice", problem->advice);
    if (answer_has(problem->job))
        jot_text(&jot, "job", problem->job);
    if (problem->more)
        mem_buffer_add(out, problem->more->data, problem->more->size);
    jot_close_map(&jot);
}

void answer_problem(struct request *request, const struct problem *problem) {
    struct mem_buffer body = {0};
    char seconds[16];
    answer_write_problem(problem, &body);
    struct MHD_Response *response = answer_bytes(&body, answer_problem_type, "no-store");
    if (problem->retry_after > 0) {
        (void)snprintf(seconds, sizeof seconds, "%u", problem->retry_after);
        answer_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    }
    answer_header(response, MHD_HTTP_HEADER_ALLOW, problem->allow);
    if (problem->status == MHD_HTTP_UNAUTHORIZED)
        answer_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    request_answer(request, problem->status, response);
}

void answer_wrong(struct request *request, unsigned status, const char *code, const char *field,
                  const char *format, ...) {
    char detail[FAULT_MESSAGE_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    answer_problem(request, &(struct problem){
                                .status = status, .code = code, .detail = detail, .field = field});
}

void answer_fault(struct request *request, const struct fault *fault) {
    if (fault->code == FAULT_NO_MEMORY) {
        answer_no_memory(request);
        return;
    }
    answer_problem(request, &(struct problem){.status = MHD_HTTP_BAD_REQUEST,
                                              .code = fault_code_name(fault->code),
                                              .detail = fault->message,
                                              .field = fault->field,
                                              .advice = fault->advice});
}

void answer_unavailable(struct request *request, const char *code, const char *detail) {
    answer_problem(request, &(struct problem){.status = MHD_HTTP_SERVICE_UNAVAILABLE,
                                              .code = code,
                                              .detail = detail,
                                              .retry_after = ANSWER_RETRY_S});
}

void answer_no_memory(struct request *request) {
    answer_unavailable(request, "no_memory", "the front-end is out of memory");
}

/* --- good answers --------------------------------------------------------------------------------
 */

void answer_json(struct request *request, unsigned status, struct mem_buffer *json,
                 const char *name, const char *value) {
    struct MHD_Response *response = answer_bytes(json, answer_json_type, "no-store");
    answer_header(response, name, value);
    request_answer(request, status, response);
}

void answer_shape(struct request *request, const struct link_reply *reply, const char *key,
                  void (*shape)(struct jot *jot, const char *key, const struct link_reply *reply)) {
    struct mem_buffer out = {0};
    struct jot jot;
    if (!request_got(request, reply))
        return;
    jot_begin(&jot, &out);
    jot_open_map(&jot, NULL);
    shape(&jot, key, reply);
    jot_close_map(&jot);
    answer_json(request, MHD_HTTP_OK, &out, NULL, NULL);
}

void answer_accepted(struct request *request, struct mem_buffer *json, const char *location) {
    struct MHD_Response *response = answer_bytes(json, answer_json_type, "no-store");
    answer_header(response, MHD_HTTP_HEADER_LOCATION, location);
    answer_header(response, "Preference-Applied", "respond-async");
    request_answer(request, MHD_HTTP_ACCEPTED, response);
}

void answer_text(struct request *request, const char *type, struct mem_buffer *text) {
    request_answer(request, MHD_HTTP_OK, answer_bytes(text, type, "no-store"));
}

void answer_tagged(struct request *request, unsigned status, struct mem_buffer *json,
                   const char *etag, const char *location) {
    struct MHD_Response *response = answer_bytes(json, answer_json_type, "no-cache");
    answer_header(response, MHD_HTTP_HEADER_ETAG, etag);
    answer_header(response, MHD_HTTP_HEADER_LOCATION, location);
    request_answer(request, status, response);
}

static struct MHD_Response *answer_empty(void) {
    return MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
}

void answer_nothing(struct request *request, unsigned status) {
    request_answer(request, status, answer_empty());
}

void answer_options(struct request *request, const char *allow) {
    struct MHD_Response *response = answer_empty();
    answer_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    if (request->front->settings->cors) {
        answer_header(response, "Access-Control-Allow-Methods", allow);
        answer_header(response, "Access-Control-Allow-Headers",
                      "authorization, content-type, prefer, traceparent, x-request-id");
        answer_header(response, "Access-Control-Max-Age", "600");
    }
    request_answer(request, MHD_HTTP_NO_CONTENT, response);
}

bool answer_unchanged(struct request *request, const char *etag) {
    const char *at = request_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH);
    size_t length = strlen(etag);
    bool same = false;
    while (at && *at && !same) {
        at += strspn(at, " \t,");
        at += strncmp(at, "W/", 2) == 0 ? 2 : 0;
        same = *at == '*' ||
               (strncmp(at, etag, length) == 0 && (!at[length] || strchr(" \t,", at[length])));
        at += strcspn(at, ",");
    }
    if (!same)
        return false;
    struct MHD_Response *response = answer_empty();
    answer_header(response, MHD_HTTP_HEADER_ETAG, etag);
    answer_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    request_answer(request, MHD_HTTP_NOT_MODIFIED, response);
    return true;
}

void answer_constant(struct request *request, const char *type, const void *bytes, size_t size,
                     const char *tag) {
    char etag[72];
    (void)snprintf(etag, sizeof etag, "\"%s\"", tag);
    if (answer_unchanged(request, etag))
        return;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    answer_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    answer_header(response, MHD_HTTP_HEADER_ETAG, etag);
    answer_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    request_answer(request, MHD_HTTP_OK, response);
}

/* Pages run nothing and ask nobody but what comes from here. */
static const char *const answer_headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "
     "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
};

void answer_finish(struct request *request) {
    const char *cors = request->front->settings->cors;
    for (size_t i = 0; i < sizeof answer_headers / sizeof *answer_headers; i++)
        answer_header(request->response, answer_headers[i][0], answer_headers[i][1]);
    answer_header(request->response, "X-Request-Id", request->id);
    if (!cors)
        return;
    answer_header(request->response, "Access-Control-Allow-Origin", cors);
    answer_header(request->response, "Access-Control-Expose-Headers",
                  "ETag, Location, Preference-Applied, Retry-After, X-Request-Id");
    if (strcmp(cors, "*") != 0)
        answer_header(request->response, "Vary", "Origin");
}
