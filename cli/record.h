/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What an engine says of one tick: the state, number by number, the hash of it, or both.
 * Numbers are kept as their 64 bits, so that NaN and the sign of zero are compared like all others.
 */
#include "sim.h"

#define RECORD_FIELDS 4

struct record {
    uint32_t tick;
    bool has_state, has_hash;
    uint64_t hash;
    uint64_t bits[RECORD_FIELDS][SIM_AGENTS_MAX]; /* the state, by record_field */
    uint64_t
        line[SIM_AGENTS_MAX]; /* of each bird, or [0] of the hash: where it was read; 0: nowhere */
};

/* "x", "y", "vx", "vy": the order of the state hash, and of the search for a difference. */
extern const char *const record_field[RECORD_FIELDS];

/* What ours is at the simulation's tick: state and hash. */
void record_take(struct record *record, const struct sim *sim);

/* What tells two records of one tick apart. */
enum record_differs {
    RECORD_EQUAL,
    RECORD_STATE,   /* a number of the state */
    RECORD_HASH,    /* the hash, and there is no state to look into */
    RECORD_HASHING, /* the hash of a state that is equal: it is made otherwise */
};

struct record_difference {
    enum record_differs differs;
    /* Of RECORD_STATE; else 0: */
    uint32_t bird, field; /* the first that differs: lowest bird, then field */
    uint32_t birds;       /* how many birds differ somewhere */
    uint32_t numbers;     /* how many numbers do, of all 4 * count */
};

/* Compares what theirs has, for `count` birds; ours has both. */
void record_compare(const struct record *ours, const struct record *theirs, uint32_t count,
                    struct record_difference *difference);

/*
 * How many steps lie between two numbers, going from one binary64 to the next (-0 and +0 are two of
 * them): 1 is a difference in the last bit, a rounding. False, and nothing in *ulps, where one of
 * them is no finite number.
 */
bool record_ulps(uint64_t a, uint64_t b, uint64_t *ulps);
