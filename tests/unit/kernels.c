/* SPDX-License-Identifier: MIT */
/*
 * Every engine against the reference, bit for bit: state hash and metrics at every tick of random
 * scenes. A scene is a state made for one regime, weights that are often 0, 1 or tiny, and changes
 * on the way. What a regime is worth is counted on the states themselves, and a regime that was not
 * reached fails the test.
 *
 * kernels [SCENES]: 320 by default; the long proof takes 20,000.
 */
#include "doubles.h"
#include "engine.h"
#include "exact.h"
#include "flock.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS_MAX = 48, CHANGES_MAX = 3 };

static unsigned scenes_wanted = 320;

/* --- scenes ------------------------------------------------------------------------------------
 */

struct scene {
    struct sim sim;
    uint32_t ticks;
    struct sim_change change[CHANGES_MAX];
    size_t change_count;
};

static double uniform(uint64_t *random, double low, double high) {
    return low + (high - low) * next_fraction(random);
}

static double wrapped(double p, double size) {
    p = fmod(p, size);
    return p < 0 ? p + size : p;
}

static void place(struct sim *sim, uint32_t i, double x, double y) {
    sim->x[i] = wrapped(x, FLOCK_WIDTH);
    sim->y[i] = wrapped(y, FLOCK_HEIGHT);
}

/* Everywhere at once. */
static void place_scattered(struct sim *sim, uint64_t *random) {
    for (uint32_t i = 0; i < sim->count; i++)
        place(sim, i, uniform(random, 0, FLOCK_WIDTH), uniform(random, 0, FLOCK_HEIGHT));
}

/* Within `radius` of a point. */
static void place_around(struct sim *sim, uint64_t *random, double x, double y, double radius) {
    for (uint32_t i = 0; i < sim->count; i++) {
        double angle = uniform(random, 0, 6.28), r = radius * sqrt(uniform(random, 0, 1));
        place(sim, i, x + r * cos(angle), y + r * sin(angle));
    }
}

static void place_clump(struct sim *sim, uint64_t *random) {
    place_around(sim, random, uniform(random, 200, 800), uniform(random, 200, 400), 120);
}

static void place_on_seams(struct sim *sim, uint64_t *random) {
    place_around(sim, random, uniform(random, -20, 20), uniform(random, -20, 20), 140);
}

static void place_packed(struct sim *sim, uint64_t *random) {
    place_around(sim, random, uniform(random, 0, FLOCK_WIDTH), uniform(random, 0, FLOCK_HEIGHT),
                 13.9);
}

/* By an ulp, some of them: distances that round to a limit from below, or not. */
static void nudge(struct sim *sim, uint64_t *random, uint32_t i) {
    switch (next_random(random) % 4) {
    case 0:
        sim->x[i] = nextafter(sim->x[i], next_random(random) & 1 ? FLOCK_WIDTH : 0);
        break;
    case 1:
        sim->y[i] = nextafter(sim->y[i], next_random(random) & 1 ? FLOCK_HEIGHT : 0);
        break;
    default:
        break;
    }
}

/* A lattice of (54, 72) and multiples of (28, 0): distances of about exactly 90 and 28. */
static void place_at_limits(struct sim *sim, uint64_t *random) {
    double x = floor(uniform(random, 0, FLOCK_WIDTH)), y = floor(uniform(random, 0, FLOCK_HEIGHT));
    for (uint32_t i = 0; i < sim->count; i++) {
        place(sim, i, x + 54.0 * (i % 7) + 28.0 * (i / 7 % 8), y + 72.0 * (i % 7) + 3.0 * (i / 56));
        nudge(sim, random, i);
    }
}

/* Two tight islands, one bird between them that nobody is near, and two birds at one place. */
static void place_islands(struct sim *sim, uint64_t *random) {
    for (uint32_t i = 0; i < sim->count; i++) {
        uint32_t island = i % 2;
        place(sim, i, 500.0 * island + uniform(random, -3, 3),
              300.0 * island + uniform(random, -3, 3));
    }
    place(sim, 0, 250, 150);
    sim->x[sim->count - 1] = sim->x[7];
    sim->y[sim->count - 1] = sim->y[7];
}

/* All on a line of equal steps: many nearest neighbours at the very same distance. */
static void place_in_line(struct sim *sim, uint64_t *random) {
    double step = FLOCK_WIDTH / sim->count, y = uniform(random, 0, FLOCK_HEIGHT);
    for (uint32_t i = 0; i < sim->count; i++)
        place(sim, i, step * i, y);
}

static void fly_as_one(struct sim *sim) {
    for (uint32_t i = 1; i < sim->count; i++) {
        sim->vx[i] = sim->vx[0];
        sim->vy[i] = sim->vy[0];
    }
}

/* All within some ulps of a point, many at the same place, and they stay together: what becomes of
 * a flock that nothing drives apart. */
static void place_collapsed(struct sim *sim, uint64_t *random) {
    double x = uniform(random, 0, FLOCK_WIDTH), y = uniform(random, 0, FLOCK_HEIGHT);
    for (uint32_t i = 0; i < sim->count; i++)
        place(sim, i, x * (1 + 0x1p-52 * (double)(next_random(random) % 4)),
              y * (1 + 0x1p-52 * (double)(next_random(random) % 4)));
    fly_as_one(sim);
}

/* A crowd on some points, and an eighth of it about exactly 90 from one of them. */
static void place_crowd_at_limit(struct sim *sim, uint64_t *random) {
    double x = floor(uniform(random, 0, FLOCK_WIDTH)), y = floor(uniform(random, 0, FLOCK_HEIGHT));
    for (uint32_t i = 0; i < sim->count; i++) {
        bool apart = i % 8 == 5;
        place(sim, i, x + (apart ? 54 : i % 5), y + (apart ? 72 : i % 3));
        nudge(sim, random, i);
    }
}

/* Around the corner, with coordinates of which some are so small that their squares are 0. */
static void place_in_the_corner(struct sim *sim, uint64_t *random) {
    for (uint32_t i = 0; i < sim->count; i++) {
        place(sim, i, ldexp(uniform(random, 0, 1), -(int)(next_random(random) % 1000)),
              ldexp(uniform(random, 0, 1), -(int)(next_random(random) % 1000)));
        if (next_random(random) % 4 == 0)
            sim->x[i] = next_random(random) % 2 ? 0 : FLOCK_WIDTH;
    }
    fly_as_one(sim);
}

/* Some along an edge, at -0 and with a speed of -0 across it: whoever of them is alone stays at -0.
 * No flight leads there, but a stored state may be such. */
static void place_at_minus_zero(struct sim *sim, uint64_t *random) {
    place_scattered(sim, random);
    for (uint32_t i = 0; i < sim->count; i += 5) {
        sim->x[i] = i % 2 ? sim->x[i] : -0.0;
        sim->y[i] = i % 2 ? -0.0 : sim->y[i];
        sim->vx[i] = i % 2 ? 2 : -0.0;
        sim->vy[i] = i % 2 ? -0.0 : 2;
    }
}

static void (*const placements[])(struct sim *, uint64_t *) = {
    place_scattered,      place_clump,         place_on_seams,      place_packed,
    place_at_limits,      place_islands,       place_in_line,       place_collapsed,
    place_crowd_at_limit, place_in_the_corner, place_at_minus_zero,
};

static double random_weight(uint64_t *random) {
    static const double fixed[] = {0, 1, 1e-6, 0.5};
    unsigned choice = (unsigned)(next_random(random) % 8);
    return choice < 4 ? fixed[choice] : uniform(random, 0, 1);
}

static void random_weights(struct sim_params *params, uint64_t *random) {
    for (int p = FLOCK_COHESION; p <= FLOCK_SEPARATION; p++)
        params->value[p] = random_weight(random);
}

static void scene_make(struct scene *scene, unsigned number) {
    uint64_t random = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    struct sim *sim = &scene->sim;
    struct sim_params params;
    memset(scene, 0, sizeof *scene);
    model_default_params(&flock_model, &params);
    random_weights(&params, &random);
    /* All residues of eight, few and many birds. */
    uint32_t span = number % 3 == 0 ? SIM_AGENTS_MAX - 9 : 120;
    params.value[FLOCK_BIRDS] = 10 + (double)(next_random(&random) % span);
    sim_init(sim, &flock_model, (uint32_t)next_random(&random), &params);
    placements[number % (sizeof placements / sizeof placements[0])](sim, &random);
    ck_assert(flock_model.is_legal(sim));

    uint32_t affordable = 600000 / (sim->count * sim->count);
    scene->ticks = affordable < 10 ? 10 : affordable > TICKS_MAX ? TICKS_MAX : affordable;
    scene->change_count = next_random(&random) % (CHANGES_MAX + 1);
    for (size_t c = 0; c < scene->change_count; c++) {
        scene->change[c].tick = (uint32_t)(scene->ticks * (c + 1) / (CHANGES_MAX + 2));
        scene->change[c].set = 7u << FLOCK_COHESION;
        random_weights(&scene->change[c].params, &random);
    }
}

/* --- runs ---------------------------------------------------------------------------------------
 */

struct track {
    uint32_t ticks;
    uint64_t hash[TICKS_MAX + 1];
    struct sim_metrics metrics[TICKS_MAX + 1];
};

static bool track_look(void *context, const struct sim *sim, const struct sim_metrics *metrics) {
    struct track *track = context;
    track->hash[sim->tick] = sim_hash(sim);
    track->metrics[sim->tick] = *metrics;
    track->ticks = sim->tick;
    return true;
}

static void scene_run(const struct scene *scene, const struct engine *engine, struct track *track) {
    struct sim sim = scene->sim;
    struct sim_changes changes = {scene->change, scene->change_count};
    struct sim_watch watch = {track_look, track, true};
    ck_assert(sim_run(&sim, engine, scene->ticks, &changes, &watch));
    ck_assert_uint_eq(track->ticks, scene->ticks);
}

static void tracks_compare(const struct track *reference, const struct track *track,
                           unsigned number, const char *isa) {
    for (uint32_t t = 0; t <= reference->ticks; t++) {
        const struct sim_metrics *ours = &track->metrics[t], *truth = &reference->metrics[t];
        ck_assert_msg(track->hash[t] == reference->hash[t],
                      "scene %u, %s: state differs at tick %" PRIu32, number, isa, t);
        ck_assert_msg(
            ours->cluster_count == truth->cluster_count &&
                bits_of(ours->polarization) == bits_of(truth->polarization) &&
                (bits_of(ours->mean_neighbor_distance) == bits_of(truth->mean_neighbor_distance) ||
                 (isnan(ours->mean_neighbor_distance) && isnan(truth->mean_neighbor_distance))),
            "scene %u, %s: metrics differ at tick %" PRIu32 ": %a %u %a, not %a %u %a", number, isa,
            t, ours->polarization, ours->cluster_count, ours->mean_neighbor_distance,
            truth->polarization, truth->cluster_count, truth->mean_neighbor_distance);
    }
}

/* --- regimes ------------------------------------------------------------------------------------
 */

enum regime {
    SCATTERED,     /* fewer than a tenth of the pairs are neighbours */
    ONE_CLUMP,     /* one cluster, without an edge */
    BOTH_SEAMS,    /* neighbours across both edges at once */
    ALL_WITHIN_28, /* every pair separates */
    NEXT_TO_90,    /* a square distance that a rounding could put on either side */
    NEXT_TO_28,
    ALONE,        /* a bird without a neighbour, but a nearest */
    NOBODY_NEAR,  /* nobody within 270 */
    ONE_PLACE,    /* two birds at one place */
    EQUALLY_NEAR, /* two nearest at the same distance */
    ULPS_APART,   /* two birds some ulps apart */
    CROWD,        /* a crowd for the kernels, but for their sampling */
    CROWD_AT_90,  /* then, next to 90 */
    TINY,         /* a distance whose square is 0 or not normal */
    MINUS_ZERO,   /* a bird at -0 that stays there */
    REGIMES
};

static const char *const regime_names[REGIMES] = {
    "scattered",  "one clump", "both seams",  "all within 28", "next to 90",
    "next to 28", "alone",     "nobody near", "one place",     "equally near",
    "ulps apart", "crowd",     "crowd at 90", "tiny",          "minus zero",
};

struct census {
    uint64_t pairs, neighbors, within_28, x_seam, y_seam;
};

static bool is_next_to(double square, double limit) {
    return fabs(square - limit * limit) < limit * limit * 0x1p-48;
}

static void census_take(const struct sim *sim, bool reached[REGIMES], struct census *census) {
    for (uint32_t i = 0; i < sim->count; i++) {
        double nearest = INFINITY;
        for (uint32_t j = 0; j < sim->count; j++) {
            if (j == i)
                continue;
            double raw_x = sim->x[j] - sim->x[i], raw_y = sim->y[j] - sim->y[i];
            double dx = flock_delta(sim->x[i], sim->x[j], FLOCK_WIDTH);
            double dy = flock_delta(sim->y[i], sim->y[j], FLOCK_HEIGHT);
            double d = exact_hypot(dx, dy), square = dx * dx + dy * dy;
            bool neighbor = d < FLOCK_PERCEPTION;
            census->pairs++;
            census->neighbors += neighbor;
            census->within_28 += d < FLOCK_SEPARATION_DISTANCE;
            census->x_seam += neighbor && raw_x != dx;
            census->y_seam += neighbor && raw_y != dy;
            reached[NEXT_TO_90] |= is_next_to(square, FLOCK_PERCEPTION);
            reached[NEXT_TO_28] |= is_next_to(square, FLOCK_SEPARATION_DISTANCE);
            reached[ONE_PLACE] |= d == 0;
            reached[EQUALLY_NEAR] |= d == nearest && d > FLOCK_SEPARATION_DISTANCE;
            reached[ULPS_APART] |= d > 0x1p-50 && d < 0x1p-40;
            reached[TINY] |= d > 0 && square < 0x1p-1000;
            nearest = d < nearest ? d : nearest;
        }
        reached[MINUS_ZERO] |=
            nearest >= FLOCK_PERCEPTION && bits_of(sim->x[i] + sim->vx[i]) == bits_of(-0.0);
        reached[ALONE] |= nearest >= FLOCK_PERCEPTION && nearest < FLOCK_NEAREST_LIMIT;
        reached[NOBODY_NEAR] |= nearest >= FLOCK_NEAREST_LIMIT;
    }
}

static void regimes_count(const struct scene *scene, const struct track *track,
                          unsigned count[REGIMES]) {
    bool reached[REGIMES] = {false};
    struct census census = {0};
    census_take(&scene->sim, reached, &census);
    reached[SCATTERED] = census.neighbors * 10 < census.pairs;
    reached[ONE_CLUMP] = track->metrics[0].cluster_count == 1 && census.x_seam + census.y_seam == 0;
    reached[CROWD] = 3 * census.neighbors > 2 * census.pairs && 3 * census.within_28 > census.pairs;
    reached[CROWD_AT_90] = reached[CROWD] && reached[NEXT_TO_90];
    reached[BOTH_SEAMS] = census.x_seam > 0 && census.y_seam > 0;
    reached[ALL_WITHIN_28] = census.within_28 == census.pairs;
    for (int r = 0; r < REGIMES; r++)
        count[r] += reached[r];
}

START_TEST(kernels_equal_the_reference_at_every_tick) {
    static struct scene scene;
    static struct track reference, track;
    unsigned count[REGIMES] = {0}, residues = 0;
    for (unsigned number = 0; number < scenes_wanted; number++) {
        scene_make(&scene, number);
        residues |= 1u << scene.sim.count % 8;
        scene_run(&scene, &engine_reference, &reference);
        regimes_count(&scene, &reference, count);
        for (size_t e = 1; engine_at(e); e++) {
            if (!engine_at(e)->runs_here())
                continue;
            scene_run(&scene, engine_at(e), &track);
            tracks_compare(&reference, &track, number, engine_at(e)->isa);
        }
    }
    printf("%u scenes:", scenes_wanted);
    for (int r = 0; r < REGIMES; r++)
        printf(" %s %u%s", regime_names[r], count[r], r + 1 < REGIMES ? "," : "\n");
    for (int r = 0; r < REGIMES; r++)
        ck_assert_msg(count[r] > 0, "no scene reached the regime '%s'", regime_names[r]);
    ck_assert_uint_eq(residues, 0xff);
}
END_TEST

START_TEST(kernels_of_this_cpu_are_named) {
    for (size_t e = 0; engine_at(e); e++) {
        printf("%s: %s\n", engine_at(e)->isa,
               engine_at(e)->runs_here() ? "tested" : "not on this CPU");
        ck_assert_ptr_eq(engine_find(engine_at(e)->isa),
                         engine_at(e)->runs_here() ? engine_at(e) : NULL);
    }
    ck_assert_ptr_null(engine_find("mmx"));
    ck_assert_ptr_null(engine_find(""));
}
END_TEST

/* A run that is stopped and goes on, tick by tick, is the run in one go. */
START_TEST(kernels_may_be_stopped_and_continued) {
    static struct scene scene;
    for (size_t e = 1; engine_at(e); e++) {
        if (!engine_at(e)->runs_here())
            continue;
        scene_make(&scene, 1);
        struct sim whole = scene.sim, pieces = scene.sim;
        sim_run(&whole, engine_at(e), 40, NULL, NULL);
        for (uint32_t t = 1; t <= 40; t += t)
            sim_run(&pieces, engine_at(e), t < 40 ? t : 40, NULL, NULL);
        sim_run(&pieces, engine_at(e), 40, NULL, NULL);
        ck_assert_uint_eq(sim_hash(&whole), sim_hash(&pieces));
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, kernels_of_this_cpu_are_named);
    tcase_add_test(tests, kernels_may_be_stopped_and_continued);
    tcase_add_test(tests, kernels_equal_the_reference_at_every_tick);
}

int main(int argc, char **argv) {
    if (argc > 1)
        scenes_wanted = (unsigned)strtoul(argv[1], NULL, 10);
    return suite_run("kernels", add, scenes_wanted);
}
