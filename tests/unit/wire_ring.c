/* SPDX-License-Identifier: MIT */
/* The ring's bytes: where each tick lands, in how many pieces, and which slots are current. */
#include "wire.h"

#include "suite.h"

#include <math.h>
#include <string.h>

static struct ring ring;
static struct wire_ring_piece piece[2];
static int pieces;

static void setup(void) {
    memset(&ring, 0, sizeof ring);
    memset(piece, 0, sizeof piece);
    ring.empty = true;
    pieces = -1;
}

static void teardown(void) {
    mem_buffer_release(&piece[0].bytes);
    mem_buffer_release(&piece[1].bytes);
}

static struct sim_metrics metrics_of(uint32_t tick) {
    return (struct sim_metrics){tick / 65536.0, tick % 3 ? tick * 0.5 : NAN, 1 + tick % 400};
}

static void fill(uint32_t first, uint32_t last) {
    for (uint32_t tick = first; tick <= last; tick++) {
        struct sim_metrics metrics = metrics_of(tick);
        ring_add(&ring, tick, &metrics);
    }
    ck_assert_int_eq(wire_encode_ring(&ring, piece, &pieces), 0);
}

/* The piece holds first, first + 1, ... at their places. */
static void check_piece(const struct wire_ring_piece *run, uint32_t first, uint32_t count) {
    ck_assert_uint_eq(run->offset, first % RING_SLOTS * 24);
    ck_assert_uint_eq(run->bytes.size, count * 24);
    for (uint32_t i = 0; i < count; i++) {
        struct sim_metrics found, expected = metrics_of(first + i);
        ck_assert(wire_decode_slot(run->bytes.data + i * 24, first + i, &found));
        ck_assert(found.polarization == expected.polarization);
        ck_assert_uint_eq(found.cluster_count, expected.cluster_count);
        ck_assert(isnan(expected.mean_neighbor_distance)
                      ? isnan(found.mean_neighbor_distance)
                      : found.mean_neighbor_distance == expected.mean_neighbor_distance);
    }
}

START_TEST(empty_ring_is_no_piece) {
    ck_assert_int_eq(wire_encode_ring(&ring, piece, &pieces), 0);
    ck_assert_int_eq(pieces, 0);
}
END_TEST

START_TEST(tick_0_alone) {
    fill(0, 0);
    ck_assert_int_eq(pieces, 1);
    check_piece(&piece[0], 0, 1);
}
END_TEST

START_TEST(up_to_the_last_slot) {
    fill(4000, 4999);
    ck_assert_int_eq(pieces, 1);
    check_piece(&piece[0], 4000, 1000);
}
END_TEST

START_TEST(from_the_first_slot) {
    fill(10000, 10999);
    ck_assert_int_eq(pieces, 1);
    check_piece(&piece[0], 10000, 1000);
}
END_TEST

START_TEST(across_the_seam) {
    fill(4999, 5000);
    ck_assert_int_eq(pieces, 2);
    check_piece(&piece[0], 4999, 1);
    check_piece(&piece[1], 5000, 1);
}
END_TEST

START_TEST(whole_ring_in_one_piece) {
    fill(0, 9999);
    ck_assert_int_eq(pieces, 1);
    check_piece(&piece[0], 5000, 5000);
}
END_TEST

START_TEST(whole_ring_in_two_pieces) {
    fill(0, 20000);
    ck_assert_int_eq(pieces, 2);
    check_piece(&piece[0], 15001, 4999);
    check_piece(&piece[1], 20000, 1);
}
END_TEST

/* Drawn by hand from the layout in PROTOCOL.md. */
START_TEST(slot_byte_by_byte) {
    static const unsigned char expected[24] = {
        0,    0,    0, 0, 0,    0,    0xe0, 0x3f, /* 0.5 */
        0,    0,    0, 0, 0,    0,    0x29, 0x40, /* 12.5 */
        0x90, 0x01, 0, 0, 0x20, 0x4e, 0,    0,    /* 400, 20000 */
    };
    ring_add(&ring, 20000, &(struct sim_metrics){0.5, 12.5, 400});
    ck_assert_int_eq(wire_encode_ring(&ring, piece, &pieces), 0);
    ck_assert_uint_eq(piece[0].bytes.size, sizeof expected);
    ck_assert_mem_eq(piece[0].bytes.data, expected, sizeof expected);
}
END_TEST

/* Whatever NaN comes out of the metrics, the same bytes go in. */
START_TEST(null_is_one_nan) {
    static const unsigned char nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    ring_add(&ring, 1, &(struct sim_metrics){0.5, -NAN, 10});
    ck_assert_int_eq(wire_encode_ring(&ring, piece, &pieces), 0);
    ck_assert_mem_eq(piece[0].bytes.data + 8, nan, sizeof nan);
}
END_TEST

START_TEST(slot_of_another_tick_is_not_current) {
    struct sim_metrics metrics;
    unsigned char zero[24] = {0};
    fill(5001, 5001);
    ck_assert(!wire_decode_slot(piece[0].bytes.data, 1, &metrics));
    ck_assert(!wire_decode_slot(piece[0].bytes.data, 10001, &metrics));
    ck_assert(!wire_decode_slot(zero, 0, &metrics)); /* never written */
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, empty_ring_is_no_piece);
    tcase_add_test(tests, tick_0_alone);
    tcase_add_test(tests, up_to_the_last_slot);
    tcase_add_test(tests, from_the_first_slot);
    tcase_add_test(tests, across_the_seam);
    tcase_add_test(tests, whole_ring_in_one_piece);
    tcase_add_test(tests, whole_ring_in_two_pieces);
    tcase_add_test(tests, slot_byte_by_byte);
    tcase_add_test(tests, null_is_one_nan);
    tcase_add_test(tests, slot_of_another_tick_is_not_current);
}

int main(void) {
    return suite_run("wire_ring", add, 10);
}
