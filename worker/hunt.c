/* SPDX-License-Identifier: MIT */
/* See hunt.h for the rules. The loop's thread. */
#include "hunt.h"

#define HUNT_MS INT64_C(1000000)
#define HUNT_SHORT_NS (2 * HUNT_MS)  /* runs up to this long are claimed ahead */
#define HUNT_LONG_NS (100 * HUNT_MS) /* behind those that take longer nothing waits */

enum {
    HUNT_READ_MS = 1000,     /* both lanes are watched: only what was handed back is missed */
    HUNT_READ_PART_MS = 200, /* only the interactive lane is: look at batch soon again */
    HUNT_PAUSED_MS = 1000,
    HUNT_RECLAIM_MORE_MS = 20, /* after a look at lost jobs that perhaps did not show all */
    /* Results that pile up: first get rid of them. With all that a claim may bring on top, a beat
     * must still be able to tell of everything. */
    HUNT_UNDELIVERED_MAX = 450,
    HUNT_UNDELIVERED_BYTES = 32 << 20,
    HUNT_WEIGHT = 8, /* of the past in the average */
};

void hunt_init(struct hunt *hunt, unsigned slots, unsigned prefetch_max, unsigned lease_s,
               uint32_t seed) {
    *hunt = (struct hunt){.slots = slots,
                          .prefetch_max = prefetch_max,
                          .more = {true, true},
                          .reclaim_every_ns = lease_s * 1000 * HUNT_MS / 3,
                          .random = seed | 1};
}

static uint32_t hunt_dice(struct hunt *hunt) {
    uint32_t x = hunt->random; /* xorshift32, Marsaglia 2003 */
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return hunt->random = x;
}

/* Between half of it and all of it: many workers must not come at the same moment. */
static int64_t hunt_jitter(struct hunt *hunt, int64_t ns) {
    int64_t half = ns / 2;
    return half + (int64_t)((double)half * (hunt_dice(hunt) / 4294967296.0));
}

/* Places for that lane. The function `claim` counts them the same way. */
static unsigned hunt_room(unsigned slots, const unsigned active[JOB_LANES], enum job_lane lane) {
    unsigned interactive = active[JOB_INTERACTIVE], batch = active[JOB_BATCH];
    if (interactive + batch < slots)
        return slots - interactive - batch;
    return lane == JOB_INTERACTIVE && batch >= slots && interactive == 0;
}

static unsigned hunt_prefetch(const struct hunt *hunt, const struct hunt_view *view) {
    if (hunt->average_ns == 0 || hunt->average_ns > HUNT_SHORT_NS ||
        view->longest_ns > HUNT_SHORT_NS)
        return 0;
    int64_t fit = hunt->slots * HUNT_SHORT_NS / hunt->average_ns;
    return fit > hunt->prefetch_max ? hunt->prefetch_max : (unsigned)fit;
}

static bool hunt_wants_claim(const struct hunt *hunt, const struct hunt_view *view,
                             struct hunt_move *move) {
    unsigned active = view->active[JOB_INTERACTIVE] + view->active[JOB_BATCH];
    unsigned ahead = active > hunt->slots ? active - hunt->slots : 0;
    unsigned target = hunt_prefetch(hunt, view);
    unsigned room[JOB_LANES];
    bool more = false;
    move->reclaim = view->now_ns >= hunt->reclaim_ns;
    move->prefetch = target > ahead ? target - ahead : 0;
    for (int lane = 0; lane < JOB_LANES; lane++) {
        room[lane] = hunt_room(hunt->slots, view->active, (enum job_lane)lane);
        move->asked[lane] = room[lane] > 0 || move->prefetch > 0;
        more = more || (hunt->more[lane] && move->asked[lane]);
    }
    move->wanted = room[JOB_INTERACTIVE] + move->prefetch; /* it has every place that batch has */
    if (!more)
        return move->reclaim && move->wanted > 0;
    /* Half of the line may run off before the next claim, so that one brings many. */
    return target > 0 ? ahead <= target / 2 : move->wanted > 0;
}

static bool hunt_wants_read(const struct hunt *hunt, const struct hunt_view *view,
                            struct hunt_move *move) {
    unsigned active[JOB_LANES] = {view->active[JOB_INTERACTIVE], view->active[JOB_BATCH]};
    if (hunt_room(hunt->slots, active, JOB_INTERACTIVE) == 0)
        return false;
    move->lane[JOB_INTERACTIVE] = true;
    if (hunt_room(hunt->slots, active, JOB_BATCH) > 0) {
        active[JOB_BATCH]++;
        move->lane[JOB_BATCH] = hunt_room(hunt->slots, active, JOB_INTERACTIVE) > 0;
    }
    int64_t until_ms = (hunt->reclaim_ns - view->now_ns) / HUNT_MS + 1;
    move->wait_ms = move->lane[JOB_BATCH] ? HUNT_READ_MS : HUNT_READ_PART_MS;
    if (until_ms < move->wait_ms)
        move->wait_ms = (unsigned)until_ms;
    return true;
}

void hunt_decide(const struct hunt *hunt, const struct hunt_view *view, struct hunt_move *move) {
    *move = (struct hunt_move){.action = HUNT_WAIT};
    if (view->now_ns < hunt->rest_until_ns) {
        move->again_ns = hunt->rest_until_ns;
        return;
    }
    if (view->alone || view->undelivered >= HUNT_UNDELIVERED_MAX ||
        view->undelivered_bytes >= HUNT_UNDELIVERED_BYTES)
        return;
    if (hunt_wants_claim(hunt, view, move)) {
        move->action = HUNT_CLAIM;
    } else if (!hunt->more[JOB_INTERACTIVE] && hunt_wants_read(hunt, view, move)) {
        move->action = HUNT_READ;
    }
}

bool hunt_yields(const struct hunt_view *view) {
    return view->longest_ns > HUNT_LONG_NS;
}

/* Whether there may be more than the claim gave. It fills only places with what was handed back or
 * lost. */
static bool hunt_is_full(const struct hunt_move *move, unsigned got) {
    unsigned places = move->wanted - move->prefetch;
    return move->wanted > 0 && got >= (places > 0 ? places : move->wanted);
}

void hunt_claimed(struct hunt *hunt, const struct hunt_move *move, int64_t now_ns, unsigned got,
                  bool paused) {
    backoff_reset(&hunt->backoff);
    hunt->turn += got > 0;
    bool full = hunt_is_full(move, got);
    if (move->reclaim)
        hunt->reclaim_ns = now_ns + (full ? HUNT_RECLAIM_MORE_MS * HUNT_MS
                                          : hunt_jitter(hunt, hunt->reclaim_every_ns));
    hunt->rest_until_ns = paused ? now_ns + hunt_jitter(hunt, HUNT_PAUSED_MS * HUNT_MS) : 0;
    for (int lane = 0; lane < JOB_LANES; lane++)
        if (paused || full)
            hunt->more[lane] = true;
        else if (move->asked[lane])
            hunt->more[lane] = false;
}

void hunt_read(struct hunt *hunt) {
    backoff_reset(&hunt->backoff);
    hunt->more[JOB_INTERACTIVE] = hunt->more[JOB_BATCH] = true;
}

void hunt_failed(struct hunt *hunt, int64_t now_ns) {
    hunt->rest_until_ns = now_ns + backoff_take(&hunt->backoff, hunt_dice(hunt)) * HUNT_MS;
    hunt->more[JOB_INTERACTIVE] = hunt->more[JOB_BATCH] = true;
}

void hunt_resume(struct hunt *hunt) {
    backoff_reset(&hunt->backoff);
    hunt->rest_until_ns = 0;
}

void hunt_ran(struct hunt *hunt, int64_t run_ns) {
    if (run_ns < 1)
        run_ns = 1;
    if (hunt->average_ns == 0)
        hunt->average_ns = run_ns;
    hunt->average_ns += (run_ns - hunt->average_ns) / HUNT_WEIGHT;
    if (hunt->average_ns < 1)
        hunt->average_ns = 1;
}
