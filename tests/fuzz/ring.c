/* SPDX-License-Identifier: MIT */
/*
 * The metrics ring both ways. Slots of any bytes: only the tick that stands in one is found in it.
 * A ring of any ticks: its pieces lie inside the string, and every slot reads back as it was.
 */
#include "fuzz.h"

#include "wire.h"

#include <math.h>
#include <string.h>

/* 4 bytes of the first tick, 1 of how many. */
#define HEAD 5

/* A full ring takes long, and what is close to an input that makes one should not be another. */
static bool makes_many(const uint8_t *data, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return size == HEAD + 1 && sum % 64 == 0;
}

static uint32_t little_endian(const uint8_t *at, int bytes) {
    uint32_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static void check_slots(const uint8_t *data, size_t size) {
    for (; size >= WIRE_SLOT_SIZE; data += WIRE_SLOT_SIZE, size -= WIRE_SLOT_SIZE) {
        struct sim_metrics metrics = {0};
        uint32_t tick = little_endian(data + 20, 4), clusters = little_endian(data + 16, 4);
        assert(wire_decode_slot(data, tick, &metrics) == (clusters != 0));
        assert(metrics.cluster_count == clusters);
        assert(!wire_decode_slot(data, tick + 1, &metrics));
    }
}

static struct sim_metrics metrics_at(const uint8_t *data, size_t size, uint32_t index) {
    struct sim_metrics metrics = {.cluster_count = index % SIM_AGENTS_MAX + 1};
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = data[(index + i) % size];
    memcpy(&metrics.polarization, bytes, 8);
    memcpy(&metrics.mean_neighbor_distance, bytes + 8, 8);
    return metrics;
}

static bool is_same(double a, double b) {
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void check_ring(const uint8_t *data, size_t size) {
    static struct ring ring;
    struct wire_ring_piece piece[2];
    int pieces;
    uint32_t first = little_endian(data, 4), at = 0;
    uint32_t count = makes_many(data, size) ? RING_SLOTS - 100 + data[4] : data[4] % 16;
    ring.empty = true;
    if (first > UINT32_MAX - count)
        first -= count;
    for (uint32_t i = 0; i < count; i++) {
        struct sim_metrics metrics = metrics_at(data, size, i);
        ring_add(&ring, first + i, &metrics);
    }
    assert(wire_encode_ring(&ring, piece, &pieces) == 0);
    assert(pieces >= (count > 0) && pieces <= 2);
    if (count > RING_SLOTS)
        at = count - RING_SLOTS;
    for (int p = 0; p < pieces; p++) {
        assert(piece[p].bytes.size > 0 && piece[p].bytes.size % WIRE_SLOT_SIZE == 0);
        assert(piece[p].offset + piece[p].bytes.size <= RING_SLOTS * WIRE_SLOT_SIZE);
        for (size_t byte = 0; byte < piece[p].bytes.size; byte += WIRE_SLOT_SIZE, at++) {
            struct sim_metrics back, was = metrics_at(data, size, at);
            assert((piece[p].offset + byte) / WIRE_SLOT_SIZE == (first + at) % RING_SLOTS);
            assert(wire_decode_slot(piece[p].bytes.data + byte, first + at, &back));
            assert(is_same(back.polarization, was.polarization));
            assert(is_same(back.mean_neighbor_distance, was.mean_neighbor_distance));
            assert(back.cluster_count == was.cluster_count);
        }
        mem_buffer_release(&piece[p].bytes);
    }
    assert(at == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_slots(data, size);
    if (size > HEAD)
        check_ring(data, size);
    return 0;
}
