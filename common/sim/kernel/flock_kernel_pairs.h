/* SPDX-License-Identifier: MIT */
/* Kernel, part 2: the pairs of one block, from its candidates to its sums. */

/* Which of `bits`, all next to the limit, are below it: by the exact distance. */
KERNEL_PART unsigned kernel_decide(const struct flock_work *work, uint32_t first, uint32_t j,
                                   unsigned bits) {
    unsigned below = 0;
    for (; bits; bits &= bits - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(bits), i = first + k;
        double d = exact_hypot(flock_delta(work->x[i], work->x[j], FLOCK_WIDTH),
                               flock_delta(work->y[i], work->y[j], FLOCK_HEIGHT));
        below |= (unsigned)(d < FLOCK_PERCEPTION) << k;
    }
    return below;
}

struct kernel_found {
    uint32_t hits, close;
};

/*
 * Candidates to hits and close ones. The deltas here only decide: on a seam they come from
 * coordinates that are cut elsewhere, whose last bits may differ from those of the sums.
 */
KERNEL struct kernel_found kernel_filter(struct flock_work *work, uint32_t b, const double *x,
                                         const double *y, bool wrap) {
    uint32_t first = b * WORK_LANES, length = work->candidates[b];
    const uint16_t *candidate = work->candidate[b];
    const uint8_t *others = work->others[b];
    simd own_x = simd_load(&x[first]), own_y = simd_load(&y[first]);
    struct kernel_found found = {0, 0};
    for (uint32_t c = 0; c < length; c++) {
        uint32_t j = candidate[c];
        simd dx = simd_sub(simd_all(x[j]), own_x), dy = simd_sub(simd_all(y[j]), own_y);
        if (wrap) {
            dx = kernel_wrap(dx, FLOCK_WIDTH);
            dy = kernel_wrap(dy, FLOCK_HEIGHT);
        }
        simd h = kernel_square_sum(dx, dy);
        unsigned near =
            simd_bits(simd_less(h, simd_all(KERNEL_PERCEPTION_2 * KERNEL_HIGH))) & others[c];
        unsigned sure = simd_bits(simd_less(h, simd_all(KERNEL_PERCEPTION_2 * KERNEL_LOW)));
        unsigned close =
            simd_bits(simd_less(h, simd_all(KERNEL_SEPARATION_2 * KERNEL_HIGH))) & near;
        if (__builtin_expect((near & ~sure) != 0, 0))
            near &= sure | kernel_decide(work, first, j, near & ~sure);
        work->hit[found.hits] = (uint16_t)j;
        work->hit_bits[found.hits] = (uint8_t)near;
        found.hits += near != 0;
        work->close[found.close] = (uint16_t)j;
        work->close_bits[found.close] = (uint8_t)close;
        found.close += close != 0;
    }
    return found;
}

/* Deltas as the specification has them, from the lanes of a block to bird j. */
struct kernel_view {
    simd x, y;
    bool wrap_x, wrap_y;
};

KERNEL simd kernel_delta_x(const struct flock_work *work, const struct kernel_view *view,
                           uint32_t j) {
    simd d = simd_sub(simd_all(work->x[j]), view->x);
    return view->wrap_x ? kernel_wrap(d, FLOCK_WIDTH) : d;
}

KERNEL simd kernel_delta_y(const struct flock_work *work, const struct kernel_view *view,
                           uint32_t j) {
    simd d = simd_sub(simd_all(work->y[j]), view->y);
    return view->wrap_y ? kernel_wrap(d, FLOCK_HEIGHT) : d;
}

KERNEL void kernel_sum(struct flock_work *work, uint32_t b, const struct kernel_view *view,
                       uint32_t hits) {
    uint32_t first = b * WORK_LANES;
    simd neighbors = simd_all(0), delta_x = neighbors, delta_y = neighbors;
    simd velocity_x = neighbors, velocity_y = neighbors;
    for (uint32_t h = 0; h < hits; h++) {
        uint32_t j = work->hit[h];
        simd_mask near = simd_from_bits(work->hit_bits[h]);
        neighbors = simd_add_if(near, neighbors, simd_all(1));
        delta_x = simd_add_if(near, delta_x, kernel_delta_x(work, view, j));
        delta_y = simd_add_if(near, delta_y, kernel_delta_y(work, view, j));
        velocity_x = simd_add_if(near, velocity_x, simd_all(work->vx[j]));
        velocity_y = simd_add_if(near, velocity_y, simd_all(work->vy[j]));
        work->adjacent[j][b] = work->hit_bits[h];
    }
    simd_store(&work->neighbors[first], neighbors);
    simd_store(&work->delta_x[first], delta_x);
    simd_store(&work->delta_y[first], delta_y);
    simd_store(&work->velocity_x[first], velocity_x);
    simd_store(&work->velocity_y[first], velocity_y);
}

/* delta / distance^2 of eight pairs; +0 where separation does not hold, which changes no sum. */
struct kernel_term {
    simd x, y, distance;
};

KERNEL_PART struct kernel_term kernel_term_exact(simd dx, simd dy, struct kernel_term term,
                                                 unsigned which) {
    double x[8], y[8], tx[8], ty[8], d[8];
    simd_store(x, dx);
    simd_store(y, dy);
    simd_store(tx, term.x);
    simd_store(ty, term.y);
    simd_store(d, term.distance);
    for (; which; which &= which - 1) {
        int k = __builtin_ctz(which);
        d[k] = exact_hypot(x[k], y[k]);
        bool holds = d[k] < FLOCK_SEPARATION_DISTANCE && d[k] > 0;
        tx[k] = holds ? x[k] / (d[k] * d[k]) : 0;
        ty[k] = holds ? y[k] / (d[k] * d[k]) : 0;
    }
    return (struct kernel_term){simd_load(tx), simd_load(ty), simd_load(d)};
}

KERNEL struct kernel_term kernel_separate(simd dx, simd dy, unsigned active) {
    struct kernel_term term;
    unsigned uncertain;
    term.distance = kernel_hypot(dx, dy, &uncertain);
    simd dd = simd_mul(term.distance, term.distance);
    term.x = simd_div(dx, dd);
    term.y = simd_div(dy, dd);
    uncertain |= ~simd_bits(simd_less(dd, simd_all(KERNEL_SEPARATION_2 * KERNEL_LOW)));
    if (__builtin_expect((uncertain & active) != 0, 0))
        return kernel_term_exact(dx, dy, term, uncertain & active);
    return term;
}

struct kernel_separation {
    simd x, y, nearest;
};

KERNEL void kernel_add_term(struct kernel_separation *sum, simd_mask lanes, simd x, simd y,
                            simd distance) {
    sum->x = simd_add_if(lanes, sum->x, x);
    sum->y = simd_add_if(lanes, sum->y, y);
    sum->nearest = simd_min(sum->nearest, simd_choose(lanes, distance, sum->nearest));
}

/* Few lanes of each vector are close: pack the pairs into full vectors, divide those, unpack. */
KERNEL void kernel_separate_packed(struct flock_work *work, const struct kernel_view *view,
                                   uint32_t close, struct kernel_separation *sum) {
    uint32_t pairs = 0;
    for (uint32_t c = 0; c < close; c++) {
        uint32_t j = work->close[c];
        simd_mask lanes = simd_from_bits(work->close_bits[c]);
        simd_pack(&work->packed_x[pairs], lanes, kernel_delta_x(work, view, j));
        simd_pack(&work->packed_y[pairs], lanes, kernel_delta_y(work, view, j));
        pairs += (uint32_t)__builtin_popcount(work->close_bits[c]);
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
        simd_mask lanes = simd_from_bits(work->close_bits[c]);
        kernel_add_term(sum, lanes, simd_unpack(&work->packed_x[pairs], lanes),
                        simd_unpack(&work->packed_y[pairs], lanes),
                        simd_unpack(&work->packed_d[pairs], lanes));
        pairs += (uint32_t)__builtin_popcount(work->close_bits[c]);
    }
}

/* Most lanes are close: whole vectors as they are. */
KERNEL void kernel_separate_whole(struct flock_work *work, const struct kernel_view *view,
                                  uint32_t close, struct kernel_separation *sum) {
    for (uint32_t c = 0; c < close; c++) {
        uint32_t j = work->close[c];
        unsigned bits = work->close_bits[c];
        struct kernel_term term =
            kernel_separate(kernel_delta_x(work, view, j), kernel_delta_y(work, view, j), bits);
        kernel_add_term(sum, simd_from_bits(bits), term.x, term.y, term.distance);
    }
}

KERNEL void kernel_block(struct flock_work *work, uint32_t b, struct kernel_found found,
                         bool wrap_x, bool wrap_y) {
    uint32_t first = b * WORK_LANES, pairs = 0;
    struct kernel_view view = {simd_load(&work->x[first]), simd_load(&work->y[first]), wrap_x,
                               wrap_y};
    struct kernel_separation sum = {simd_all(0), simd_all(0), simd_all(FLOCK_NEAREST_LIMIT)};
    kernel_sum(work, b, &view, found.hits);
    for (uint32_t c = 0; c < found.close; c++)
        pairs += (uint32_t)__builtin_popcount(work->close_bits[c]);
    if (pairs < 5 * found.close)
        kernel_separate_packed(work, &view, found.close, &sum);
    else
        kernel_separate_whole(work, &view, found.close, &sum);
    simd_store(&work->toward_x[first], sum.x);
    simd_store(&work->toward_y[first], sum.y);
    simd_store(&work->nearest[first], sum.nearest);
}

KERNEL_PART struct kernel_found kernel_filter_plain(struct flock_work *work, uint32_t b) {
    return kernel_filter(work, b, work->seam_x[b] == WORK_INSIDE ? work->x : work->x_seam,
                         work->seam_y[b] == WORK_INSIDE ? work->y : work->y_seam, false);
}

KERNEL_PART struct kernel_found kernel_filter_wrapping(struct flock_work *work, uint32_t b) {
    return kernel_filter(work, b, work->x, work->y, true);
}

KERNEL_PART void kernel_block_inside(struct flock_work *work, uint32_t b,
                                     struct kernel_found found) {
    kernel_block(work, b, found, false, false);
}

KERNEL_PART void kernel_block_x(struct flock_work *work, uint32_t b, struct kernel_found found) {
    kernel_block(work, b, found, true, false);
}

KERNEL_PART void kernel_block_y(struct flock_work *work, uint32_t b, struct kernel_found found) {
    kernel_block(work, b, found, false, true);
}

KERNEL_PART void kernel_block_xy(struct flock_work *work, uint32_t b, struct kernel_found found) {
    kernel_block(work, b, found, true, true);
}

/* Sums, close distances and adjacency of every block. */
static void kernel_pairs(struct flock_work *work) {
    static void (*const blocks[2][2])(struct flock_work *, uint32_t, struct kernel_found) = {
        {kernel_block_inside, kernel_block_y}, {kernel_block_x, kernel_block_xy}};
    uint32_t lanes = work->blocks * WORK_LANES;
    __builtin_memset(work->adjacent, 0, lanes * sizeof work->adjacent[0]);
    for (uint32_t l = 0; l < lanes; l++) {
        work->x_seam[l] = work->x[l] >= FLOCK_WIDTH / 2 ? work->x[l] - FLOCK_WIDTH : work->x[l];
        work->y_seam[l] = work->y[l] >= FLOCK_HEIGHT / 2 ? work->y[l] - FLOCK_HEIGHT : work->y[l];
    }
    for (uint32_t b = 0; b < work->blocks; b++) {
        bool anywhere = work->seam_x[b] == WORK_ANYWHERE || work->seam_y[b] == WORK_ANYWHERE;
        struct kernel_found found =
            anywhere ? kernel_filter_wrapping(work, b) : kernel_filter_plain(work, b);
        blocks[work->seam_x[b] != WORK_INSIDE][work->seam_y[b] != WORK_INSIDE](work, b, found);
    }
}
