/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a flock kernel keeps between the ticks of one run: the birds in lane order, the lists of
 * candidates, and the sums of the current tick. Plain memory that the caller of the engine owns.
 *
 *   bird   0    1    2    3  ...            as in struct sim
 *   lane   5   17    0   16  ...            lane[bird]: where it flies in here
 *          |---- block 0 ----|---- block 1 ----| ...   8 lanes each, birds that are close in space
 *
 * In a crowd lane[i] is i.
 *
 * Lanes behind the last bird are padding: their position is NaN, so that no comparison is ever
 * true.
 *
 * A cell is a position in 16 bits a coordinate, x low, y high, that wrap where the field does.
 */
#include "flock.h"

#define WORK_LANES 8u
#define WORK_ENTRY(lane, above) ((uint32_t)(lane) | (uint32_t)(above) << 16)
#define WORK_ENTRY_LANE(entry) ((entry)&0xffff)
#define WORK_ENTRY_ABOVE(entry) ((entry) >> 16)
#define WORK_BLOCKS (SIM_AGENTS_MAX / WORK_LANES)
#define WORK_SLOTS (WORK_BLOCKS * WORK_LANES)
_Static_assert(WORK_SLOTS == SIM_AGENTS_MAX, "vectors over the birds end with the last of them");
_Static_assert(WORK_SLOTS <= 512, "a row of `adjacent` has 512 bits");

struct flock_work {
    bool regular; /* the state of this tick is one for kernels */
    bool crowd;   /* lanes are in the order of the birds, and there are no lists */
    uint32_t count, blocks;
    uint32_t expires;          /* tick at which order and lists must be made anew */
    uint16_t bird[WORK_SLOTS]; /* lane -> bird */
    uint16_t lane[WORK_SLOTS]; /* bird -> lane */

    /* By lane. */
    double x[WORK_SLOTS], y[WORK_SLOTS], vx[WORK_SLOTS], vy[WORK_SLOTS];
    uint32_t cell[WORK_SLOTS];
    double neighbors[WORK_SLOTS];
    double delta_x[WORK_SLOTS], delta_y[WORK_SLOTS];
    double velocity_x[WORK_SLOTS], velocity_y[WORK_SLOTS];
    double toward_x[WORK_SLOTS], toward_y[WORK_SLOTS]; /* the separation sum, negated */
    double nearest[WORK_SLOTS]; /* distance to the nearest bird; FLOCK_NEAREST_LIMIT: none nearer */
    double heading_x[WORK_SLOTS], heading_y[WORK_SLOTS];

    /*
     * Lists of birds for the eight lanes of a block, ascending by bird. An entry is the lane that
     * the bird flies in, and above it its place in the block: 0 to 7, WORK_LANES if in another.
     *
     * Candidates, by block: for whom it may come within perception before the lists expire.
     */
    uint32_t candidate[WORK_BLOCKS][WORK_SLOTS + WORK_LANES];
    uint16_t candidates[WORK_BLOCKS];
    bool dense[WORK_BLOCKS]; /* most candidates are hits: not worth filtering */

    /* Lists are written without a branch, so one more than they hold, and the filter takes
     * candidates two by two; doubles are packed eight by eight.
     *
     * Of one block at a time: who may be a neighbour of some lane; who may be near enough for
     * separation, with the lanes of the block that this is for in place of its own.
     */
    uint32_t hit[WORK_SLOTS + 2];
    uint32_t close[WORK_SLOTS + 1];
    double without[WORK_LANES + 1][WORK_LANES]; /* the block's x; in row k lane k is NaN */
    double packed_x[WORK_SLOTS * WORK_LANES + WORK_LANES];
    double packed_y[WORK_SLOTS * WORK_LANES + WORK_LANES];
    double packed_d[WORK_SLOTS * WORK_LANES + WORK_LANES];

    /* adjacent[lane]: bit k of byte b: the bird in lane 8b + k is a neighbour. */
    _Alignas(64) uint8_t adjacent[WORK_SLOTS][64];
};
