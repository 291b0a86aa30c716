/* SPDX-License-Identifier: MIT */
#pragma once
/* What stands in a request's body. */
#include "request.h"

#include <jansson.h>

/*
 * The body as a JSON object that has no members but those named (ended by NULL); NULL takes any. An
 * empty body is an empty object. Owned by the caller; NULL: the request is answered.
 */
json_t *body_read(struct request *request, const char *const *names);

/* Adds a member, taking the value over. False: no memory, the request is answered. */
bool body_set(struct request *request, json_t *body, const char *name, json_t *value);
