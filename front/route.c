/* SPDX-License-Identifier: MIT */
#include "route.h"

#include "handlers.h"

#include <stdio.h>
#include <string.h>

static const struct route route_table[] = {
    {"GET", "/healthz", handle_health, ROUTE_FREE},
    {"POST", "/api/sessions", handle_session_create, ROUTE_BODY},
    {"GET", "/api/sessions/ID", handle_session_get, 0},
    {"POST", "/api/sessions/ID/step", handle_session_step, ROUTE_BODY},
    {"PUT", "/api/sessions/ID/params", handle_session_params, ROUTE_BODY},
    {"GET", "/api/sessions/ID/timeline", handle_session_timeline, 0},
    {"POST", "/api/traces", handle_trace_create, ROUTE_BODY},
    {"GET", "/api/traces", handle_trace_list, 0},
    {"GET", "/api/traces/ID", handle_trace_get, 0},
    {"GET", "/api/traces/ID/timeline", handle_trace_timeline, 0},
    {"GET", "/api/jobs/ID", handle_job_get, 0},
    {"GET", "/api/jobs/ID/events", handle_job_events, 0},
    {"DELETE", "/api/jobs/ID", handle_job_cancel, 0},
    {"GET", "/api/queue", handle_queue, 0},
    {"GET", "/api/queue/history", handle_history, 0},
    {"POST", "/api/queue/pause", handle_pause, ROUTE_TOKEN},
    {"POST", "/api/queue/resume", handle_resume, ROUTE_TOKEN},
    {"GET", "/api/workers", handle_workers, 0},
    {"GET", "/api/dead", handle_dead_list, 0},
    {"DELETE", "/api/dead/ID", handle_dead_purge, ROUTE_TOKEN},
    {"POST", "/api/dead/ID/requeue", handle_dead_requeue, ROUTE_TOKEN},
    {"GET", "/api/operator", handle_operator, ROUTE_TOKEN},
    {"GET", "/metrics", handle_metrics, 0},
};

#define ROUTE_COUNT (sizeof route_table / sizeof *route_table)

/* Segment by segment; *id, *id_length: what stands where the pattern says ID. */
static bool route_fits(const char *pattern, const char *path, const char **id, size_t *id_length) {
    while (*pattern == '/' && *path == '/') {
        size_t expected = strcspn(++pattern, "/"), found = strcspn(++path, "/");
        if (expected == 2 && strncmp(pattern, "ID", 2) == 0) {
            if (found == 0)
                return false;
            *id = path;
            *id_length = found;
        } else if (found != expected || strncmp(pattern, path, found) != 0) {
            return false;
        }
        pattern += expected;
        path += found;
    }
    return !*pattern && !*path;
}

static void route_allow(char allow[ROUTE_ALLOW_MAX], const char *method) {
    size_t used = strlen(allow);
    (void)snprintf(allow + used, ROUTE_ALLOW_MAX - used, "%s%s%s", used ? ", " : "", method,
                   strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

/* Any page; the last row. */
static const struct route route_page = {"GET", "page", handle_page, ROUTE_FREE};

const struct route *route_at(size_t index) {
    return index < ROUTE_COUNT ? &route_table[index] : index == ROUTE_COUNT ? &route_page : NULL;
}

const struct route *route_find(struct request *request, char allow[ROUTE_ALLOW_MAX]) {
    const char *method = strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
    const struct route *found = NULL;
    *allow = '\0';
    const struct route *route;
    for (size_t i = 0; (route = route_at(i)); i++) {
        const char *id = "";
        size_t length = 0;
        bool fits = route == &route_page ? handle_page_is(request)
                                         : route_fits(route->path, request->path, &id, &length);
        if (!fits || (length > 0 && !job_id_is_legal(id, length)))
            continue;
        route_allow(allow, route->method);
        if (strcmp(route->method, method) != 0)
            continue;
        found = route;
        memcpy(request->subject, id, length);
        request->subject[length] = '\0';
    }
    if (*allow)
        route_allow(allow, "OPTIONS");
    return found;
}
