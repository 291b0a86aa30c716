/* SPDX-License-Identifier: MIT */
/* Kernel, part 6: from the sums to the next state, eight birds at once. */

/* v + cohesion + alignment + separation on one axis. */
KERNEL simd kernel_steer(simd v, simd delta, simd velocity, simd toward, simd neighbors,
                         const simd weight[3]) {
    simd cohesion = simd_mul(simd_div(delta, neighbors), weight[0]);
    simd alignment = simd_mul(simd_sub(simd_div(velocity, neighbors), v), weight[1]);
    simd separation = simd_mul(simd_sub(simd_all(0), toward), weight[2]);
    return simd_add(simd_add(simd_add(v, cohesion), alignment), separation);
}

/* Chosen and not added where negative: a stored state may be at -0, which stays so where that is
 * chosen, but adding +0 to it gives +0. */
KERNEL simd kernel_position(simd p, double size) {
    simd_mask inside = simd_less(p, simd_all(size));
    simd_mask negative = simd_less(p, simd_all(0));
    simd lowered = simd_choose(inside, p, simd_sub(p, simd_all(size)));
    return simd_choose(negative, simd_add(p, simd_all(size)), lowered);
}

/* A resultant of exactly zero keeps its direction at the lowest speed: rare, one bird at a time. */
KERNEL_PART void kernel_keep_direction(struct flock_work *work, uint32_t l, unsigned bits,
                                       double *vx, double *vy) {
    for (; bits; bits &= bits - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(bits);
        double s = exact_hypot(work->vx[l + k], work->vy[l + k]);
        vx[k] = work->vx[l + k] / s * FLOCK_MIN_SPEED;
        vy[k] = work->vy[l + k] / s * FLOCK_MIN_SPEED;
    }
}

KERNEL void kernel_move_block(struct flock_work *work, uint32_t l, const simd weight[3]) {
    simd old_x = simd_load(&work->vx[l]), old_y = simd_load(&work->vy[l]);
    simd neighbors = simd_load(&work->neighbors[l]);
    simd_mask some = simd_less(simd_all(0), neighbors);
    simd vx = simd_choose(some,
                          kernel_steer(old_x, simd_load(&work->delta_x[l]),
                                       simd_load(&work->velocity_x[l]),
                                       simd_load(&work->toward_x[l]), neighbors, weight),
                          old_x);
    simd vy = simd_choose(some,
                          kernel_steer(old_y, simd_load(&work->delta_y[l]),
                                       simd_load(&work->velocity_y[l]),
                                       simd_load(&work->toward_y[l]), neighbors, weight),
                          old_y);
    simd speed = kernel_hypot_of(vx, vy);
    simd clamped = simd_min(simd_max(speed, simd_all(FLOCK_MIN_SPEED)), simd_all(FLOCK_MAX_SPEED));
    simd factor = simd_div(clamped, speed);
    vx = simd_mul(vx, factor);
    vy = simd_mul(vy, factor);
    unsigned resting = 0xffu & ~simd_bits(simd_less(simd_all(0), speed));
    if (__builtin_expect(resting != 0, 0)) {
        double x[8], y[8];
        simd_store(x, vx);
        simd_store(y, vy);
        kernel_keep_direction(work, l, resting, x, y);
        vx = simd_load(x);
        vy = simd_load(y);
    }
    simd_store(&work->x[l], kernel_position(simd_add(simd_load(&work->x[l]), vx), FLOCK_WIDTH));
    simd_store(&work->y[l], kernel_position(simd_add(simd_load(&work->y[l]), vy), FLOCK_HEIGHT));
    simd_store(&work->vx[l], vx);
    simd_store(&work->vy[l], vy);
}

KERNEL_PART void kernel_move(struct flock_work *work, struct sim *sim) {
    const simd weight[3] = {
        simd_all(sim->params.value[FLOCK_COHESION] * FLOCK_COHESION_SCALE),
        simd_all(sim->params.value[FLOCK_ALIGNMENT] * FLOCK_ALIGNMENT_SCALE),
        simd_all(sim->params.value[FLOCK_SEPARATION] * FLOCK_SEPARATION_SCALE),
    };
    for (uint32_t b = 0; b < work->blocks; b++)
        kernel_move_block(work, b * WORK_LANES, weight);
    for (uint32_t i = 0; i < sim->count; i++) {
        uint32_t l = work->lane[i];
        sim->x[i] = work->x[l];
        sim->y[i] = work->y[l];
        sim->vx[i] = work->vx[l];
        sim->vy[i] = work->vy[l];
    }
}
