/* SPDX-License-Identifier: MIT */
/*
 * Left alone, sentinels need several seconds to find the replica and one another. So each is given
 * the configuration that it would have written itself by then.
 *
 * The second one acts on its own word, the others only when all three agree. If two could begin at
 * once, each might vote for itself, and both would rest for seconds before they tried again.
 */
#include "sentinels.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const char *const sentinels_redis_extra[] = {"--repl-diskless-sync-delay", "0", NULL};
static const char *const sentinels_extra[] = {"--sentinel", NULL};

static void sentinels_configure(const struct sentinels *set, int index) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/redis.conf", set->sentinel[index].dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "sentinel myid %040d\n", index + 1);
    fprintf(file, "sentinel monitor main 127.0.0.1 %d %d\n", set->redis[0].port,
            index == 1 ? 1 : SENTINELS);
    fprintf(file, "sentinel down-after-milliseconds main 1000\n");
    fprintf(file, "sentinel failover-timeout main 3000\n");
    fprintf(file, "sentinel known-replica main 127.0.0.1 %d\n", set->redis[1].port);
    if (set->password)
        fprintf(file, "requirepass %s\nsentinel sentinel-pass %s\n", set->password, set->password);
    for (int other = 0; other < SENTINELS; other++)
        if (other != index)
            fprintf(file, "sentinel known-sentinel main 127.0.0.1 %d %040d\n",
                    set->sentinel[other].port, other + 1);
    ck_assert_int_eq(fclose(file), 0);
}

static void sentinels_write_url(struct sentinels *set) {
    size_t used = (size_t)snprintf(set->url, sizeof set->url, "redis+sentinel://");
    for (int i = 0; i < SENTINELS; i++)
        used += (size_t)snprintf(set->url + used, sizeof set->url - used, "%s127.0.0.1:%d",
                                 i > 0 ? "," : "", set->sentinel[i].port);
    (void)snprintf(set->url + used, sizeof set->url - used, "/main%s%s",
                   set->password ? "?sentinel_password=" : "", set->password ? set->password : "");
}

static void sentinels_follow(struct sentinels *set, const struct redis_server *master) {
    (void)snprintf(set->replica_of, sizeof set->replica_of, "%d", master->port);
    const char *const extra[] = {"--replicaof", "127.0.0.1", set->replica_of,
                                 sentinels_redis_extra[0], sentinels_redis_extra[1]};
    memcpy(set->replica_extra, extra, sizeof extra);
}

void sentinels_start(struct sentinels *set, const char *password) {
    *set = (struct sentinels){.password = password};
    redis_server_prepare(&set->redis[0], true, sentinels_redis_extra);
    redis_server_prepare(&set->redis[1], true, set->replica_extra);
    sentinels_follow(set, &set->redis[0]);
    for (int i = 0; i < SENTINELS; i++)
        redis_server_prepare(&set->sentinel[i], true, sentinels_extra);
    sentinels_write_url(set);
    for (int i = 0; i < 2; i++)
        redis_server_launch(&set->redis[i]);
    for (int i = 0; i < 2; i++)
        redis_server_wait_ready(&set->redis[i]);
    for (int i = 0; i < SENTINELS; i++) {
        sentinels_configure(set, i);
        redis_server_launch(&set->sentinel[i]);
    }
    for (int i = 0; i < SENTINELS; i++)
        redis_server_wait_ready(&set->sentinel[i]);
    redis_server_until(&set->redis[0], "WAIT 1 100", ":1");
}

void sentinels_swap(struct sentinels *set) {
    sentinels_follow(set, &set->redis[1]);
    set->redis[0].extra = set->replica_extra;
}

void sentinels_remove(struct sentinels *set) {
    for (int i = 0; i < SENTINELS; i++)
        redis_server_remove(&set->sentinel[i]);
    for (int i = 0; i < 2; i++)
        redis_server_remove(&set->redis[i]);
}
