/* SPDX-License-Identifier: MIT */
/*
 * The search runs bird by bird and not field by field, since a person looks for a bird. A hash is
 * looked at last: what differs in the state explains it, and names the place.
 */
#include "record.h"

#include <string.h>

const char *const record_field[RECORD_FIELDS] = {"x", "y", "vx", "vy"};

void record_take(struct record *record, const struct sim *sim) {
    const double *const field[RECORD_FIELDS] = {sim->x, sim->y, sim->vx, sim->vy};
    record->tick = sim->tick;
    record->has_state = record->has_hash = true;
    memset(record->line, 0, sizeof record->line);
    record->hash = sim_hash(sim);
    for (int f = 0; f < RECORD_FIELDS; f++)
        memcpy(record->bits[f], field[f], sim->count * sizeof *field[f]);
}

void record_compare(const struct record *ours, const struct record *theirs, uint32_t count,
                    struct record_difference *difference) {
    *difference = (struct record_difference){.differs = RECORD_EQUAL};
    for (uint32_t bird = 0; theirs->has_state && bird < count; bird++) {
        uint32_t before = difference->numbers;
        for (uint32_t f = 0; f < RECORD_FIELDS; f++) {
            if (ours->bits[f][bird] == theirs->bits[f][bird])
                continue;
            if (difference->numbers++ == 0) {
                difference->bird = bird;
                difference->field = f;
            }
        }
        difference->birds += difference->numbers > before;
    }
    if (difference->numbers > 0)
        difference->differs = RECORD_STATE;
    else if (theirs->has_hash && ours->hash != theirs->hash)
        difference->differs = theirs->has_state ? RECORD_HASHING : RECORD_HASH;
}

#define RECORD_SIGN (UINT64_C(1) << 63)
#define RECORD_INFINITY (UINT64_C(0x7ff) << 52)

/* The place of a number among all, in ascending order. */
static uint64_t record_rank(uint64_t bits) {
    return bits & RECORD_SIGN ? ~bits : bits | RECORD_SIGN;
}

bool record_ulps(uint64_t a, uint64_t b, uint64_t *ulps) {
    if ((a & ~RECORD_SIGN) >= RECORD_INFINITY || (b & ~RECORD_SIGN) >= RECORD_INFINITY)
        return false;
    uint64_t rank_a = record_rank(a), rank_b = record_rank(b);
    *ulps = rank_a > rank_b ? rank_a - rank_b : rank_b - rank_a;
    return true;
}
