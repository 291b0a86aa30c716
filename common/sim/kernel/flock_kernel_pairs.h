/* SPDX-License-Identifier: MIT */
/* Kernel, part 3: the pairs of a block by its list, from candidates to sums. */
#include "flock_kernel_terms.h"

/*
 * In 16 bits a coordinate a bird lies less than one step off, so a difference does too. In steps of
 * the width, neighbours have dx^2 + (0.6 dy)^2 < 5898.24^2. A quarter of that is what is summed,
 * dx * floor(dx / 4) + dy * floor(dy * 5898 / 65536), and with the steps and the floors it stays
 * below 8697309 + 14592 for all of them (beyond: whoever is up to 0.2 % farther).
 */
#define KERNEL_CELLS 65536.0
#define KERNEL_CELL_FACTORS (5898u << 16 | 16384u)
#define KERNEL_CELL_LIMIT 8712000

/* Padding is where the first bird of its block is, and reaches nobody else. */
KERNEL_PART void kernel_cells(struct flock_work *work) {
    for (uint32_t l = 0; l < work->count; l++) {
        uint32_t x = (uint32_t)(int32_t)(work->x[l] * (KERNEL_CELLS / FLOCK_WIDTH));
        uint32_t y = (uint32_t)(int32_t)(work->y[l] * (KERNEL_CELLS / FLOCK_HEIGHT));
        work->cell[l] = (x & 0xffff) | y << 16;
    }
    for (uint32_t l = work->count; l < work->blocks * WORK_LANES; l++)
        work->cell[l] = work->cell[l - l % WORK_LANES];
}

/* Candidates to hits, two at a time; how many. */
KERNEL_PART uint32_t kernel_filter(struct flock_work *work, uint32_t b) {
    uint32_t length = work->candidates[b], hits = 0;
    const uint32_t *candidate = work->candidate[b];
    simd_cells own = simd_load_cells(&work->cell[b * WORK_LANES]);
    for (uint32_t c = 0; c < length; c += 2) {
        uint32_t i = candidate[c], j = candidate[c + 1];
        unsigned reached =
            simd_reach(own, work->cell[WORK_ENTRY_LANE(i)], work->cell[WORK_ENTRY_LANE(j)],
                       KERNEL_CELL_FACTORS, KERNEL_CELL_LIMIT);
        work->hit[hits] = i;
        hits += (reached & 0xff) != 0;
        work->hit[hits] = j;
        hits += reached > 0xff && c + 1 < length;
    }
    return hits;
}

/* What one pass over the hits finds beside the sums. */
struct kernel_found {
    uint32_t close;
    bool certain; /* no square distance was next to the limit */
};

/*
 * The sums over the neighbours, and who is close. No bird is its own neighbour: its delta from
 * itself is NaN here. `careful` asks the exact distance; otherwise `certain` says whether that
 * would have been needed.
 */
KERNEL struct kernel_found kernel_sum(struct flock_work *work, uint32_t b,
                                      const struct kernel_view *view, const uint32_t *hit,
                                      uint32_t hits, bool careful, struct kernel_sums *sums) {
    uint32_t closes = 0;
    simd margin = KERNEL_NO_MARGIN;
    for (uint32_t h = 0; h < hits; h++) {
        uint32_t j = WORK_ENTRY_LANE(hit[h]);
        simd x = simd_load(work->without[WORK_ENTRY_ABOVE(hit[h])]);
        simd dx = kernel_delta_x(work, view, x, j), dy = kernel_delta_y(work, view, j);
        simd square = kernel_square_sum(dx, dy);
        simd_mask near = kernel_near(work, b, j, square, careful, &margin);
        kernel_add_neighbor(work, sums, j, near, dx, dy);
        work->adjacent[j][b] = (uint8_t)simd_bits(near);
        unsigned close = simd_bits(simd_less(square, simd_all(KERNEL_SEPARATION_2 * KERNEL_HIGH)));
        work->close[closes] = WORK_ENTRY(j, close);
        closes += close != 0;
    }
    return (struct kernel_found){closes, kernel_is_certain(margin)};
}

KERNEL void kernel_add_term(struct kernel_sums *sums, simd_mask lanes, simd x, simd y,
                            simd distance) {
    sums->toward_x = simd_add_if(lanes, sums->toward_x, x);
    sums->toward_y = simd_add_if(lanes, sums->toward_y, y);
    sums->nearest = simd_min(sums->nearest, simd_choose(lanes, distance, sums->nearest));
}

/* Few lanes of each vector are close: pack the pairs into full vectors, divide those, unpack. */
KERNEL void kernel_separate_packed(struct flock_work *work, const struct kernel_view *view,
                                   uint32_t close, struct kernel_sums *sums) {
    uint32_t pairs = 0;
    for (uint32_t c = 0; c < close; c++) {
        uint32_t j = WORK_ENTRY_LANE(work->close[c]), bits = WORK_ENTRY_ABOVE(work->close[c]);
        simd_mask lanes = simd_from_bits(bits);
        simd_pack(&work->packed_x[pairs], lanes, kernel_delta_x(work, view, view->x, j));
        simd_pack(&work->packed_y[pairs], lanes, kernel_delta_y(work, view, j));
        pairs += (uint32_t)__builtin_popcount(bits);
    }
    simd_store(&work->packed_x[pairs], simd_all(1));
    simd_store(&work->packed_y[pairs], simd_all(0));
    for (uint32_t p = 0; p < pairs; p += WORK_LANES) {
        struct kernel_term term =
            kernel_separate(simd_load(&work->packed_x[p]), simd_load(&work->packed_y[p]), 0xff);
        simd_store(&work->packed_x[p], term.x);
        simd_store(&work->packed_y[p], term.y);
        simd_store(&work->packed_d[p], term.distance);
    }
    pairs = 0;
    for (uint32_t c = 0; c < close; c++) {
        uint32_t bits = WORK_ENTRY_ABOVE(work->close[c]);
        simd_mask lanes = simd_from_bits(bits);
        kernel_add_term(sums, lanes, simd_unpack(&work->packed_x[pairs], lanes),
                        simd_unpack(&work->packed_y[pairs], lanes),
                        simd_unpack(&work->packed_d[pairs], lanes));
        pairs += (uint32_t)__builtin_popcount(bits);
    }
}

/* Most lanes are close: whole vectors as they are. */
KERNEL void kernel_separate_whole(struct flock_work *work, const struct kernel_view *view,
                                  uint32_t close, struct kernel_sums *sums) {
    for (uint32_t c = 0; c < close; c++) {
        uint32_t j = WORK_ENTRY_LANE(work->close[c]), bits = WORK_ENTRY_ABOVE(work->close[c]);
        struct kernel_term term = kernel_separate(kernel_delta_x(work, view, view->x, j),
                                                  kernel_delta_y(work, view, j), bits);
        kernel_add_term(sums, simd_from_bits(bits), term.x, term.y, term.distance);
    }
}

/* The sums, close distances and adjacency of a block from its hits; whether they are certain. */
KERNEL bool kernel_block(struct flock_work *work, uint32_t b, const uint32_t *hit, uint32_t hits,
                         bool wrap_x, bool wrap_y, bool careful) {
    uint32_t first = b * WORK_LANES, pairs = 0;
    struct kernel_view view = {simd_load(&work->x[first]), simd_load(&work->y[first]), wrap_x,
                               wrap_y};
    struct kernel_sums sums = kernel_no_sums();
    for (uint32_t k = 0; k < WORK_LANES; k++)
        simd_store(work->without[k],
                   simd_choose(simd_from_bits(1u << k), simd_all(__builtin_nan("")), view.x));
    simd_store(work->without[WORK_LANES], view.x);
    struct kernel_found found = kernel_sum(work, b, &view, hit, hits, careful, &sums);
    for (uint32_t c = 0; c < found.close; c++)
        pairs += (uint32_t)__builtin_popcount(WORK_ENTRY_ABOVE(work->close[c]));
    if (pairs < 5 * found.close)
        kernel_separate_packed(work, &view, found.close, &sums);
    else
        kernel_separate_whole(work, &view, found.close, &sums);
    kernel_store_sums(work, first, &sums);
    return found.certain;
}

typedef bool kernel_block_pass(struct flock_work *work, uint32_t b, const uint32_t *hit,
                               uint32_t hits);

KERNEL_PART bool kernel_block_inside(struct flock_work *work, uint32_t b, const uint32_t *hit,
                                     uint32_t hits) {
    return kernel_block(work, b, hit, hits, false, false, false);
}

KERNEL_PART bool kernel_block_x(struct flock_work *work, uint32_t b, const uint32_t *hit,
                                uint32_t hits) {
    return kernel_block(work, b, hit, hits, true, false, false);
}

KERNEL_PART bool kernel_block_y(struct flock_work *work, uint32_t b, const uint32_t *hit,
                                uint32_t hits) {
    return kernel_block(work, b, hit, hits, false, true, false);
}

KERNEL_PART bool kernel_block_xy(struct flock_work *work, uint32_t b, const uint32_t *hit,
                                 uint32_t hits) {
    return kernel_block(work, b, hit, hits, true, true, false);
}

KERNEL_PART bool kernel_block_careful(struct flock_work *work, uint32_t b, const uint32_t *hit,
                                      uint32_t hits) {
    return kernel_block(work, b, hit, hits, true, true, true);
}

/*
 * Whether a bird of a block may have a neighbour over the edge of one axis: below `low` or above
 * `high`, which leave less than a perception to the outermost bird on the other side.
 */
struct kernel_edges {
    simd low, high;
};

static struct kernel_edges kernel_measure_edges(const double *p, uint32_t count, double size) {
    struct kernel_span span = kernel_measure_span(p, count);
    return (struct kernel_edges){simd_all(FLOCK_PERCEPTION + 0.001 - (size - span.most)),
                                 simd_all(size - FLOCK_PERCEPTION - 0.001 + span.least)};
}

KERNEL bool kernel_crosses(const struct kernel_edges *edges, const double *p) {
    simd at = simd_load(p);
    return (simd_bits(simd_less(at, edges->low)) | simd_bits(simd_less(edges->high, at))) != 0;
}

/* Sums, close distances and adjacency of all blocks from their lists. */
static void kernel_listed_pairs(struct flock_work *work) {
    static kernel_block_pass *const passes[2][2] = {{kernel_block_inside, kernel_block_y},
                                                    {kernel_block_x, kernel_block_xy}};
    struct kernel_edges edges_x = kernel_measure_edges(work->x, work->count, FLOCK_WIDTH);
    struct kernel_edges edges_y = kernel_measure_edges(work->y, work->count, FLOCK_HEIGHT);
    kernel_cells(work);
    for (uint32_t b = 0; b < work->blocks; b++) {
        const uint32_t *hit = work->candidate[b];
        uint32_t hits = work->candidates[b];
        if (!work->dense[b]) {
            hit = work->hit;
            hits = kernel_filter(work, b);
            work->dense[b] = 10 * hits > 7 * work->candidates[b];
        }
        bool x = kernel_crosses(&edges_x, &work->x[b * WORK_LANES]);
        bool y = kernel_crosses(&edges_y, &work->y[b * WORK_LANES]);
        if (!passes[x][y](work, b, hit, hits))
            kernel_block_careful(work, b, hit, hits);
    }
}
