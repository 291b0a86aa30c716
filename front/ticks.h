/* SPDX-License-Identifier: MIT */
#pragma once
/* The metrics of a session or a trace, tick by tick, from its ring. */
#include "request.h"

/*
 * Reads ?from and ?to, both included; their defaults are all that the ring may have. False: the
 * request is answered.
 */
struct ticks_range {
    uint64_t from, to;
    bool has_from, has_to;
};
bool ticks_read_range(struct request *request, struct ticks_range *range);

/*
 * Answers with the ring of that id, whose last tick is `last`: ticks that it has not (any more) are
 * left out. Where it has none at all, `gone` says so with 404; NULL: an empty timeline will do.
 */
void ticks_answer(struct request *request, const char *id, uint32_t last,
                  const struct ticks_range *range, const char *gone);
