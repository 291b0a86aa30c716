/* SPDX-License-Identifier: MIT */
/*
 * A real Redis Cluster, whose slots move and whose nodes change places and die; and in it the link,
 * and a worker with its jobs.
 */
#include "link.h"

#include "cluster.h"
#include "link_probe.h"
#include "outlast.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct cluster cluster;
static struct link_probe probe;
static struct link_answers answers;

static void is_at(int node) {
    char where[32];
    const char *client = link_probe_ask(&probe, "CLIENT INFO");
    snprintf(where, sizeof where, "laddr=127.0.0.1:%d ", cluster.node[node].port);
    ck_assert_msg(strstr(client, where) != NULL, "not %s: %s", where, client);
}

static void open_up(const char *url) {
    probe = (struct link_probe){0};
    link_probe_open(&probe, &(struct link_options){.url = url, .slot_key = "flock:{main}:config"});
    link_probe_until(&probe, &probe.ups, 1);
}

/* From whichever node, also a replica, and on any URL. */
static void find_the_node(void) {
    char url[128];
    for (int i = 0; i < CLUSTER_NODES; i++) {
        open_up(cluster.node[i].tcp_url);
        is_at(0);
        link_probe_close(&probe);
        open_up(cluster.node[i].url);
        ck_assert_str_eq(link_probe_ask(&probe, "SET flock:{main}:x 1"), "OK");
        link_probe_close(&probe);
        snprintf(url, sizeof url, "redis+cluster://127.0.0.1:%d", cluster.node[i].port);
        open_up(url);
        is_at(0);
        ck_assert_int_eq(probe.downs, 0);
        link_probe_close(&probe);
    }
}

/* Idle but for a blocking command. */
static void block(void) {
    answers = (struct link_answers){0};
    ck_assert_int_eq(link_probe_send(&probe, &answers, 60000, "BLPOP flock:{main}:none 0"), 0);
    link_probe_run(&probe, 20);
}

/* That ends, and the link is where the keys are. */
static void follows(int node) {
    int ups = probe.ups;
    link_probe_until(&probe, &answers.count, 1);
    link_probe_until(&probe, &probe.ups, ups + 1);
    is_at(node);
    ck_assert_str_eq(link_probe_ask(&probe, "GET flock:{main}:x"), "1");
}

/* What is not there yet is an error meanwhile, and the link stays. */
static void move_the_slot(int from, int to) {
    struct link_probe second = {0};
    struct link_answers none = {0};
    open_up(cluster.url);
    block();
    cluster_move_begin(&cluster, from, to);
    link_probe_open(&second,
                    &(struct link_options){.url = cluster.url, .slot_key = "flock:{main}:config"});
    link_probe_until(&second, &second.ups, 1);
    ck_assert_int_eq(strncmp(link_probe_ask(&second, "GET flock:{main}:y"), "ASK ", 4), 0);
    ck_assert_str_eq(link_probe_ask(&second, "GET flock:{main}:x"), "1");
    cluster_move_keys(&cluster, from, to);
    cluster_move_end(&cluster, from, to);
    follows(to);
    ck_assert_int_eq(answers.none, 1);
    ck_assert_int_eq(link_probe_send(&second, &none, 0, "GET flock:{main}:x"), 0);
    link_probe_until(&second, &second.ups, 2);
    ck_assert_int_eq(none.none, 1);
    ck_assert_str_eq(link_probe_ask(&second, "GET flock:{main}:x"), "1");
    link_probe_close(&second);
    link_probe_close(&probe);
}

static void move_it_away(void) {
    move_the_slot(0, 1);
}

static void move_it_back(void) {
    move_the_slot(1, 0);
}

static void replace_the_master(void) {
    char reply[64];
    open_up(cluster.url);
    ck_assert_str_eq(link_probe_ask(&probe, "WAIT 1 4000"), "1");
    block();
    redis_server_ask(&cluster.node[CLUSTER_REPLICA], "CLUSTER FAILOVER", reply, sizeof reply);
    ck_assert_str_eq(reply, "+OK");
    follows(CLUSTER_REPLICA);
    link_probe_close(&probe);
}

/* And no other one was the link told of. */
static void kill_the_master(void) {
    char url[64];
    snprintf(url, sizeof url, "redis+cluster://127.0.0.1:%d", cluster.node[CLUSTER_REPLICA].port);
    open_up(url);
    ck_assert_str_eq(link_probe_ask(&probe, "WAIT 1 4000"), "1");
    block();
    redis_server_kill(&cluster.node[CLUSTER_REPLICA]);
    follows(0);
    link_probe_close(&probe);
}

/* One story, since a cluster takes seconds to begin. */
START_TEST(cluster_is_outlasted) {
    cluster_start(&cluster);
    find_the_node();
    outlast_begin(cluster.url, cluster.node[0].dir);
    outlast_busy(move_it_away);
    outlast_idle(move_it_back);
    outlast_idle(replace_the_master);
    outlast_busy(kill_the_master);
    outlast_end();
    cluster_remove(&cluster);
}
END_TEST

static void tests_add(TCase *tests) {
    tcase_add_test(tests, cluster_is_outlasted);
}

int main(void) {
    return suite_run("cluster", tests_add, 120);
}
