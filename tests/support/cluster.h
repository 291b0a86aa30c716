/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A real Redis Cluster of three masters and a replica of the first, on ports of 127.0.0.1. The
 * first has the slot of the queue "main". A node that is silent for one and a half seconds counts
 * as dead.
 */
#include "redis_server.h"

enum { CLUSTER_REPLICA = 3, CLUSTER_NODES };

struct cluster {
    struct redis_server node[CLUSTER_NODES];
    struct {
        int port; /* on which it talks to the others */
        char text[8];
        const char *extra[8]; /* arguments */
    } bus[CLUSTER_NODES];
    char url[160]; /* names the masters */
};

/* When it returns, the cluster is up and the replica has what its master has. */
void cluster_start(struct cluster *cluster);

/* Waits until that node serves the queue and all others that live say so. */
void cluster_until_served_by(struct cluster *cluster, int node);

/*
 * Moves the queue's slot, in the three steps of a resharding: `begin`: keys that `from` does not
 * have are asked of `to`; the keys move; `end`: `to` has the slot.
 */
void cluster_move_begin(struct cluster *cluster, int from, int to);
void cluster_move_keys(struct cluster *cluster, int from, int to);
void cluster_move_end(struct cluster *cluster, int from, int to);

void cluster_remove(struct cluster *cluster);
