/* SPDX-License-Identifier: MIT */
/* Kernel, part 1: which birds share a block, and which others can come near them for a while. */

/*
 * Where a cell of a 32 x 32 grid comes on Hilbert's curve, whose next cell is always a neighbour.
 * In each quarter the curve is the same one, as it is, transposed, or either turned by half: that
 * state, times 4, and the quarter give the two bits of the place and, above them, the next state.
 */
KERNEL uint32_t kernel_curve(uint32_t x, uint32_t y) {
    static const uint8_t step[16] = {4, 1, 11, 2, 0, 15, 5, 6, 10, 9, 3, 12, 14, 7, 13, 8};
    uint32_t place = 0, state = 0;
    for (int bit = 4; bit >= 0; bit--) {
        uint32_t quarter = (x >> bit & 1) * 2 + (y >> bit & 1);
        uint32_t next = step[state | quarter];
        place = place * 4 + (next & 3);
        state = next & 12;
    }
    return place;
}

/* Birds sorted by cell of a 32 x 32 grid along that curve: a counting sort, stable. */
static void kernel_sort_by_place(struct flock_work *work, const struct sim *sim) {
    uint16_t start[1025] = {0};
    uint16_t key[SIM_AGENTS_MAX];
    for (uint32_t i = 0; i < sim->count; i++) {
        uint32_t column = (uint32_t)(sim->x[i] * (31.9 / FLOCK_WIDTH));
        uint32_t row = (uint32_t)(sim->y[i] * (31.9 / FLOCK_HEIGHT));
        key[i] = (uint16_t)(kernel_curve(column, row));
        start[key[i] + 1]++;
    }
    for (int k = 0; k < 1024; k++)
        start[k + 1] = (uint16_t)(start[k + 1] + start[k]);
    for (uint32_t i = 0; i < sim->count; i++) {
        uint16_t lane = start[key[i]]++;
        work->lane[i] = lane;
        work->bird[lane] = (uint16_t)i;
    }
}

static void kernel_load(struct flock_work *work, const struct sim *sim) {
    work->count = sim->count;
    work->blocks = (sim->count + WORK_LANES - 1) / WORK_LANES;
    for (uint32_t l = 0; l < work->blocks * WORK_LANES; l++) {
        bool is_bird = l < sim->count;
        uint32_t i = is_bird ? work->bird[l] : 0;
        work->x[l] = is_bird ? sim->x[i] : __builtin_nan("");
        work->y[l] = is_bird ? sim->y[i] : __builtin_nan("");
        work->vx[l] = is_bird ? sim->vx[i] : FLOCK_MIN_SPEED;
        work->vy[l] = is_bird ? sim->vy[i] : 0;
    }
}

/* A block's extent on one axis: from `origin` (its first bird) it reaches from low to high. */
struct kernel_extent {
    double origin, low, high;
};

static struct kernel_extent kernel_measure_block(const double *p, uint32_t birds, double size) {
    struct kernel_extent e = {p[0], 0, 0};
    for (uint32_t k = 0; k < birds; k++) {
        double d = flock_delta(p[0], p[k], size);
        e.low = d < e.low ? d : e.low;
        e.high = d > e.high ? d : e.high;
    }
    /* An extent whose reach meets itself on the other side of the torus excludes nobody. */
    if (e.high + KERNEL_REACH > size / 2 - 1 || e.low - KERNEL_REACH < 1 - size / 2) {
        e.low = -size;
        e.high = size;
    }
    return e;
}

/* How far each of eight coordinates is outside of the extent. */
KERNEL simd kernel_gap(const double *p, const struct kernel_extent *e, double size) {
    simd d = kernel_wrap(simd_sub(simd_load(p), simd_all(e->origin)), size);
    simd outside = simd_max(simd_sub(simd_all(e->low), d), simd_sub(d, simd_all(e->high)));
    return simd_max(outside, simd_all(0));
}

static void kernel_list_block(struct flock_work *work, const struct sim *sim, uint32_t b) {
    uint32_t first = b * WORK_LANES;
    uint32_t birds = sim->count - first < WORK_LANES ? sim->count - first : WORK_LANES;
    struct kernel_extent x = kernel_measure_block(&work->x[first], birds, FLOCK_WIDTH);
    struct kernel_extent y = kernel_measure_block(&work->y[first], birds, FLOCK_HEIGHT);
    uint32_t *list = work->candidate[b], length = 0;
    for (uint32_t i = 0; i < sim->count; i += WORK_LANES) {
        simd gap = kernel_square_sum(kernel_gap(&sim->x[i], &x, FLOCK_WIDTH),
                                     kernel_gap(&sim->y[i], &y, FLOCK_HEIGHT));
        unsigned bits = simd_bits(simd_less(gap, simd_all(KERNEL_REACH * KERNEL_REACH)));
        if (sim->count - i < WORK_LANES)
            bits &= (1u << (sim->count - i)) - 1;
        for (uint32_t k = 0; k < WORK_LANES; k++) {
            uint32_t place = work->lane[i + k] - first;
            list[length] = WORK_ENTRY(work->lane[i + k], place < WORK_LANES ? place : WORK_LANES);
            length += bits >> k & 1;
        }
    }
    list[length] = list[length + 1] = 0; /* the filter takes them two by two */
    work->candidates[b] = (uint16_t)length;
    work->dense[b] = false;
}

/*
 * Whether two of three pairs are neighbours and one of three close enough for separation, by a
 * sample of one pair a bird: from there on a crowd's way is faster. (In two crowds apart every
 * block only lists its own.)
 */
static bool kernel_is_crowd(const struct sim *sim) {
    uint32_t near = 0, close = 0;
    for (uint32_t i = 0; i < sim->count; i++) {
        uint32_t j = (6 * i + sim->count / 2) % sim->count;
        double dx = flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH);
        double dy = flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT);
        near += dx * dx + dy * dy < KERNEL_PERCEPTION_2;
        close += dx * dx + dy * dy < KERNEL_SEPARATION_2;
    }
    return 3 * near > 2 * sim->count && 3 * close > sim->count;
}

static void kernel_sort_by_bird(struct flock_work *work, const struct sim *sim) {
    for (uint32_t i = 0; i < sim->count; i++)
        work->lane[i] = work->bird[i] = (uint16_t)i;
}

KERNEL_PART void kernel_rebuild(struct flock_work *work, const struct sim *sim) {
    work->crowd = kernel_is_crowd(sim);
    if (work->crowd || sim->count <= KERNEL_FEW)
        kernel_sort_by_bird(work, sim);
    else
        kernel_sort_by_place(work, sim);
    kernel_load(work, sim);
    for (uint32_t b = 0; b < work->blocks && !work->crowd; b++)
        kernel_list_block(work, sim, b);
    work->expires = sim->tick + KERNEL_KEEP;
}
