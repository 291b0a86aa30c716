/* SPDX-License-Identifier: MIT */
/*
 * The specification of the flock, literally: one bird at a time, every pair looked at, no short
 * cut. Slow and obvious on purpose. Sums start at +0.0 and go in ascending j; where the text leaves
 * the order of operations open, docs/determinism.md says which one is meant.
 */
#include "flock.h"

#include "exact.h"
#include "flock_engines.h"

struct vector {
    double x, y;
};

/* "sum / count" of the neighbours, and the separation sum. */
struct surroundings {
    uint32_t neighbors;
    struct vector delta, velocity, separation;
};

static struct surroundings flock_look_around(const struct sim *sim, uint32_t i) {
    struct surroundings around = {0};
    for (uint32_t j = 0; j < sim->count; j++) {
        if (j == i)
            continue;
        double dx = flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH);
        double dy = flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT);
        double d = exact_hypot(dx, dy);
        if (!(d < FLOCK_PERCEPTION))
            continue;
        around.neighbors++;
        around.delta.x += dx;
        around.delta.y += dy;
        around.velocity.x += sim->vx[j];
        around.velocity.y += sim->vy[j];
        if (d < FLOCK_SEPARATION_DISTANCE && d > 0) {
            around.separation.x += -dx / (d * d);
            around.separation.y += -dy / (d * d);
        }
    }
    return around;
}

static struct vector flock_steer(const struct sim *sim, uint32_t i) {
    struct vector v = {sim->vx[i], sim->vy[i]};
    struct surroundings around = flock_look_around(sim, i);
    if (around.neighbors == 0)
        return v;
    double count = around.neighbors;
    double cohesion = sim->params.value[FLOCK_COHESION] * FLOCK_COHESION_SCALE;
    double alignment = sim->params.value[FLOCK_ALIGNMENT] * FLOCK_ALIGNMENT_SCALE;
    double separation = sim->params.value[FLOCK_SEPARATION] * FLOCK_SEPARATION_SCALE;
    struct vector steered = {
        v.x + around.delta.x / count * cohesion + (around.velocity.x / count - v.x) * alignment +
            around.separation.x * separation,
        v.y + around.delta.y / count * cohesion + (around.velocity.y / count - v.y) * alignment +
            around.separation.y * separation,
    };
    return steered;
}

/* A resultant of exactly 0 has no direction: the old one is kept, at the lowest speed. */
static struct vector flock_clamp_speed(struct vector v, struct vector old) {
    double s = exact_hypot(v.x, v.y);
    if (s == 0) {
        double old_s = exact_hypot(old.x, old.y);
        return (struct vector){old.x / old_s * FLOCK_MIN_SPEED, old.y / old_s * FLOCK_MIN_SPEED};
    }
    double clamped = s < FLOCK_MIN_SPEED   ? FLOCK_MIN_SPEED
                     : s > FLOCK_MAX_SPEED ? FLOCK_MAX_SPEED
                                           : s;
    double factor = clamped / s;
    return (struct vector){v.x * factor, v.y * factor};
}

static double flock_wrap(double p, double size) {
    if (p >= size)
        return p - size;
    if (p < 0)
        return p + size;
    return p;
}

static void flock_reference_advance(struct engine_work *work, struct sim *sim) {
    (void)work;
    struct vector steered[SIM_AGENTS_MAX];
    for (uint32_t i = 0; i < sim->count; i++)
        steered[i] = flock_steer(sim, i);
    for (uint32_t i = 0; i < sim->count; i++) {
        struct vector v = flock_clamp_speed(steered[i], (struct vector){sim->vx[i], sim->vy[i]});
        sim->vx[i] = v.x;
        sim->vy[i] = v.y;
        sim->x[i] = flock_wrap(sim->x[i] + v.x, FLOCK_WIDTH);
        sim->y[i] = flock_wrap(sim->y[i] + v.y, FLOCK_HEIGHT);
    }
}

static double flock_polarization(const struct sim *sim) {
    struct vector sum = {0, 0};
    for (uint32_t i = 0; i < sim->count; i++) {
        double s = exact_hypot(sim->vx[i], sim->vy[i]);
        sum.x += sim->vx[i] / s;
        sum.y += sim->vy[i] / s;
    }
    return exact_hypot(sum.x / sim->count, sum.y / sim->count);
}

static double flock_distance(const struct sim *sim, uint32_t i, uint32_t j) {
    return exact_hypot(flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH),
                       flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT));
}

static uint32_t flock_find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static uint32_t flock_cluster_count(const struct sim *sim) {
    uint32_t parent[SIM_AGENTS_MAX];
    uint32_t clusters = sim->count;
    for (uint32_t i = 0; i < sim->count; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < sim->count; i++) {
        for (uint32_t j = i + 1; j < sim->count; j++) {
            if (!(flock_distance(sim, i, j) < FLOCK_PERCEPTION))
                continue;
            uint32_t a = flock_find_root(parent, i);
            uint32_t b = flock_find_root(parent, j);
            if (a != b) {
                parent[a] = b;
                clusters--;
            }
        }
    }
    return clusters;
}

static double flock_mean_neighbor_distance(const struct sim *sim) {
    double sum = 0;
    uint32_t counted = 0;
    for (uint32_t i = 0; i < sim->count; i++) {
        double nearest = FLOCK_NEAREST_LIMIT;
        for (uint32_t j = 0; j < sim->count; j++) {
            if (j == i)
                continue;
            double d = flock_distance(sim, i, j);
            if (d < nearest)
                nearest = d;
        }
        if (nearest < FLOCK_NEAREST_LIMIT) {
            sum += nearest;
            counted++;
        }
    }
    return counted > 0 ? sum / counted : (double)__builtin_nanf("");
}

static void flock_reference_look(struct engine_work *work, const struct sim *sim,
                                 struct sim_metrics *metrics) {
    (void)work;
    if (!metrics)
        return;
    metrics->polarization = flock_polarization(sim);
    metrics->cluster_count = flock_cluster_count(sim);
    metrics->mean_neighbor_distance = flock_mean_neighbor_distance(sim);
}

/* It keeps nothing from tick to tick. */
static void flock_reference_begin(struct engine_work *work, const struct sim *sim) {
    (void)work;
    (void)sim;
}

const struct engine_model flock_reference = {flock_reference_begin, flock_reference_look,
                                             flock_reference_advance};
