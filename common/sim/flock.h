/* SPDX-License-Identifier: MIT */
#pragma once
/* The flock of the specification: its numbers, the places of its parameters, and its two literal
 * functions. */
#include "sim.h"

#define FLOCK_WIDTH 1000.0
#define FLOCK_HEIGHT 600.0
#define FLOCK_PERCEPTION 90.0 /* neighbours are strictly nearer */
#define FLOCK_SEPARATION_DISTANCE 28.0
#define FLOCK_NEAREST_LIMIT (3.0 * FLOCK_PERCEPTION)
#define FLOCK_MIN_SPEED 1.6
#define FLOCK_MAX_SPEED 4.2
#define FLOCK_COHESION_SCALE 0.0045
#define FLOCK_ALIGNMENT_SCALE 0.05
#define FLOCK_SEPARATION_SCALE 2.5

enum { FLOCK_BIRDS, FLOCK_COHESION, FLOCK_ALIGNMENT, FLOCK_SEPARATION, FLOCK_PARAMS };

extern const struct model flock_model;

/* The shortest signed way from a to b on a ring of `size`; exactly half of it is not wrapped. */
static inline double flock_delta(double a, double b, double size) {
    double d = b - a;
    if (d > size / 2)
        d -= size;
    else if (d < -size / 2)
        d += size;
    return d;
}
