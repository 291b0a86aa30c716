/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * How many requests an address may send: a bucket each, which holds as many as a second brings and
 * fills up steadily. The loopback has no limit. An IPv6 client is known by the first half of its
 * address, which is what it is given. There are LIMIT_BUCKETS; of addresses that fall into one the
 * last one has it, full.
 */
#include <stdint.h>
#include <sys/socket.h>

#define LIMIT_BUCKETS 4096u

struct limit_bucket {
    uint64_t address; /* 0: free */
    int64_t at_ns;    /* when `left` was so */
    double left;
};

struct limit {
    double rate; /* a second; 0: no limit */
    struct limit_bucket bucket[LIMIT_BUCKETS];
};

/* 0: it may; else after how many seconds it may again. address NULL: a client without one may. */
unsigned limit_take(struct limit *limit, const struct sockaddr *address, int64_t now_ns);
