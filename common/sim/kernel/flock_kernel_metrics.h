/* SPDX-License-Identifier: MIT */
/* Kernel, part 3: the metrics of the state that kernel_pairs has just looked at. */

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

/*
 * The exact distance from bird `l` to its nearest, if that is below the limit: the least square
 * within rounding, then the exact distance of all that come so near.
 */
KERNEL_PART double kernel_nearest(const struct flock_work *work, uint32_t l) {
    double square[WORK_SLOTS];
    simd least = simd_all(FLOCK_NEAREST_LIMIT * FLOCK_NEAREST_LIMIT * KERNEL_HIGH);
    for (uint32_t b = 0; b < work->blocks; b++) {
        simd h = kernel_square_distances(work, l, b);
        if (b == l / WORK_LANES)
            h = simd_choose(simd_from_bits(1u << l % WORK_LANES), simd_all(__builtin_inf()), h);
        simd_store(&square[b * WORK_LANES], h);
        least = simd_min(h, least);
    }
    simd bound = simd_all(kernel_least(least) * KERNEL_HIGH);
    double nearest = FLOCK_NEAREST_LIMIT;
    for (uint32_t b = 0; b < work->blocks; b++) {
        unsigned bits = simd_bits(simd_less(simd_load(&square[b * WORK_LANES]), bound));
        for (; bits; bits &= bits - 1) {
            uint32_t j = b * WORK_LANES + (uint32_t)__builtin_ctz(bits);
            double d = exact_hypot(flock_delta(work->x[l], work->x[j], FLOCK_WIDTH),
                                   flock_delta(work->y[l], work->y[j], FLOCK_HEIGHT));
            nearest = d < nearest ? d : nearest;
        }
    }
    return nearest;
}

/* Breadth first over the bits of `adjacent`: each bird's row is looked at once. */
KERNEL_PART uint32_t kernel_clusters(const struct flock_work *work) {
    uint64_t unseen[8] = {0}, front[8] = {0};
    uint32_t words = (work->blocks + 7) / 8, clusters = 0;
    for (uint32_t l = 0; l < work->count; l += 64)
        unseen[l / 64] =
            work->count - l >= 64 ? UINT64_MAX : (UINT64_C(1) << (work->count - l)) - 1;
    for (uint32_t start = 0; start < words; start++) {
        while (unseen[start]) {
            clusters++;
            front[start] = unseen[start] & -unseen[start];
            unseen[start] ^= front[start];
            for (uint32_t at = start; at < words;) {
                if (!front[at]) {
                    at++;
                    continue;
                }
                uint32_t l = at * 64 + (uint32_t)__builtin_ctzll(front[at]);
                front[at] &= front[at] - 1;
                uint64_t row[8];
                __builtin_memcpy(row, work->adjacent[l], sizeof row);
                for (uint32_t w = start; w < words; w++) {
                    uint64_t fresh = row[w] & unseen[w];
                    front[w] |= fresh;
                    unseen[w] ^= fresh;
                    at = fresh && w < at ? w : at;
                }
            }
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
