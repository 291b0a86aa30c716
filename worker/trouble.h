/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What keeps Redis from serving this worker, as its operator is told: each reason once when it is
 * met first, and once that all is well again; not each time that it is met. On the loop's thread.
 */
#include "meter.h"

struct link_reply;

enum trouble_kind {
    TROUBLE_LINK,      /* no connection */
    TROUBLE_FUNCTIONS, /* the functions are not there */
    TROUBLE_CLAIM,     /* requests of that kind are refused */
    TROUBLE_READ,
    TROUBLE_BEAT,
    TROUBLE_DELIVER,
    TROUBLE_SESSION,
    TROUBLE_KINDS
};

enum { TROUBLE_WHY_MAX = 400, TROUBLE_TOLD = 8 };

struct trouble {
    struct meter *meter;
    const char *worker;
    void (*missing)(void *context); /* a request found no functions */
    void (*over)(void *context);    /* all is well: Redis takes what this worker writes */
    void *context;

    unsigned kinds;                 /* a bit each: what is not well */
    int64_t last_ns[TROUBLE_KINDS]; /* when it was met last */
    enum trouble_kind last;         /* which was, and why; empty: it is not known to be well yet */
    char why[TROUBLE_WHY_MAX];
    char told[TROUBLE_TOLD][TROUBLE_WHY_MAX]; /* since all was well; the newest over the oldest */
    unsigned told_count;
};

/* Something is not well; with `why` NULL, it is not known to be well yet. */
void trouble_begin(struct trouble *trouble, enum trouble_kind kind, const char *why);
void trouble_end(struct trouble *trouble, enum trouble_kind kind);

/* A request was answered, and reading the answer gave that code. No answer is the link's trouble.
 */
void trouble_answered(struct trouble *trouble, enum trouble_kind kind, int code,
                      const struct link_reply *reply);

/* False if all is well, else what is not. */
bool trouble_text(const struct trouble *trouble, char *text, size_t size);
