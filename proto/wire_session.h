/* SPDX-License-Identifier: MIT */
#pragma once
/* A session as a map: the body of session:ID, and the field `session` of results. */
#include "session.h"
#include "wire_read.h"
#include "wire_write.h"

/* Its entries, out of a map and into the map that is open. *session must be zeroed; release it
 * whatever happens. */
void wire_session_read(const struct wire_map *map, struct session *session);
void wire_session_write(struct wire_writer *writer, const struct session *session);
