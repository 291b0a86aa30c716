/* SPDX-License-Identifier: MIT */
/*
 * The ring of metrics as bytes, little endian whatever the CPU:
 *
 *   byte   0              8                        16             20      24
 *        +--------------+------------------------+--------------+-------+
 *        | polarization | mean_neighbor_distance | cluster_count | tick  |
 *        +--------------+------------------------+--------------+-------+
 *
 * A run of ticks that passes the last slot goes on at the first one: two pieces. Any thread.
 */
#include "wire.h"

#include <math.h>
#include <string.h>

static void put_le(unsigned char *out, uint64_t value, int bytes) {
    for (int b = 0; b < bytes; b++)
        out[b] = (unsigned char)(value >> (8 * b));
}

static uint64_t get_le(const unsigned char *in, int bytes) {
    uint64_t value = 0;
    for (int b = bytes - 1; b >= 0; b--)
        value = value << 8 | in[b];
    return value;
}

static void put_real(unsigned char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_le(out, bits, 8);
}

static double get_real(const unsigned char *in) {
    uint64_t bits = get_le(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void wire_ring_slot(uint32_t tick, const struct sim_metrics *metrics,
                           unsigned char slot[static WIRE_SLOT_SIZE]) {
    bool null = isnan(metrics->mean_neighbor_distance);
    put_real(slot, metrics->polarization);
    put_real(slot + 8, null ? (double)NAN : metrics->mean_neighbor_distance);
    put_le(slot + 16, metrics->cluster_count, 4);
    put_le(slot + 20, tick, 4);
}

int wire_encode_ring(const struct ring *ring, struct wire_ring_piece piece[2], int *pieces) {
    *pieces = 0;
    if (ring->empty)
        return 0;
    uint32_t count = ring->last - ring->first + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tick = ring->first + i, at = tick % RING_SLOTS;
        unsigned char slot[WIRE_SLOT_SIZE];
        if (i == 0 || at == 0)
            piece[(*pieces)++] = (struct wire_ring_piece){.offset = (size_t)at * WIRE_SLOT_SIZE};
        wire_ring_slot(tick, &ring->slot[at], slot);
        mem_buffer_add(&piece[*pieces - 1].bytes, slot, sizeof slot);
    }
    for (int p = 0; p < *pieces; p++)
        if (piece[p].bytes.failed)
            return ERR_NO_MEMORY;
    return 0;
}

bool wire_decode_slot(const unsigned char slot[WIRE_SLOT_SIZE], uint32_t tick,
                      struct sim_metrics *metrics) {
    uint32_t clusters = (uint32_t)get_le(slot + 16, 4);
    if (clusters == 0 || (uint32_t)get_le(slot + 20, 4) != tick)
        return false;
    metrics->polarization = get_real(slot);
    metrics->mean_neighbor_distance = get_real(slot + 8);
    metrics->cluster_count = clusters;
    return true;
}
