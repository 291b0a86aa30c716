/* SPDX-License-Identifier: MIT */
/*
 * Left alone, nodes need seconds to meet. So each begins with the nodes.conf that it would have
 * written by then. That it waits two seconds before it takes writes cannot be helped.
 */
#include "cluster.h"

#include <check.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CLUSTER_SLOT = 12501 };

static const char *const cluster_slots[CLUSTER_NODES] = {"10923-16383", "0-5460", "5461-10922", ""};

static void cluster_configure(const struct cluster *cluster, int self) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/nodes.conf", cluster->node[self].dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < CLUSTER_NODES; i++) {
        char master[48] = "-";
        if (i == CLUSTER_REPLICA)
            (void)snprintf(master, sizeof master, "%040d", 1);
        fprintf(file, "%040d 127.0.0.1:%d@%d %s%s %s 0 0 %d connected %s\n", i + 1,
                cluster->node[i].port, cluster->bus[i].port, i == self ? "myself," : "",
                i == CLUSTER_REPLICA ? "slave" : "master", master, i == CLUSTER_REPLICA ? 1 : i + 1,
                cluster_slots[i]);
    }
    fprintf(file, "vars currentEpoch %d lastVoteEpoch 0\n", CLUSTER_NODES);
    ck_assert_int_eq(fclose(file), 0);
}

static void cluster_prepare(struct cluster *cluster, int index) {
    struct redis_server *node = &cluster->node[index];
    int bus = redis_server_free_port();
    cluster->bus[index].port = bus;
    (void)snprintf(cluster->bus[index].text, sizeof cluster->bus[index].text, "%d", bus);
    const char *const extra[] = {"--cluster-enabled",
                                 "yes",
                                 "--cluster-port",
                                 cluster->bus[index].text,
                                 "--cluster-node-timeout",
                                 "1500",
                                 NULL};
    memcpy(cluster->bus[index].extra, extra, sizeof extra);
    redis_server_prepare(node, true, cluster->bus[index].extra);
}

void cluster_start(struct cluster *cluster) {
    *cluster = (struct cluster){.url = ""};
    for (int i = 0; i < CLUSTER_NODES; i++)
        cluster_prepare(cluster, i);
    for (int i = 0; i < CLUSTER_NODES; i++) {
        cluster_configure(cluster, i);
        redis_server_launch(&cluster->node[i]);
    }
    for (int i = 0; i < CLUSTER_NODES; i++)
        redis_server_wait_ready(&cluster->node[i]);
    (void)snprintf(cluster->url, sizeof cluster->url,
                   "redis+cluster://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d", cluster->node[1].port,
                   cluster->node[2].port, cluster->node[0].port);
    cluster_until_served_by(cluster, 0);
    redis_server_until(&cluster->node[0], "WAIT 1 100", ":1");
}

void cluster_until_served_by(struct cluster *cluster, int node) {
    char moved[64];
    (void)snprintf(moved, sizeof moved, "-MOVED %d 127.0.0.1:%d", CLUSTER_SLOT,
                   cluster->node[node].port);
    for (int i = 0; i < CLUSTER_NODES; i++)
        if (cluster->node[i].pid > 0)
            redis_server_until(&cluster->node[i], "EXISTS flock:{main}:none",
                               i == node ? ":0" : moved);
}

/* --- a slot on its way --------------------------------------------------------------------------
 */

static void *cluster_ask(const struct redis_server *node, const char *format, ...) {
    redisContext *redis = redisConnectUnix(node->path);
    ck_assert(redis && !redis->err);
    va_list arguments;
    va_start(arguments, format);
    redisReply *reply = redisvCommand(redis, format, arguments);
    va_end(arguments);
    ck_assert_msg(reply != NULL, "%s: %s", format, redis->errstr);
    ck_assert_msg(reply->type != REDIS_REPLY_ERROR, "%s: %s", format, reply->str);
    redisFree(redis);
    return reply;
}

void cluster_move_begin(struct cluster *cluster, int from, int to) {
    freeReplyObject(cluster_ask(&cluster->node[to], "CLUSTER SETSLOT %d IMPORTING %040d",
                                CLUSTER_SLOT, from + 1));
    freeReplyObject(cluster_ask(&cluster->node[from], "CLUSTER SETSLOT %d MIGRATING %040d",
                                CLUSTER_SLOT, to + 1));
}

void cluster_move_keys(struct cluster *cluster, int from, int to) {
    redisReply *keys =
        cluster_ask(&cluster->node[from], "CLUSTER GETKEYSINSLOT %d 1000", CLUSTER_SLOT);
    for (size_t i = 0; i < keys->elements; i++)
        freeReplyObject(cluster_ask(&cluster->node[from], "MIGRATE 127.0.0.1 %d %s 0 5000",
                                    cluster->node[to].port, keys->element[i]->str));
    freeReplyObject(keys);
}

/* Who gets it is told first, as redis-cli does it. */
void cluster_move_end(struct cluster *cluster, int from, int to) {
    freeReplyObject(
        cluster_ask(&cluster->node[to], "CLUSTER SETSLOT %d NODE %040d", CLUSTER_SLOT, to + 1));
    freeReplyObject(
        cluster_ask(&cluster->node[from], "CLUSTER SETSLOT %d NODE %040d", CLUSTER_SLOT, to + 1));
    cluster_until_served_by(cluster, to);
}

void cluster_remove(struct cluster *cluster) {
    for (int i = 0; i < CLUSTER_NODES; i++)
        redis_server_remove(&cluster->node[i]);
}
