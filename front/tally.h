/* SPDX-License-Identifier: MIT */
#pragma once
/* What /metrics tells: requests by route and status, and how long they took. */
#include "mem.h"

#include <stdint.h>

struct front;
struct route;

enum {
    TALLY_ROUTES = 40, /* at least those of the table, and one for what has none */
    TALLY_CLASSES = 6, /* of status: 2xx is 2; 0: cut before it was answered */
    TALLY_BUCKETS = 10,
};

struct tally {
    uint64_t count[TALLY_ROUTES][TALLY_CLASSES];
    uint64_t bucket[TALLY_BUCKETS + 1]; /* of all routes; the last: longer than the last edge */
    double sum_s;
};

/* route NULL: there was none. */
void tally_add(struct tally *tally, const struct route *route, unsigned status, int64_t ns);

/* Prometheus text. */
void tally_write(const struct tally *tally, struct front *front, struct mem_buffer *out);
