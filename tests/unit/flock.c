/* SPDX-License-Identifier: MIT */
/* The corners of the flock's specification, each with the fewest birds that show it. */
#include "flock.h"

#include "engine.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const struct engine *const engine = &engine_reference;

/* A flock made by hand: fewer than 10 birds are legal for the engine, only claims have a minimum.
 */
static struct sim flock_of(uint32_t count, double cohesion, double alignment, double separation) {
    struct sim sim;
    memset(&sim, 0, sizeof sim);
    sim.model = &flock_model;
    sim.count = count;
    sim.params.value[FLOCK_BIRDS] = count;
    sim.params.value[FLOCK_COHESION] = cohesion;
    sim.params.value[FLOCK_ALIGNMENT] = alignment;
    sim.params.value[FLOCK_SEPARATION] = separation;
    return sim;
}

static void put(struct sim *sim, uint32_t i, double x, double y, double vx, double vy) {
    sim->x[i] = x;
    sim->y[i] = y;
    sim->vx[i] = vx;
    sim->vy[i] = vy;
}

static void step(struct sim *sim) {
    ck_assert(sim_run(sim, engine, sim->tick + 1, NULL, NULL));
}

static struct sim_metrics measure(const struct sim *sim) {
    struct sim_metrics metrics;
    sim_measure(sim, engine, &metrics);
    return metrics;
}

START_TEST(delta_of_exactly_half_the_field_is_not_wrapped) {
    ck_assert_double_eq(flock_delta(100, 600, FLOCK_WIDTH), 500);
    ck_assert_double_eq(flock_delta(600, 100, FLOCK_WIDTH), -500);
    ck_assert_double_eq(flock_delta(150, 450, FLOCK_HEIGHT), 300);
    ck_assert_double_eq(flock_delta(450, 150, FLOCK_HEIGHT), -300);
}
END_TEST

START_TEST(delta_beyond_half_the_field_goes_the_other_way) {
    ck_assert_double_eq(flock_delta(100, 601, FLOCK_WIDTH), -499);
    ck_assert_double_eq(flock_delta(601, 100, FLOCK_WIDTH), 499);
    ck_assert_double_eq(flock_delta(10, 590, FLOCK_HEIGHT), -20);
    ck_assert_double_eq(flock_delta(590, 10, FLOCK_HEIGHT), 20);
}
END_TEST

START_TEST(birds_at_one_place_exert_no_separation) {
    struct sim sim = flock_of(2, 0, 0, 1);
    put(&sim, 0, 50, 50, 2, 0);
    put(&sim, 1, 50, 50, 0, 3);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 2);
    ck_assert_double_eq(sim.vy[0], 0);
    ck_assert_double_eq(sim.vx[1], 0);
    ck_assert_double_eq(sim.vy[1], 3);
}
END_TEST

START_TEST(birds_at_one_place_are_neighbors) {
    struct sim sim = flock_of(2, 0, 1, 0);
    put(&sim, 0, 50, 50, 2, 0);
    put(&sim, 1, 50, 50, 4, 0);
    struct sim_metrics metrics = measure(&sim);
    ck_assert_uint_eq(metrics.cluster_count, 1);
    ck_assert_double_eq(metrics.mean_neighbor_distance, 0);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 2 + (4 - 2.0) * (1 * 0.05));
}
END_TEST

START_TEST(a_bird_alone_flies_straight) {
    struct sim sim = flock_of(1, 1, 1, 1);
    put(&sim, 0, 10, 20, 2, -1);
    for (int t = 1; t <= 10; t++) {
        step(&sim);
        ck_assert_double_eq(sim.vx[0], 2);
        ck_assert_double_eq(sim.vy[0], -1);
        ck_assert_double_eq(sim.x[0], 10 + 2 * t);
        ck_assert_double_eq(sim.y[0], 20 - t);
    }
    struct sim_metrics metrics = measure(&sim);
    ck_assert_uint_eq(metrics.cluster_count, 1);
    ck_assert_double_eq(metrics.polarization, 1);
    ck_assert(isnan(metrics.mean_neighbor_distance));
}
END_TEST

/* Separation from a bird one unit ahead is -2.5, which is all that this bird's velocity is. */
START_TEST(a_resultant_of_zero_keeps_the_direction_at_the_lowest_speed) {
    struct sim sim = flock_of(2, 0, 0, 1);
    put(&sim, 0, 100, 100, 2.5, 0);
    put(&sim, 1, 101, 100, 2, 0);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 1.6);
    ck_assert_double_eq(sim.vy[0], 0);
    ck_assert_double_eq(sim.x[0], 101.6);
    ck_assert_double_eq(sim.vx[1], 4.2);
}
END_TEST

START_TEST(speed_is_clamped_to_both_limits) {
    struct sim sim = flock_of(2, 0, 0, 0);
    put(&sim, 0, 100, 100, 3, 4);
    put(&sim, 1, 500, 500, 0.3, 0.4);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 3 * (4.2 / 5));
    ck_assert_double_eq(sim.vy[0], 4 * (4.2 / 5));
    ck_assert_double_eq(sim.vx[1], 0.3 * (1.6 / 0.5));
    ck_assert_double_eq(sim.vy[1], 0.4 * (1.6 / 0.5));
}
END_TEST

/* -4.4e-16 + 1000 rounds to 1000 itself: one correction, as the specification says, and no second.
 */
START_TEST(a_tiny_negative_coordinate_wraps_to_the_field_size) {
    struct sim sim = flock_of(1, 0, 0, 0);
    put(&sim, 0, 2, 300, -nextafter(2, 3), 0);
    step(&sim);
    ck_assert_double_eq(sim.x[0], FLOCK_WIDTH);
    put(&sim, 0, 300, 2, 0, -nextafter(2, 3));
    step(&sim);
    ck_assert_double_eq(sim.y[0], FLOCK_HEIGHT);
    put(&sim, 0, FLOCK_WIDTH, 300, 2, 0);
    step(&sim);
    ck_assert_double_eq(sim.x[0], 2);
}
END_TEST

START_TEST(positions_wrap_at_both_edges) {
    struct sim sim = flock_of(1, 0, 0, 0);
    put(&sim, 0, 998, 1, 2, -2);
    step(&sim);
    ck_assert_double_eq(sim.x[0], 0);
    ck_assert_double_eq(sim.y[0], 599);
}
END_TEST

START_TEST(perception_is_strictly_less_than_90) {
    struct sim sim = flock_of(2, 0, 1, 0);
    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, 54, 72, 0, 2); /* hypot(54, 72) is 90 exactly */
    ck_assert_uint_eq(measure(&sim).cluster_count, 2);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 2);
    ck_assert_double_eq(sim.vy[0], 0);

    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, nextafter(90, 0), 0, 0, 2);
    ck_assert_uint_eq(measure(&sim).cluster_count, 1);
    step(&sim);
    ck_assert_double_ne(sim.vy[0], 0);
}
END_TEST

START_TEST(separation_is_strictly_less_than_28) {
    struct sim sim = flock_of(2, 0, 0, 1);
    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, 0, 28, 2, 0);
    step(&sim);
    ck_assert_double_eq(sim.vy[0], 0);

    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, 0, nextafter(28, 0), 2, 0);
    step(&sim);
    ck_assert_double_lt(sim.vy[0], 0);
    ck_assert_double_gt(sim.vy[1], 0);
}
END_TEST

START_TEST(nearest_at_exactly_270_is_left_out) {
    struct sim sim = flock_of(2, 0, 0, 0);
    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, 270, 0, 2, 0);
    ck_assert(isnan(measure(&sim).mean_neighbor_distance));
    put(&sim, 1, nextafter(270, 0), 0, 2, 0);
    ck_assert_double_eq(measure(&sim).mean_neighbor_distance, nextafter(270, 0));
}
END_TEST

START_TEST(birds_without_a_near_one_are_left_out_of_the_mean) {
    struct sim sim = flock_of(3, 0, 0, 0);
    put(&sim, 0, 0, 0, 2, 0);
    put(&sim, 1, 100, 0, 2, 0);
    put(&sim, 2, 500, 300, 2, 0);
    ck_assert_double_eq(measure(&sim).mean_neighbor_distance, 100);
    ck_assert_uint_eq(measure(&sim).cluster_count, 3);
}
END_TEST

START_TEST(clusters_join_across_both_edges) {
    struct sim sim = flock_of(4, 0, 0, 0);
    put(&sim, 0, 10, 10, 2, 0);
    put(&sim, 1, 990, 10, -2, 0);
    put(&sim, 2, 990, 590, 0, 2);
    put(&sim, 3, 500, 300, 0, -2);
    struct sim_metrics metrics = measure(&sim);
    ck_assert_uint_eq(metrics.cluster_count, 2);
    ck_assert_double_eq(metrics.polarization, 0);
    ck_assert_double_eq(metrics.mean_neighbor_distance, 20);
}
END_TEST

/* All forces come from the old state: a chain of three must not see each other's new velocities. */
START_TEST(the_update_is_synchronous) {
    struct sim sim = flock_of(3, 0, 1, 0);
    put(&sim, 0, 100, 100, 2, 0);
    put(&sim, 1, 180, 100, 4, 0);
    put(&sim, 2, 260, 100, 2, 0);
    step(&sim);
    ck_assert_double_eq(sim.vx[0], 2 + (4 - 2.0) * 0.05);
    ck_assert_double_eq(sim.vx[1], 4 + (2 - 4.0) * 0.05);
    ck_assert_double_eq(sim.vx[2], sim.vx[0]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, delta_of_exactly_half_the_field_is_not_wrapped);
    tcase_add_test(tests, delta_beyond_half_the_field_goes_the_other_way);
    tcase_add_test(tests, birds_at_one_place_exert_no_separation);
    tcase_add_test(tests, birds_at_one_place_are_neighbors);
    tcase_add_test(tests, a_bird_alone_flies_straight);
    tcase_add_test(tests, a_resultant_of_zero_keeps_the_direction_at_the_lowest_speed);
    tcase_add_test(tests, speed_is_clamped_to_both_limits);
    tcase_add_test(tests, a_tiny_negative_coordinate_wraps_to_the_field_size);
    tcase_add_test(tests, positions_wrap_at_both_edges);
    tcase_add_test(tests, perception_is_strictly_less_than_90);
    tcase_add_test(tests, separation_is_strictly_less_than_28);
    tcase_add_test(tests, nearest_at_exactly_270_is_left_out);
    tcase_add_test(tests, birds_without_a_near_one_are_left_out_of_the_mean);
    tcase_add_test(tests, clusters_join_across_both_edges);
    tcase_add_test(tests, the_update_is_synchronous);
}

int main(void) {
    return suite_run("flock", add, 10);
}
