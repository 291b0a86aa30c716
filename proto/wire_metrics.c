/* SPDX-License-Identifier: MIT */
/*
 * Metrics, ours and claimed ones. The only upper limit is that of cluster_count: polarization may
 * be a rounding error above 1, and whether claimed numbers are right is the verdict's matter. Any
 * thread.
 */
#include "wire_metrics.h"

#include <math.h>

bool wire_metrics_read(const struct wire_map *map, const char *key, enum wire_need need,
                       struct sim_metrics *out) {
    struct wire_map metrics;
    if (!wire_read_map(map, key, need, &metrics))
        return false;
    wire_read_real(&metrics, "polarization", WIRE_REQUIRED, 0, INFINITY, &out->polarization);
    wire_read_u32(&metrics, "cluster_count", WIRE_REQUIRED, 1, SIM_AGENTS_MAX, &out->cluster_count);
    if (wire_read_is_nil(&metrics, "mean_neighbor_distance"))
        out->mean_neighbor_distance = NAN;
    else
        wire_read_real(&metrics, "mean_neighbor_distance", WIRE_REQUIRED, 0, INFINITY,
                       &out->mean_neighbor_distance);
    return map->fault->code == FAULT_NONE;
}

void wire_metrics_write(struct wire_writer *writer, const char *key,
                        const struct sim_metrics *metrics) {
    wire_write_open(writer, key);
    wire_write_real(writer, "polarization", metrics->polarization);
    wire_write_uint(writer, "cluster_count", metrics->cluster_count);
    if (isnan(metrics->mean_neighbor_distance))
        wire_write_nil(writer, "mean_neighbor_distance");
    else
        wire_write_real(writer, "mean_neighbor_distance", metrics->mean_neighbor_distance);
    wire_write_close(writer);
}
