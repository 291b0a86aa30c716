/* SPDX-License-Identifier: MIT */
/* One table of pages, each written anew for every request. */
#include "admin.h"

#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADMIN_CONNECTIONS = 64,
    ADMIN_IDLE_S = 30,
    ADMIN_MEMORY = 16 << 10, /* of a connection */
};

struct admin {
    struct admin_options options;
    struct http *http;
};

/* --- answers ---------------------------------------------------------------------------------- */

static unsigned admin_write_state(struct admin *admin,
                                  bool (*ask)(void *context, char *why, size_t why_size),
                                  struct mem_buffer *out) {
    char why[256] = "";
    bool is_well = ask(admin->options.context, why, sizeof why);
    const char *text = is_well ? "ok" : why;
    mem_buffer_add(out, text, strlen(text));
    mem_buffer_add(out, "\n", 1);
    return is_well ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
}

static unsigned admin_write_health(struct admin *admin, struct mem_buffer *out) {
    return admin_write_state(admin, admin->options.is_healthy, out);
}

static unsigned admin_write_readiness(struct admin *admin, struct mem_buffer *out) {
    return admin_write_state(admin, admin->options.is_ready, out);
}

static unsigned admin_write_metrics(struct admin *admin, struct mem_buffer *out) {
    admin->options.metrics(admin->options.context, out);
    return MHD_HTTP_OK;
}

static const struct admin_page {
    const char *path, *type;
    unsigned (*write)(struct admin *admin, struct mem_buffer *out); /* the HTTP status */
} admin_pages[] = {
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", admin_write_metrics},
    {"/healthz", "text/plain; charset=utf-8", admin_write_health},
    {"/readyz", "text/plain; charset=utf-8", admin_write_readiness},
};

static enum MHD_Result admin_send(struct MHD_Connection *connection, unsigned status,
                                  const char *type, const void *body, size_t size) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (result == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        result = MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result admin_send_text(struct MHD_Connection *connection, unsigned status,
                                       const char *text) {
    return admin_send(connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result admin_on_request(void *context, struct MHD_Connection *connection,
                                        const char *path, const char *method, const char *version,
                                        const char *body, size_t *body_size, void **state) {
    struct admin *admin = context;
    (void)version;
    (void)body;
    if (!*state) { /* only the head has been read; a body is read and ignored */
        *state = admin;
        return MHD_YES;
    }
    if (*body_size > 0) {
        *body_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return admin_send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    for (size_t i = 0; i < sizeof admin_pages / sizeof *admin_pages; i++) {
        const struct admin_page *page = &admin_pages[i];
        struct mem_buffer out = {0};
        if (strcmp(path, page->path) != 0)
            continue;
        unsigned status = page->write(admin, &out);
        enum MHD_Result result =
            out.failed ? MHD_NO : admin_send(connection, status, page->type, out.data, out.size);
        mem_buffer_release(&out);
        return result;
    }
    return admin_send_text(connection, MHD_HTTP_NOT_FOUND,
                           "there are /metrics, /healthz and /readyz\n");
}

/* --- starting and stopping -------------------------------------------------------------------- */

int admin_start(struct admin **out, uv_loop_t *loop, const struct admin_options *options, char *why,
                size_t why_size) {
    struct admin *admin = mem_zero(1, sizeof *admin);
    if (!admin) {
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    admin->options = *options;
    int code = http_start(&admin->http, loop,
                          &(struct http_options){.address = options->address,
                                                 .connections = ADMIN_CONNECTIONS,
                                                 .idle_s = ADMIN_IDLE_S,
                                                 .memory = ADMIN_MEMORY,
                                                 .answer = admin_on_request,
                                                 .context = admin},
                          why, why_size);
    if (code == 0)
        *out = admin;
    else
        free(admin);
    return code;
}

const char *admin_address(const struct admin *admin) {
    return http_address(admin->http);
}

void admin_stop(struct admin *admin) {
    http_stop(admin->http, free, admin);
}
