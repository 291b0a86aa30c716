/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * When to ask Redis for jobs, for how many, and when to wait for them instead. Only decisions: no
 * clock, no link; claim.c carries them out and tells what came of it.
 *
 *   A place is a slot that a job may take at once: `slots` for both lanes, and one more for one
 *   interactive job when batch jobs have filled them all.
 *
 *   Busy queue: claims, as long as each brings all that it asked for. Short jobs are claimed ahead
 *   of the places, as many as run in 2 ms, so that round trips overlap with runs; where jobs take
 *   longer than that, none. One that turns out long sends those that wait behind it back.
 *   Empty queue: a blocking read, which may bring one job of each lane that it reads; so it reads
 *   both only where both would find a place, and else the interactive one. It ends by itself after
 *   a second, and a claim looks at what was handed back, which no read sees; every third of the
 *   lease, and on until nothing more comes, also at what other workers have lost: no read goes on
 *   beyond that time.
 */
#include "backoff.h"
#include "job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hunt {
    unsigned slots;
    unsigned prefetch_max;
    bool more[JOB_LANES]; /* there may be jobs: the last claim has left no place empty */
    int64_t reclaim_every_ns;
    unsigned turn;         /* claims that gave something; every eighth prefers batch */
    int64_t average_ns;    /* of a run, the last ones weigh most; 0: none yet */
    int64_t rest_until_ns; /* no requests before; 0: none */
    struct backoff backoff;
    int64_t reclaim_ns; /* when to look for lost jobs again */
    uint32_t random;    /* state of the jitter; never 0 */
};

/* What the worker holds at this moment. */
struct hunt_view {
    int64_t now_ns;
    unsigned active[JOB_LANES]; /* held and not finished: running, in line or being prepared */
    unsigned undelivered;       /* finished, but Redis has not said yes yet */
    size_t undelivered_bytes;   /* of their results */
    bool alone;                 /* one of them must run alone */
    int64_t longest_ns;         /* the run that has been going on for longest; 0: none */
};

enum hunt_action { HUNT_WAIT, HUNT_CLAIM, HUNT_READ };

struct hunt_move {
    enum hunt_action action;
    int64_t again_ns;      /* HUNT_WAIT: look again then at the latest; 0: when something happens */
    unsigned prefetch;     /* HUNT_CLAIM: how many beyond the places */
    unsigned wanted;       /* HUNT_CLAIM: places and prefetch together */
    bool asked[JOB_LANES]; /* HUNT_CLAIM: the lanes that there is room for */
    bool reclaim;          /* HUNT_CLAIM: also look for lost jobs */
    bool lane[JOB_LANES];  /* HUNT_READ */
    unsigned wait_ms;      /* HUNT_READ */
};

/* `seed`: of the jitter. */
void hunt_init(struct hunt *hunt, unsigned slots, unsigned prefetch_max, unsigned lease_s,
               uint32_t seed);

void hunt_decide(const struct hunt *hunt, const struct hunt_view *view, struct hunt_move *move);

/* True if a run is so long that what was claimed ahead should not wait behind it. */
bool hunt_yields(const struct hunt_view *view);

/* The claim of that move came back with `got` jobs. Where that fills the places, there may be more.
 */
void hunt_claimed(struct hunt *hunt, const struct hunt_move *move, int64_t now_ns, unsigned got,
                  bool paused);

/* A read came back, with jobs or without. */
void hunt_read(struct hunt *hunt);

/* A request failed: the next one comes after a while. */
void hunt_failed(struct hunt *hunt, int64_t now_ns);

/* What made requests fail is over: there is no reason to rest any longer. */
void hunt_resume(struct hunt *hunt);

/* A job has run for so long. */
void hunt_ran(struct hunt *hunt, int64_t run_ns);
