/* SPDX-License-Identifier: MIT */
#pragma once
/* Kernel, part 2: what a bird adds to the sums of the eight in a block. */

/* The outermost birds on one axis. */
struct kernel_span {
    double least, most;
};

static struct kernel_span kernel_measure_span(const double *p, uint32_t count) {
    struct kernel_span span = {p[0], p[0]};
    for (uint32_t l = 1; l < count; l++) {
        span.least = p[l] < span.least ? p[l] : span.least;
        span.most = p[l] > span.most ? p[l] : span.most;
    }
    return span;
}

/* A block, and which axes its deltas wrap on. */
struct kernel_view {
    simd x, y;
    bool wrap_x, wrap_y;
};

/* Deltas as the specification has them, from lanes at x or y to bird j. */
KERNEL simd kernel_delta_x(const struct flock_work *work, const struct kernel_view *view, simd x,
                           uint32_t j) {
    simd d = simd_sub(simd_all(work->x[j]), x);
    return view->wrap_x ? kernel_wrap(d, FLOCK_WIDTH) : d;
}

KERNEL simd kernel_delta_y(const struct flock_work *work, const struct kernel_view *view,
                           uint32_t j) {
    simd d = simd_sub(simd_all(work->y[j]), view->y);
    return view->wrap_y ? kernel_wrap(d, FLOCK_HEIGHT) : d;
}

/* Which of `bits`, lanes of a block, are nearer to bird j than the limit: by the exact distance. */
KERNEL_PART unsigned kernel_decide(const struct flock_work *work, uint32_t b, uint32_t j,
                                   unsigned bits) {
    unsigned near = 0;
    for (; bits; bits &= bits - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(bits), i = b * WORK_LANES + k;
        double d = exact_hypot(flock_delta(work->x[i], work->x[j], FLOCK_WIDTH),
                               flock_delta(work->y[i], work->y[j], FLOCK_HEIGHT));
        near |= (unsigned)(d < FLOCK_PERCEPTION) << k;
    }
    return near;
}

/* The lanes of block b that are near bird j, at these square distances. */
KERNEL_PART simd_mask kernel_near_exact(const struct flock_work *work, uint32_t b, uint32_t j,
                                        simd square) {
    unsigned surely = simd_bits(simd_less(square, simd_all(KERNEL_PERCEPTION_2 - KERNEL_UNSURE)));
    unsigned maybe = simd_bits(simd_less(square, simd_all(KERNEL_PERCEPTION_2 + KERNEL_UNSURE)));
    return simd_from_bits(surely | kernel_decide(work, b, j, maybe & ~surely));
}

/*
 * The same, whether exactly or by the square alone. That is certain as long as no square distance
 * comes next to the limit, for which *margin keeps the least distance to it, squared.
 */
KERNEL simd_mask kernel_near(const struct flock_work *work, uint32_t b, uint32_t j, simd square,
                             bool careful, simd *margin) {
    const simd limit = simd_all(KERNEL_PERCEPTION_2);
    simd off = simd_sub(square, limit);
    *margin = simd_min(simd_mul(off, off), *margin);
    return careful ? kernel_near_exact(work, b, j, square) : simd_less(square, limit);
}

#define KERNEL_NO_MARGIN simd_all(KERNEL_PERCEPTION_2)

KERNEL bool kernel_is_certain(simd margin) {
    return simd_bits(simd_less(margin, simd_all(KERNEL_UNSURE * KERNEL_UNSURE))) == 0;
}

/* The sums of a block, as they are in struct flock_work. */
struct kernel_sums {
    simd delta_x, delta_y, velocity_x, velocity_y, toward_x, toward_y, nearest;
};

KERNEL struct kernel_sums kernel_load_sums(const struct flock_work *work, uint32_t first) {
    return (struct kernel_sums){
        simd_load(&work->delta_x[first]),    simd_load(&work->delta_y[first]),
        simd_load(&work->velocity_x[first]), simd_load(&work->velocity_y[first]),
        simd_load(&work->toward_x[first]),   simd_load(&work->toward_y[first]),
        simd_load(&work->nearest[first])};
}

KERNEL void kernel_store_sums(struct flock_work *work, uint32_t first,
                              const struct kernel_sums *sums) {
    simd_store(&work->delta_x[first], sums->delta_x);
    simd_store(&work->delta_y[first], sums->delta_y);
    simd_store(&work->velocity_x[first], sums->velocity_x);
    simd_store(&work->velocity_y[first], sums->velocity_y);
    simd_store(&work->toward_x[first], sums->toward_x);
    simd_store(&work->toward_y[first], sums->toward_y);
    simd_store(&work->nearest[first], sums->nearest);
}

/* The neighbours' part of the sums: bird j for the lanes where it is near. */
KERNEL void kernel_add_neighbor(const struct flock_work *work, struct kernel_sums *sums, uint32_t j,
                                simd_mask near, simd dx, simd dy) {
    sums->delta_x = simd_add_if(near, sums->delta_x, dx);
    sums->delta_y = simd_add_if(near, sums->delta_y, dy);
    sums->velocity_x = simd_add_if(near, sums->velocity_x, simd_all(work->vx[j]));
    sums->velocity_y = simd_add_if(near, sums->velocity_y, simd_all(work->vy[j]));
}

KERNEL struct kernel_sums kernel_no_sums(void) {
    simd none = simd_all(0);
    return (struct kernel_sums){none, none, none, none, none, none, simd_all(FLOCK_NEAREST_LIMIT)};
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
    simd dd = simd_max(simd_mul(term.distance, term.distance), simd_all(KERNEL_TINY));
    term.x = simd_div(dx, dd);
    term.y = simd_div(dy, dd);
    uncertain |= ~simd_bits(simd_less(dd, simd_all(KERNEL_SEPARATION_2 * KERNEL_LOW)));
    uncertain &= active;
    if (__builtin_expect(uncertain != 0, 0))
        return kernel_term_exact(dx, dy, term, uncertain);
    return term;
}
