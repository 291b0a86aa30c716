/* SPDX-License-Identifier: MIT */
/*
 * Kernel, part 4: the pairs of a crowd, where so many birds are close to each other that square
 * roots and divisions are most of the work. Each is done once for both birds: separation is as
 * exactly opposite for them as their deltas are.
 *
 * Lanes are in the order of the birds here. A tile is two blocks a < b: eight vectors over the
 * lanes of a, one for each j in b, and the same transposed over the lanes of b, one for each i in
 * a. Tiles go by ascending b, then a, the one of a block with itself last:
 *
 *          a = 0   1   2   3
 *   b = 0      1                    lanes of block 2 meet blocks 0, 1 (in 4, 5), themselves (6),
 *       1      2   3                then 3 (9): ascending j, as the sums must have it
 *       2      4   5   6
 *       3      7   8   9   10
 */
#include "flock_kernel_terms.h"

/* Row k, column j of eight times eight bits, bit j of byte k, to bit k of byte j. */
KERNEL uint64_t kernel_transpose_bits(uint64_t x) {
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

/* Vectors over the lanes of one block, one for each bird of another: what separates them, +0 where
 * nothing does. */
struct kernel_tile {
    simd x[WORK_LANES], y[WORK_LANES], distance[WORK_LANES];
    uint64_t near; /* byte k, bit i: bird k of the other block and lane i */
    simd margin;   /* squared, of all tiles so far, to the limit of a square distance */
};

/* The birds of block b for the lanes of block a; with itself, nobody for themselves. */
KERNEL void kernel_tile_sum(struct flock_work *work, uint32_t a, uint32_t b, bool wrap,
                            bool careful, struct kernel_tile *tile) {
    const simd none = simd_all(0);
    struct kernel_sums sums = kernel_load_sums(work, a * WORK_LANES);
    struct kernel_view view = {simd_load(&work->x[a * WORK_LANES]),
                               simd_load(&work->y[a * WORK_LANES]), wrap, wrap};
    tile->near = 0;
    for (uint32_t k = 0; k < WORK_LANES; k++) {
        uint32_t j = b * WORK_LANES + k;
        simd x = a != b ? view.x
                        : simd_choose(simd_from_bits(1u << k), simd_all(__builtin_nan("")), view.x);
        simd dx = kernel_delta_x(work, &view, x, j), dy = kernel_delta_y(work, &view, j);
        simd square = kernel_square_sum(dx, dy);
        simd_mask near = kernel_near(work, a, j, square, careful, &tile->margin);
        tile->near |= (uint64_t)simd_bits(near) << 8 * k;
        work->adjacent[j][a] = (uint8_t)simd_bits(near);
        kernel_add_neighbor(work, &sums, j, near, dx, dy);

        simd_mask close = simd_less(square, simd_all(KERNEL_SEPARATION_2 * KERNEL_HIGH));
        struct kernel_term term = kernel_separate(dx, dy, simd_bits(close));
        tile->x[k] = simd_choose(close, term.x, none);
        tile->y[k] = simd_choose(close, term.y, none);
        tile->distance[k] = simd_choose(close, term.distance, simd_all(FLOCK_NEAREST_LIMIT));
        sums.toward_x = simd_add(sums.toward_x, tile->x[k]);
        sums.toward_y = simd_add(sums.toward_y, tile->y[k]);
        sums.nearest = simd_min(sums.nearest, tile->distance[k]);
    }
    kernel_store_sums(work, a * WORK_LANES, &sums);
}

/* The same for the lanes of block b, from the transposed tile. */
KERNEL void kernel_tile_sum_back(struct flock_work *work, uint32_t a, uint32_t b, bool wrap,
                                 struct kernel_tile *tile) {
    struct kernel_sums sums = kernel_load_sums(work, b * WORK_LANES);
    struct kernel_view view = {simd_load(&work->x[b * WORK_LANES]),
                               simd_load(&work->y[b * WORK_LANES]), wrap, wrap};
    uint64_t near = kernel_transpose_bits(tile->near);
    simd_transpose(tile->x);
    simd_transpose(tile->y);
    simd_transpose(tile->distance);
    for (uint32_t k = 0; k < WORK_LANES; k++) {
        uint32_t i = a * WORK_LANES + k;
        unsigned bits = near >> 8 * k & 0xff;
        work->adjacent[i][b] = (uint8_t)bits;
        kernel_add_neighbor(work, &sums, i, simd_from_bits(bits),
                            kernel_delta_x(work, &view, view.x, i), kernel_delta_y(work, &view, i));
        sums.toward_x = simd_sub(sums.toward_x, tile->x[k]);
        sums.toward_y = simd_sub(sums.toward_y, tile->y[k]);
        sums.nearest = simd_min(sums.nearest, tile->distance[k]);
    }
    kernel_store_sums(work, b * WORK_LANES, &sums);
}

/* Whether that is certain. */
KERNEL bool kernel_crowd(struct flock_work *work, bool wrap, bool careful) {
    struct kernel_sums empty = kernel_no_sums();
    struct kernel_tile tile = {.margin = KERNEL_NO_MARGIN};
    for (uint32_t b = 0; b < work->blocks; b++) {
        kernel_store_sums(work, b * WORK_LANES, &empty);
        for (uint32_t a = 0; a < b; a++) {
            kernel_tile_sum(work, a, b, wrap, careful, &tile);
            kernel_tile_sum_back(work, a, b, wrap, &tile);
        }
        kernel_tile_sum(work, b, b, wrap, careful, &tile);
    }
    return kernel_is_certain(tile.margin);
}

KERNEL_PART bool kernel_crowd_inside(struct flock_work *work) {
    return kernel_crowd(work, false, false);
}

KERNEL_PART bool kernel_crowd_wrapping(struct flock_work *work) {
    return kernel_crowd(work, true, false);
}

KERNEL_PART void kernel_crowd_careful(struct flock_work *work) {
    kernel_crowd(work, true, true);
}

/* Whether any two birds may be neighbours over the edge of one axis. */
static bool kernel_meet_over_edge(const double *p, uint32_t count, double size) {
    struct kernel_span span = kernel_measure_span(p, count);
    return size - span.most + span.least < FLOCK_PERCEPTION + 0.001;
}

/* Sums, close distances and adjacency of all blocks of a crowd. */
static void kernel_crowd_pairs(struct flock_work *work) {
    bool wrap = kernel_meet_over_edge(work->x, work->count, FLOCK_WIDTH) ||
                kernel_meet_over_edge(work->y, work->count, FLOCK_HEIGHT);
    if (!(wrap ? kernel_crowd_wrapping : kernel_crowd_inside)(work))
        kernel_crowd_careful(work);
}
