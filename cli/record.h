/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What an engine says of one tick: the hash of the state, or the state itself, number by number.
 * Numbers are kept as their 64 bits, so that NaN and the sign of zero are compared like all others.
 */
#include "sim.h"

#define RECORD_FIELDS 4

enum record_kind { RECORD_HASH, RECORD_STATE };

struct record {
    uint32_t tick;
    enum record_kind kind;
    uint64_t hash;                                /* RECORD_HASH */
    uint64_t bits[RECORD_FIELDS][SIM_AGENTS_MAX]; /* RECORD_STATE, by record_field */
    uint64_t
        line[SIM_AGENTS_MAX]; /* of each bird, or [0] of the hash: where it was read; 0: nowhere */
};

/* "x", "y", "vx", "vy": the order of the state hash, and of the search for a difference. */
extern const char *const record_field[RECORD_FIELDS];

/* What ours is at the simulation's tick. */
void record_take(struct record *record, enum record_kind kind, const struct sim *sim);

/* How two records of one tick and kind differ. */
struct record_difference {
    uint32_t bird, field; /* the first that differs: lowest bird, then field. Of a hash: 0 */
    uint32_t birds;       /* how many birds differ somewhere. Of a hash: 0 */
    uint32_t numbers;     /* how many numbers do, of all 4 * count; 0: the records are equal */
};

/* Compares them, for `count` birds. */
void record_compare(const struct record *ours, const struct record *theirs, uint32_t count,
                    struct record_difference *difference);

/*
 * How many steps lie between two numbers, going from one binary64 to the next (-0 and +0 are two of
 * them): 1 is a difference in the last bit, a rounding. False, and nothing in *ulps, where one of
 * them is no finite number.
 */
bool record_ulps(uint64_t a, uint64_t b, uint64_t *ulps);
