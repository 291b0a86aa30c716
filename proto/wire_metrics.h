/* SPDX-License-Identifier: MIT */
#pragma once
/* {polarization, cluster_count, mean_neighbor_distance}, the last one nil where it is null. */
#include "sim.h"
#include "wire_read.h"
#include "wire_write.h"

/* All three must be there. */
bool wire_metrics_read(const struct wire_map *map, const char *key, enum wire_need need,
                       struct sim_metrics *out);
void wire_metrics_write(struct wire_writer *writer, const char *key,
                        const struct sim_metrics *metrics);
