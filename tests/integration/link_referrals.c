/* SPDX-License-Identifier: MIT */
/*
 * Where the link goes when a cluster or sentinels send it, and when they send it nowhere, in
 * circles, or to who is not what they say: all played by fakes. (link_cluster.c and link_sentinel.c
 * have the real ones.)
 */
#include "link.h"

#include "fake_redis.h"
#include "link_probe.h"
#include "redis_server.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct link_probe probe;
static struct fake_redis a, b, c, d, local;
static int nobody; /* a port that nobody listens at */
static struct link_answers answers;

static void setup(void) {
    uv_loop_t *loop = link_probe_loop(&probe);
    fake_redis_start_tcp(&a, loop);
    fake_redis_start_tcp(&b, loop);
    fake_redis_start_tcp(&c, loop);
    fake_redis_start_tcp(&d, loop);
    a.count = b.count = c.count = "SENTINEL";
    nobody = redis_server_free_port();
}

static void teardown(void) {
    fake_redis_stop(&a);
    fake_redis_stop(&b);
    fake_redis_stop(&c);
    fake_redis_stop(&d);
    link_probe_close(&probe);
}

static void has(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

/* The text with the ports of the fakes for $a to $d, and that of nobody for $z. */
static const char *fill(const char *text) {
    static char filled[32][512];
    static int next;
    char *out = filled[next++ % 32];
    size_t used = 0;
    const int port['z' + 1] = {
        ['a'] = a.port, ['b'] = b.port, ['c'] = c.port, ['d'] = d.port, ['z'] = nobody};
    for (const char *at = text; *at; at++)
        if (*at == '$' && at[1] >= 'a' && at[1] <= 'z')
            used += (size_t)snprintf(out + used, sizeof filled[0] - used, "%d",
                                     port[(unsigned char)*++at]);
        else
            out[used++] = *at;
    out[used] = '\0';
    return out;
}

/* A table of one rule, in which $a ... are filled. */
static const struct fake_rule *rule(const char *command, const char *reply) {
    static struct fake_rule tables[16][2];
    static int next;
    struct fake_rule *table = tables[next++ % 16];
    table[0] = (struct fake_rule){command, reply ? fill(reply) : NULL};
    return table;
}

static void open_at(const char *url, unsigned connect_timeout_ms) {
    link_probe_open(&probe, &(struct link_options){.url = fill(url),
                                                   .slot_key = "flock:{main}:config",
                                                   .connect_timeout_ms = connect_timeout_ms});
}

static void open_up(const char *url) {
    open_at(url, 0);
    link_probe_until(&probe, &probe.ups, 1);
}

/* --- a cluster ----------------------------------------------------------------------------------
 */

static const char *const cluster_urls[] = {
    "redis://127.0.0.1:$a",
    "redis+cluster://127.0.0.1:$a",
    "redis+cluster://127.0.0.1:$z,127.0.0.1:$a",
};

/* The key is asked for before anybody may use the link, so it goes to the right node at once. */
START_TEST(referral_at_the_greeting) {
    a.rules = rule("EXISTS flock:{main}:config", "-MOVED 5 127.0.0.1:$b\r\n");
    open_up(cluster_urls[_i]);
    ck_assert_int_eq(a.connections, 1);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
}
END_TEST

/* Whoever asked for what is elsewhere has no answer, nor have those behind; then the link is there.
 */
START_TEST(referral_when_up) {
    open_up(cluster_urls[_i]);
    a.rules = rule("GET", "-MOVED 5 127.0.0.1:$b\r\n");
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET k"), 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_int_eq(answers.count, 3);
    ck_assert_int_eq(answers.none, 3);
    has(probe.reason, fill("127.0.0.1:$a is of no use now: MOVED 5 127.0.0.1:$b"));
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(a.connections, 1);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(probe.downs, 1);
    /* And from there on it is where the link begins. */
    b.rules = rule("GET", NULL);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET k"), 0);
    link_probe_until(&probe, &probe.ups, 3);
    ck_assert_int_eq(a.connections, 1);
    ck_assert_int_eq(b.connections, 2);
}
END_TEST

/* No host: the one where the node was found. */
START_TEST(referral_to_the_same_host) {
    a.rules = rule("EXISTS", "-MOVED 5 :$b\r\n");
    open_up("redis://127.0.0.1:$a");
    ck_assert_int_eq(b.connections, 1);
}
END_TEST

START_TEST(referral_from_a_socket) {
    fake_redis_start(&local, link_probe_loop(&probe));
    local.rules = rule("EXISTS", "-MOVED 5 :$b\r\n");
    open_up(local.url);
    ck_assert_int_eq(b.connections, 1);
    fake_redis_stop(&local);
}
END_TEST

static const char *const bad_referrals[] = {
    "-MOVED\r\n",
    "-MOVED 5\r\n",
    "-MOVED 5 127.0.0.1\r\n",
    "-MOVED 5 127.0.0.1:\r\n",
    "-MOVED 5 127.0.0.1:0\r\n",
    "-MOVED 5 127.0.0.1:65536\r\n",
    "-MOVED 5 ?:$b\r\n",
};

START_TEST(referral_to_nowhere) {
    a.rules = rule("EXISTS", bad_referrals[_i]);
    open_at("redis+cluster://127.0.0.1:$a", 0);
    link_probe_until(&probe, &probe.downs, 1);
    has(probe.reason, fill("127.0.0.1:$a does not say where to go instead"));
    a.rules = rule("GET", bad_referrals[_i]);
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_int_eq(link_probe_send(&probe, &answers, 0, "GET k"), 0);
    link_probe_until(&probe, &probe.downs, 2);
    has(probe.reason, "is of no use now: MOVED");
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(answers.none, 1);
    ck_assert_int_eq(b.connections, 0);
}
END_TEST

/* Each says that it is the other: after a few steps the link waits, longer each time. */
START_TEST(referral_in_a_circle) {
    a.rules = rule("EXISTS", "-MOVED 5 127.0.0.1:$b\r\n");
    b.rules = rule("EXISTS", "-MOVED 5 127.0.0.1:$a\r\n");
    open_at("redis+cluster://127.0.0.1:$a,127.0.0.1:$b", 0);
    link_probe_until(&probe, &probe.downs, 1);
    has(probe.reason, "sends us on, like those before it");
    ck_assert_int_eq(a.connections + b.connections, 8);
    link_probe_run(&probe, 700); /* five more rounds would take 775 ms at least */
    ck_assert_int_le(a.connections + b.connections, 6 * 8);
    ck_assert_int_ge(a.connections + b.connections, 3 * 8);
    ck_assert_int_eq(probe.downs, 1);
    b.rules = NULL;
    link_probe_until(&probe, &probe.ups, 1);
}
END_TEST

static void get(struct link_probe *self) {
    ck_assert_int_eq(link_probe_send(self, &answers, 0, "GET k"), 0);
}

START_TEST(referral_to_and_fro_when_up) {
    a.rules = rule("GET", "-MOVED 5 127.0.0.1:$b\r\n");
    b.rules = rule("GET", "-MOVED 5 127.0.0.1:$a\r\n");
    probe.on_up = get;
    open_at("redis://127.0.0.1:$a", 0);
    link_probe_until(&probe, &probe.downs, 5);
    ck_assert_int_eq(a.connections, 3);
    ck_assert_int_eq(b.connections, 2);
    link_probe_run(&probe, 300); /* the fifth wait is 400 ms at least */
    ck_assert_int_eq(a.connections + b.connections, 5);
}
END_TEST

START_TEST(referral_to_a_dead_node) {
    a.rules = rule("EXISTS", "-MOVED 5 127.0.0.1:$z\r\n");
    open_at("redis+cluster://127.0.0.1:$a,127.0.0.1:$z", 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_str_eq(probe.reason, fill("cannot connect to 127.0.0.1:$z (told by 127.0.0.1:$a): "
                                        "Connection refused"));
    link_probe_run(&probe, 300); /* said once */
    ck_assert_int_eq(probe.downs, 1);
    a.rules = rule("EXISTS", "-MOVED 5 127.0.0.1:$b\r\n");
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_int_eq(b.connections, 1);
}
END_TEST

START_TEST(cluster_seeds_that_are_not_there) {
    a.rules = rule("PING", "");
    open_at("redis+cluster://127.0.0.1:$z,127.0.0.1:$a,127.0.0.1:$b", 400);
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_int_eq(b.connections, 1);
    /* Back to who served us, without asking the others. */
    b.rules = rule("GET", NULL);
    get(&probe);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(b.connections, 2);
    ck_assert_int_eq(a.connections, 1);
}
END_TEST

START_TEST(cluster_without_any_seed) {
    open_at("redis+cluster://127.0.0.1:$z,localhost:$z", 0);
    link_probe_until(&probe, &probe.downs, 1);
    has(probe.reason, fill("none of 2 addresses answers: cannot connect to 127.0.0.1:$z: "));
    ck_assert_int_eq(link_wait_up(probe.link, 100), ERR_TIMEOUT);
}
END_TEST

START_TEST(cluster_that_is_down) {
    a.rules = rule("EXISTS", "-CLUSTERDOWN Hash slot not served\r\n");
    open_at("redis+cluster://127.0.0.1:$z,127.0.0.1:$a", 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_str_eq(probe.reason,
                     fill("127.0.0.1:$a: not ready: CLUSTERDOWN Hash slot not served"));
    a.rules = rule("GET", "-CLUSTERDOWN The cluster is down\r\n");
    link_probe_until(&probe, &probe.ups, 1);
    get(&probe);
    link_probe_until(&probe, &probe.downs, 2);
    ck_assert_str_eq(answers.text, "CLUSTERDOWN The cluster is down");
    link_probe_until(&probe, &probe.ups, 2);
}
END_TEST

/* While a slot is on its way from node to node, its old owner is still the one to talk to. */
static const char *const under_way[] = {
    "-ASK 5 127.0.0.1:$b\r\n",
    "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
    "-NOPERM this user has no permissions to run the 'exists' command\r\n",
};

START_TEST(cluster_slot_under_way) {
    static struct fake_rule rules[3];
    rules[0] = rule("EXISTS", under_way[_i])[0];
    rules[1] = rule("GET", under_way[_i])[0];
    a.rules = rules;
    open_up("redis+cluster://127.0.0.1:$a");
    get(&probe);
    link_probe_until(&probe, &answers.count, 1);
    ck_assert_int_eq(answers.none, 0);
    ck_assert_int_eq(strncmp(answers.text, rules[1].reply + 1, strlen(answers.text)), 0);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_int_eq(b.connections, 0);
}
END_TEST

/* The only seed is gone: whom it told us of is asked, and first those that had the slot as well. */
START_TEST(cluster_learns_who_else_is_there) {
    static struct fake_rule rules[4];
    rules[0] = rule("CLUSTER KEYSLOT flock:{main}:config", ":700\r\n")[0];
    rules[1] =
        rule("CLUSTER SLOTS", "*3\r\n"
                              "*3\r\n:0\r\n:699\r\n*2\r\n$9\r\n127.0.0.1\r\n:$c\r\n"
                              "*5\r\n:700\r\n:700\r\n*2\r\n$-1\r\n:$a\r\n*2\r\n$1\r\n?\r\n:$c\r\n"
                              "*3\r\n$0\r\n\r\n:$b\r\n$2\r\nid\r\n"
                              "*3\r\n:701\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:$c\r\n")[0];
    rules[2] = rule("GET", NULL)[0];
    a.rules = rules;
    open_up("redis+cluster://127.0.0.1:$a");
    fake_redis_stop(&a);
    get(&probe);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(c.connections, 0);
    b.rules = rule("GET", NULL);
    fake_redis_stop(&b);
    get(&probe);
    link_probe_until(&probe, &probe.ups, 3);
    ck_assert_int_eq(c.connections, 1);
}
END_TEST

static const char *const odd_slots[] = {
    "*0\r\n",
    "+OK\r\n",
    "-ERR This instance has cluster support disabled\r\n",
    "*2\r\n:1\r\n*0\r\n",
    "*1\r\n*4\r\n:0\r\n:16383\r\n:1\r\n*2\r\n:1\r\n:2\r\n",
    "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:0\r\n",
};

START_TEST(cluster_that_tells_odd_things) {
    static struct fake_rule rules[3];
    rules[0] = rule("CLUSTER KEYSLOT", ":700\r\n")[0];
    rules[1] = rule("CLUSTER SLOTS", odd_slots[_i])[0];
    a.rules = rules;
    open_up("redis+cluster://127.0.0.1:$a");
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

/* --- sentinels ----------------------------------------------------------------------------------
 */

#define MASTER_AT(port) "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n" port "\r\n"
#define ASKED "SENTINEL get-master-addr-by-name main"

static const struct fake_rule replica[] = {{"INFO replication", "=role:slave\r\n"}, {NULL, NULL}};

START_TEST(sentinel_names_the_master) {
    a.rules = rule(ASKED, MASTER_AT("$b"));
    b.rules = rule("INFO replication", "=# Replication\r\nrole:master\r\n");
    open_up("redis+sentinel://127.0.0.1:$a/main");
    ck_assert_int_eq(a.counted, 1);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_str_eq(link_probe_ask(&probe, "PING"), "PONG");
}
END_TEST

/* The password of Redis is not for sentinels, and theirs is not for Redis. */
START_TEST(sentinel_has_its_own_password) {
    static struct fake_rule sentinel[4], redis[4];
    sentinel[0] = (struct fake_rule){"AUTH watcher s1", "+OK\r\n"};
    sentinel[1] = (struct fake_rule){"AUTH", "-WRONGPASS no\r\n"};
    sentinel[2] = rule(ASKED, MASTER_AT("$b"))[0];
    redis[0] = (struct fake_rule){"AUTH worker p1", "+OK\r\n"};
    redis[1] = (struct fake_rule){"AUTH", "-WRONGPASS no\r\n"};
    a.rules = sentinel;
    b.rules = redis;
    open_up("redis+sentinel://worker:p1@127.0.0.1:$a/main?sentinel_user=watcher&"
            "sentinel_password=s1");
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

START_TEST(sentinel_refuses_the_password) {
    a.rules = rule("AUTH", "-WRONGPASS no\r\n");
    open_at("redis+sentinel://127.0.0.1:$a,127.0.0.1:$z/main?sentinel_password=x", 0);
    ck_assert_int_eq(link_wait_up(probe.link, 20000), ERR_AUTH);
    ck_assert_str_eq(link_reason(probe.link),
                     fill("sentinel 127.0.0.1:$a: login refused: WRONGPASS no"));
}
END_TEST

START_TEST(sentinel_nobody_knows_the_master) {
    a.rules = b.rules = rule("SENTINEL", "*-1\r\n");
    open_at("redis+sentinel://127.0.0.1:$a,127.0.0.1:$z,127.0.0.1:$b/typo", 0);
    ck_assert_int_eq(link_wait_up(probe.link, 20000), ERR_REFUSED);
    ck_assert_str_eq(link_reason(probe.link),
                     fill("sentinel 127.0.0.1:$a knows no master \"typo\""));
    link_probe_run(&probe, 500); /* the shortest backoffs would allow four more rounds */
    ck_assert_int_eq(a.counted, 1);
    ck_assert_int_eq(b.counted, 1);
    ck_assert_int_eq(probe.downs, 1);
}
END_TEST

static const struct {
    const char *reply, *why;
} odd_sentinels[] = {
    {"*-1\r\n", "knows no master \"main\""},
    {"-ERR unknown command 'SENTINEL'\r\n", "refused: ERR unknown command"},
    {"-NOAUTH Authentication required.\r\n", "login refused: NOAUTH"},
    {"-NOPERM no\r\n", "refused: NOPERM no"},
    {"-LOADING no\r\n", "not ready: LOADING"},
    {"*0\r\n", "does not say where to go"},
    {"*1\r\n$9\r\n127.0.0.1\r\n", "does not say where to go"},
    {"*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "does not say where to go"},
    {"*2\r\n:1\r\n$5\r\n$b\r\n", "does not say where to go"},
    {"*2\r\n$9\r\n127.0\n0.1\r\n$5\r\n$b\r\n", "cannot connect to 127.0\\x0a0.1:$b (told by"},
    {"+OK\r\n", "does not say where to go"},
    {"=127.0.0.1", "does not say where to go"},
    {"HTTP/1.1 400 Bad Request\r\n", "broke: Protocol error"},
    {NULL, "broke: "},
    {"", "did not answer within 100 ms"},
};

/* One that is of no use is passed over, and is why nothing works where it is the only one. */
START_TEST(sentinel_that_is_of_no_use) {
    bool is_silent = odd_sentinels[_i].reply && !*odd_sentinels[_i].reply;
    a.rules = rule(ASKED, odd_sentinels[_i].reply);
    b.rules = rule(ASKED, MASTER_AT("$c"));
    open_at("redis+sentinel://127.0.0.1:$a,127.0.0.1:$b/main", is_silent ? 400 : 0);
    link_probe_until(&probe, &probe.ups, 1);
    ck_assert_int_eq(probe.downs, 0);
    ck_assert_int_eq(a.counted, 1);
    /* The next attempt begins with the one that knew. */
    c.rules = rule("GET", NULL);
    get(&probe);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(a.counted, 1);
    ck_assert_int_eq(b.counted, 2);
    link_close(probe.link, NULL, NULL);
    link_probe_open(&probe,
                    &(struct link_options){.url = fill("redis+sentinel://127.0.0.1:$a/main"),
                                           .connect_timeout_ms = is_silent ? 100 : 0});
    link_probe_until(&probe, &probe.downs, 2);
    has(probe.reason, fill(odd_sentinels[_i].why));
}
END_TEST

/* It names a replica, because it has not heard of the last failover, or is just in the middle. */
START_TEST(sentinel_behind_the_times) {
    static const struct fake_rule denied[] = {{"INFO", "-NOPERM no\r\n"}, {NULL, NULL}};
    a.rules = rule(ASKED, MASTER_AT("$b"));
    b.rules = replica;
    open_at("redis+sentinel://127.0.0.1:$a/main", 0);
    link_probe_until(&probe, &probe.downs, 1);
    ck_assert_str_eq(probe.reason, fill("127.0.0.1:$b (told by sentinel 127.0.0.1:$a): not ready: "
                                        "it is a replica and not the master"));
    b.rules = denied; /* who may not ask is let through: the first write will tell */
    link_probe_until(&probe, &probe.ups, 1);
}
END_TEST

START_TEST(sentinel_that_knows_better) {
    a.rules = rule(ASKED, MASTER_AT("$c"));
    b.rules = rule(ASKED, MASTER_AT("$d"));
    c.rules = replica;
    open_up("redis+sentinel://127.0.0.1:$a,127.0.0.1:$b/main");
    ck_assert_int_eq(d.connections, 1);
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

/* The master is one no more, or is gone: the sentinels are asked again before anything else. */
static const char *const ends[] = {"-READONLY You can't write against a read only replica.\r\n",
                                   NULL};

START_TEST(sentinel_is_asked_again) {
    a.rules = rule(ASKED, MASTER_AT("$b"));
    open_up("redis+sentinel://127.0.0.1:$a/main");
    a.rules = rule(ASKED, MASTER_AT("$c"));
    b.rules = rule("GET", ends[_i]);
    get(&probe);
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(a.counted, 2);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(c.connections, 1);
}
END_TEST

/* What a sentinel publishes while the link is at $b. */
#define PUBLISHED(size, text)                                                                      \
    "*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$" size "\r\n" text "\r\n"
#define SUBSCRIBED "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n"

static const char *const no_news[] = {
    SUBSCRIBED,
    SUBSCRIBED PUBLISHED("36", "main 127.0.0.1 11111 127.0.0.1 $b"),
    SUBSCRIBED PUBLISHED("36", "mai1 127.0.0.1 11111 127.0.0.1 $c"),
    SUBSCRIBED PUBLISHED("26", "mainmain 1 2 127.0.0.1 $c "),
    SUBSCRIBED PUBLISHED("5", "main ") PUBLISHED("7", "main  1") PUBLISHED("8", "main x y"),
    "*3\r\n$7\r\nmessage\r\n:1\r\n:1\r\n*1\r\n$-1\r\n+OK\r\n$-1\r\n",
    "-NOPERM no\r\n",
    NULL,
};

START_TEST(sentinel_has_no_news) {
    static struct fake_rule rules[3];
    rules[0] = rule(ASKED, MASTER_AT("$b"))[0];
    rules[1] = rule("SUBSCRIBE +switch-master", no_news[_i])[0];
    a.rules = rules;
    open_up("redis+sentinel://127.0.0.1:$a/main");
    link_probe_until(&probe, &a.connections, 2); /* the second one listens */
    link_probe_run(&probe, 50);
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

static void switch_to_c(struct link_probe *self) {
    static struct fake_rule rules[3];
    (void)self;
    rules[0] = rule(ASKED, MASTER_AT("$c"))[0];
    rules[1] = rule("SUBSCRIBE", SUBSCRIBED)[0];
    a.rules = rules;
}

/* The old master is there still, and takes what is written to it. */
START_TEST(sentinel_has_news) {
    static struct fake_rule rules[3];
    rules[0] = rule(ASKED, MASTER_AT("$b"))[0];
    rules[1] =
        rule("SUBSCRIBE", SUBSCRIBED PUBLISHED("36", "main 127.0.0.1 11111 127.0.0.1 $c"))[0];
    a.rules = rules;
    probe.on_down = switch_to_c;
    open_up("redis+sentinel://127.0.0.1:$a/main");
    ck_assert_int_eq(link_probe_send(&probe, &answers, 60000, "BLPOP none 0"), 0);
    b.rules = rule("BLPOP", "");
    link_probe_until(&probe, &probe.ups, 2);
    ck_assert_int_eq(answers.none, 1);
    ck_assert_int_eq(b.connections, 1);
    ck_assert_int_eq(c.connections, 1);
    ck_assert_int_eq(probe.downs, 1);
}
END_TEST

/* One that has nothing to say says so when it is asked; one that does not is left for the next. */
START_TEST(sentinel_that_is_silent) {
    static struct fake_rule first[3], second[4];
    first[0] = rule(ASKED, MASTER_AT("$b"))[0];
    first[1] = rule("SUBSCRIBE", "")[0];
    second[0] = rule("SUBSCRIBE", SUBSCRIBED)[0];
    second[1] = rule("PING", "*2\r\n$4\r\npong\r\n$0\r\n\r\n")[0];
    a.rules = first;
    c.rules = second;
    open_at("redis+sentinel://127.0.0.1:$a,127.0.0.1:$c/main", 200);
    link_probe_until(&probe, &c.connections, 1);
    link_probe_run(&probe, 500); /* asked twice */
    ck_assert_int_eq(a.connections, 2);
    ck_assert_int_eq(c.connections, 1);
    second[1] = rule("PING", "")[0];
    link_probe_until(&probe, &a.connections, 3);
    ck_assert_int_eq(probe.downs, 0);
}
END_TEST

START_TEST(sentinel_not_one_is_there) {
    open_at("redis+sentinel://127.0.0.1:$z,localhost:$z/main", 0);
    link_probe_until(&probe, &probe.downs, 1);
    has(probe.reason,
        fill("none of 2 addresses answers: cannot connect to sentinel 127.0.0.1:$z: "));
}
END_TEST

/* One turn of the loop more each time, through sentinel and master. */
START_TEST(referral_closed_under_way) {
    for (int turns = 0; turns < 16; turns++) {
        int downs = probe.downs;
        a.rules = rule(ASKED, MASTER_AT("$b"));
        b.rules = rule("EXISTS", "-MOVED 5 127.0.0.1:$c\r\n");
        open_at("redis+sentinel://127.0.0.1:$a/main", 0);
        for (int i = 0; i < turns; i++)
            uv_run(&probe.loop, UV_RUN_NOWAIT);
        link_close(probe.link, NULL, NULL);
        probe.link = NULL;
        link_probe_run(&probe, 5);
        ck_assert_int_eq(probe.downs, downs);
    }
    ck_assert_int_gt(b.connections, 0);
    open_at("redis+sentinel://127.0.0.1:$a/main", 0);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void tests_add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, referral_at_the_greeting, 0, COUNT(cluster_urls));
    tcase_add_loop_test(tests, referral_when_up, 0, COUNT(cluster_urls));
    tcase_add_test(tests, referral_to_the_same_host);
    tcase_add_test(tests, referral_from_a_socket);
    tcase_add_loop_test(tests, referral_to_nowhere, 0, COUNT(bad_referrals));
    tcase_add_test(tests, referral_in_a_circle);
    tcase_add_test(tests, referral_to_and_fro_when_up);
    tcase_add_test(tests, referral_to_a_dead_node);
    tcase_add_test(tests, cluster_seeds_that_are_not_there);
    tcase_add_test(tests, cluster_without_any_seed);
    tcase_add_test(tests, cluster_that_is_down);
    tcase_add_loop_test(tests, cluster_slot_under_way, 0, COUNT(under_way));
    tcase_add_test(tests, cluster_learns_who_else_is_there);
    tcase_add_loop_test(tests, cluster_that_tells_odd_things, 0, COUNT(odd_slots));
    tcase_add_test(tests, sentinel_names_the_master);
    tcase_add_test(tests, sentinel_has_its_own_password);
    tcase_add_test(tests, sentinel_refuses_the_password);
    tcase_add_test(tests, sentinel_nobody_knows_the_master);
    tcase_add_loop_test(tests, sentinel_that_is_of_no_use, 0, COUNT(odd_sentinels));
    tcase_add_test(tests, sentinel_behind_the_times);
    tcase_add_test(tests, sentinel_that_knows_better);
    tcase_add_loop_test(tests, sentinel_is_asked_again, 0, COUNT(ends));
    tcase_add_test(tests, sentinel_not_one_is_there);
    tcase_add_loop_test(tests, sentinel_has_no_news, 0, COUNT(no_news));
    tcase_add_test(tests, sentinel_has_news);
    tcase_add_test(tests, sentinel_that_is_silent);
    tcase_add_test(tests, referral_closed_under_way);
}

int main(void) {
    return suite_run("link_referrals", tests_add, 60);
}
