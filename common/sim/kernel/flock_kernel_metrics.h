/* SPDX-License-Identifier: MIT */
/* Kernel, part 5: the metrics of the state that kernel_pairs has just looked at. */

/* Squared distances from bird `l` to the eight lanes of block b. */
KERNEL simd kernel_square_distances(const struct flock_work *work, uint32_t l, uint32_t b) {
    simd dx = simd_sub(simd_load(&work->x[b * WORK_LANES]), simd_all(work->x[l]));
    simd dy = simd_sub(simd_load(&work->y[b * WORK_LANES]), simd_all(work->y[l]));
    return kernel_square_sum(kernel_wrap(dx, FLOCK_WIDTH), kernel_wrap(dy, FLOCK_HEIGHT));
}

KERNEL double kernel_least(simd a) {
    double lane[8];
    simd_store(lane, a);
    double least = lane[0];
    for (int k = 1; k < 8; k++)
        least = lane[k] < least ? lane[k] : least;
    return least;
}

/* The blocks where the nearest of bird `l` may be: with neighbours of it, or all if it has none. */
KERNEL uint32_t kernel_blocks_around(const struct flock_work *work, uint32_t l, uint8_t *block) {
    uint32_t blocks = 0;
    for (uint32_t b = 0; b < work->blocks; b++) {
        block[blocks] = (uint8_t)b;
        blocks += work->neighbors[l] == 0 || work->adjacent[l][b] != 0;
    }
    return blocks;
}

/*
 * The exact distance from bird `l` to its nearest, if that is below the limit: the least square
 * within rounding, then the exact distance of all that come so near.
 */
KERNEL_PART double kernel_nearest(const struct flock_work *work, uint32_t l) {
    double square[WORK_SLOTS];
    uint8_t block[64];
    uint32_t blocks = kernel_blocks_around(work, l, block);
    simd least = simd_all(FLOCK_NEAREST_LIMIT * FLOCK_NEAREST_LIMIT * KERNEL_HIGH);
    for (uint32_t n = 0; n < blocks; n++) {
        simd h = kernel_square_distances(work, l, block[n]);
        if (block[n] == l / WORK_LANES)
            h = simd_choose(simd_from_bits(1u << l % WORK_LANES), simd_all(__builtin_inf()), h);
        simd_store(&square[n * WORK_LANES], h);
        least = simd_min(h, least);
    }
    simd bound = simd_all(kernel_least(least) * KERNEL_HIGH);
    double nearest = FLOCK_NEAREST_LIMIT;
    for (uint32_t n = 0; n < blocks; n++) {
        unsigned bits = simd_bits(simd_less(simd_load(&square[n * WORK_LANES]), bound));
        for (; bits; bits &= bits - 1) {
            uint32_t j = block[n] * WORK_LANES + (uint32_t)__builtin_ctz(bits);
            double d = exact_hypot(flock_delta(work->x[l], work->x[j], FLOCK_WIDTH),
                                   flock_delta(work->y[l], work->y[j], FLOCK_HEIGHT));
            nearest = d < nearest ? d : nearest;
        }
    }
    return nearest;
}

/* The union of the rows of all birds in `front`; a row has all the 512 bits there may be. */
KERNEL void kernel_union_rows(const struct flock_work *work, const uint64_t front[8],
                              uint64_t reached[8]) {
    for (int w = 0; w < 8; w++)
        reached[w] = 0;
    for (uint32_t w = 0; w < 8; w++) {
        for (uint64_t bits = front[w]; bits; bits &= bits - 1) {
            const uint8_t *row = work->adjacent[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            uint64_t word[8];
            __builtin_memcpy(word, row, sizeof word);
            for (int v = 0; v < 8; v++)
                reached[v] |= word[v];
        }
    }
}

/* Breadth first over the bits of `adjacent`, until there is nobody left to be found. */
KERNEL_PART uint32_t kernel_clusters(const struct flock_work *work) {
    uint64_t unseen[8], front[8], reached[8];
    uint32_t clusters = 0;
    for (uint32_t w = 0; w < 8; w++) {
        uint32_t birds = work->count > w * 64 ? work->count - w * 64 : 0;
        unseen[w] = birds >= 64 ? UINT64_MAX : (UINT64_C(1) << birds) - 1;
    }
    for (uint32_t start = 0; start < 8; start++) {
        while (unseen[start]) {
            clusters++;
            for (uint32_t w = 0; w < 8; w++)
                front[w] = w == start ? unseen[w] & -unseen[w] : 0;
            unseen[start] ^= front[start];
            uint64_t fronts, left;
            do {
                kernel_union_rows(work, front, reached);
                fronts = left = 0;
                for (int w = 0; w < 8; w++) {
                    fronts |= front[w] = reached[w] & unseen[w];
                    left |= unseen[w] ^= front[w];
                }
            } while (fronts && left);
        }
    }
    return clusters;
}

/* Sums go over the birds in their own order, not over the lanes. */
KERNEL_PART void kernel_metrics(struct flock_work *work, struct sim_metrics *metrics) {
    for (uint32_t l = 0; l < work->blocks * WORK_LANES; l += WORK_LANES) {
        simd vx = simd_load(&work->vx[l]), vy = simd_load(&work->vy[l]);
        simd speed = kernel_hypot_of(vx, vy);
        simd_store(&work->heading_x[l], simd_div(vx, speed));
        simd_store(&work->heading_y[l], simd_div(vy, speed));
    }
    double x = 0, y = 0, sum = 0;
    uint32_t counted = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t l = work->lane[i];
        double nearest = work->nearest[l];
        if (!(nearest < FLOCK_SEPARATION_DISTANCE))
            nearest = kernel_nearest(work, l);
        if (nearest < FLOCK_NEAREST_LIMIT) {
            sum += nearest;
            counted++;
        }
        x += work->heading_x[l];
        y += work->heading_y[l];
    }
    metrics->polarization = exact_hypot(x / work->count, y / work->count);
    metrics->mean_neighbor_distance = counted > 0 ? sum / counted : __builtin_nan("");
    metrics->cluster_count = kernel_clusters(work);
}
