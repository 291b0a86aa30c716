/* SPDX-License-Identifier: MIT */
#pragma once
/* Which handler has which method of which path: one table. */
#include "request.h"

struct route {
    const char *method; /* GET answers HEAD too */
    const char *path;   /* the segment ID stands for any id */
    void (*handle)(struct request *request);
    unsigned needs; /* ROUTE_BODY | ROUTE_TOKEN | ROUTE_FREE */
};

enum {
    ROUTE_BODY = 1,  /* a body is read, which must be application/json */
    ROUTE_TOKEN = 2, /* the operators' */
    ROUTE_FREE = 4,  /* costs next to nothing, and is not counted by the limit */
};

/*
 * The route of request->method and request->path, with request->subject set. NULL: there is none.
 * *allow: the methods that the path has, as the header says it; empty: no such path.
 */
#define ROUTE_ALLOW_MAX 64u
const struct route *route_find(struct request *request, char allow[ROUTE_ALLOW_MAX]);

/* Row by row; NULL behind the last. */
const struct route *route_at(size_t index);
