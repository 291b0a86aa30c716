/* SPDX-License-Identifier: MIT */
#include "flock_plain.h"

#include "flock.h"

#include <math.h>

static uint32_t plain_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void plain_measure(const struct sim *sim, struct sim_metrics *metrics) {
    uint32_t n = sim->count, parent[SIM_AGENTS_MAX], clusters = n, counted = 0;
    double nearest[SIM_AGENTS_MAX], sum_x = 0, sum_y = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double s = hypot(sim->vx[i], sim->vy[i]);
        sum_x += sim->vx[i] / s;
        sum_y += sim->vy[i] / s;
        parent[i] = i;
        nearest[i] = FLOCK_NEAREST_LIMIT;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            double d = hypot(flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH),
                             flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT));
            nearest[i] = d < nearest[i] ? d : nearest[i];
            nearest[j] = d < nearest[j] ? d : nearest[j];
            if (d < FLOCK_PERCEPTION) {
                uint32_t a = plain_root(parent, i), b = plain_root(parent, j);
                parent[a] = b;
                clusters -= a != b;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (nearest[i] < FLOCK_NEAREST_LIMIT) {
            sum += nearest[i];
            counted++;
        }
    }
    metrics->polarization = hypot(sum_x / n, sum_y / n);
    metrics->cluster_count = clusters;
    metrics->mean_neighbor_distance = counted ? sum / counted : NAN;
}

static void plain_steer(const struct sim *sim, uint32_t i, double *vx, double *vy) {
    double kc = sim->params.value[FLOCK_COHESION] * FLOCK_COHESION_SCALE;
    double ka = sim->params.value[FLOCK_ALIGNMENT] * FLOCK_ALIGNMENT_SCALE;
    double ks = sim->params.value[FLOCK_SEPARATION] * FLOCK_SEPARATION_SCALE;
    double dx_sum = 0, dy_sum = 0, vx_sum = 0, vy_sum = 0, away_x = 0, away_y = 0;
    uint32_t neighbors = 0;
    for (uint32_t j = 0; j < sim->count; j++) {
        double dx = flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH);
        double dy = flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT);
        double d = hypot(dx, dy);
        if (j == i || d >= FLOCK_PERCEPTION)
            continue;
        neighbors++;
        dx_sum += dx;
        dy_sum += dy;
        vx_sum += sim->vx[j];
        vy_sum += sim->vy[j];
        if (d < FLOCK_SEPARATION_DISTANCE && d > 0) {
            away_x -= dx / (d * d);
            away_y -= dy / (d * d);
        }
    }
    *vx = sim->vx[i];
    *vy = sim->vy[i];
    if (neighbors == 0)
        return;
    *vx += dx_sum / neighbors * kc + (vx_sum / neighbors - sim->vx[i]) * ka + away_x * ks;
    *vy += dy_sum / neighbors * kc + (vy_sum / neighbors - sim->vy[i]) * ka + away_y * ks;
}

static double plain_wrap(double p, double size) {
    return p >= size ? p - size : p < 0 ? p + size : p;
}

void flock_plain_tick(struct sim *sim, struct sim_metrics *metrics) {
    double vx[SIM_AGENTS_MAX], vy[SIM_AGENTS_MAX];
    plain_measure(sim, metrics);
    for (uint32_t i = 0; i < sim->count; i++)
        plain_steer(sim, i, &vx[i], &vy[i]);
    for (uint32_t i = 0; i < sim->count; i++) {
        double s = hypot(vx[i], vy[i]);
        double f = fmin(fmax(s, FLOCK_MIN_SPEED), FLOCK_MAX_SPEED) / s;
        sim->vx[i] = vx[i] * f;
        sim->vy[i] = vy[i] * f;
        sim->x[i] = plain_wrap(sim->x[i] + sim->vx[i], FLOCK_WIDTH);
        sim->y[i] = plain_wrap(sim->y[i] + sim->vy[i], FLOCK_HEIGHT);
    }
    sim->tick++;
}
