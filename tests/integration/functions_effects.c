/* SPDX-License-Identifier: MIT */
/* What a completion writes beside the result: session, ring, trace; all of it or nothing. */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <msgpack.h>
#include <stdio.h>
#include <string.h>

/* A msgpack map in the making. */
struct effects {
    msgpack_sbuffer buffer;
    msgpack_packer packer;
};

static void effects_map(struct effects *effects, size_t count) {
    msgpack_sbuffer_init(&effects->buffer);
    msgpack_packer_init(&effects->packer, &effects->buffer, msgpack_sbuffer_write);
    msgpack_pack_map(&effects->packer, count);
}

static void effects_text(struct effects *effects, const char *text) {
    msgpack_pack_str_with_body(&effects->packer, text, strlen(text));
}

static void effects_begin(struct effects *effects, const char *name, size_t count, int key) {
    effects_text(effects, name);
    msgpack_pack_map(&effects->packer, count + 1);
    effects_text(effects, "key");
    msgpack_pack_int(&effects->packer, key);
}

static void effects_pair(struct effects *effects, const char *key, const char *value) {
    effects_text(effects, key);
    effects_text(effects, value);
}

static void effects_session(struct effects *effects, int key, const char *expect, const char *rev) {
    effects_begin(effects, "session", 4, key);
    effects_pair(effects, "expect", expect);
    effects_pair(effects, "rev", rev);
    effects_pair(effects, "tick", "7");
    effects_pair(effects, "body", rev);
}

static void effects_ring(struct effects *effects, int key, long offset, const char *bytes) {
    effects_begin(effects, "ring", 1, key);
    effects_text(effects, "writes");
    msgpack_pack_array(&effects->packer, 2);
    msgpack_pack_long(&effects->packer, offset);
    effects_text(effects, bytes);
}

static void effects_trace(struct effects *effects, int key, const char *id, const char *body) {
    effects_begin(effects, "trace", 2, key);
    effects_pair(effects, "id", id);
    effects_pair(effects, "body", body);
}

static void effects_set(struct effects *effects, int slot) {
    calls_set(slot, effects->buffer.data, effects->buffer.size);
    msgpack_sbuffer_destroy(&effects->buffer);
}

static void effects_set_session(int slot, int key, const char *expect, const char *rev) {
    struct effects effects;
    effects_map(&effects, 1);
    effects_session(&effects, key, expect, rev);
    effects_set(&effects, slot);
}

/* w1 runs i1-0 to i<count>-0. */
static void effects_claim(int count) {
    char line[64];
    for (int i = 1; i <= count; i++) {
        snprintf(line, sizeof line, "XADD #jobs:interactive %d-0 job J", i);
        ck_assert_str_ne(calls_command(line), "");
    }
    snprintf(line, sizeof line, "w1 %d 0 0 0 0 0 15000", count);
    ck_assert_str_ne(calls_function("claim", "", line), "");
}

START_TEST(effects_create_a_session) {
    struct effects effects;
    effects_claim(2);
    effects_map(&effects, 2);
    effects_session(&effects, 12, "", "1");
    effects_ring(&effects, 13, 48, "metrics");
    effects_set(&effects, 1);
    calls_expect("complete", "result:1-0 session:s ring:s", "w1 i1-0 1,0,k:ok,1 R $1", "ok");
    calls_want("HMGET #session:s rev tick body", "1 7 1");
    calls_want("STRLEN #ring:s", "55");
    calls_want("GETRANGE #ring:s 48 -1", "metrics");
    calls_want("TTL #session:s", "86400");
    calls_want("TTL #ring:s", "86400");
    /* It must not exist yet. */
    calls_expect("complete", "result:2-0 session:s ring:s", "w1 i2-0 1,0,k:ok,1 R $1", "conflict");
    calls_want("EXISTS #result:2-0", "0");
    ck_assert_str_eq(calls_pending("i2-0"), "w1 1");
}
END_TEST

START_TEST(effects_session_compare_and_set) {
    effects_claim(3);
    calls_want("HSET #session:s rev 4 tick 40 body old", "3");
    calls_want("EXPIRE #session:s 100", "1");
    effects_set_session(1, 14, "4", "5");
    effects_set_session(2, 14, "5", "6");
    calls_expect("complete", "result:1-0 result:2-0 result:3-0 session:s",
                 "w1 i1-0 1,0,k:ok,1 R $1 i2-0 1,0,k:ok,1 R $1 i3-0 1,0,k:ok,1 R $2",
                 "ok conflict ok");
    calls_want("HMGET #session:s rev tick body", "6 7 6");
    calls_want("TTL #session:s", "86400");
    calls_want("EXISTS #result:2-0", "0");
    calls_want("HGET #stats k:ok", "2");
    ck_assert_str_eq(calls_pending("i2-0"), "w1 1");
    /* Read again, and run again. */
    effects_set_session(1, 12, "6", "7");
    calls_expect("complete", "result:2-0 session:s", "w1 i2-0 1,0,k:ok,1 R $1", "ok");
    calls_want("HGET #session:s rev", "7");
}
END_TEST

START_TEST(effects_of_a_session_that_is_gone) {
    effects_claim(1);
    effects_set_session(1, 12, "4", "5");
    calls_expect("complete", "result:1-0 session:s", "w1 i1-0 1,0,k:ok,1 R $1", "conflict");
    calls_want("SET #session:s text", "OK");
    calls_expect("complete", "result:1-0 session:s", "w1 i1-0 1,0,k:ok,1 R $1", "conflict");
    calls_want("GET #session:s", "text");
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,k:rejected,1 R ~", "ok");
}
END_TEST

/* Neither a stale worker nor a second answer touches the session. */
START_TEST(effects_only_of_the_first_result) {
    effects_claim(1);
    effects_set_session(1, 12, "", "1");
    calls_expect("complete", "result:1-0 session:s", "w1 i1-0 2,0,k:ok,1 R $1", "lost");
    calls_want("EXISTS #session:s", "0");
    calls_want("SET #result:1-0 FIRST", "OK");
    calls_expect("complete", "result:1-0 session:s", "w1 i1-0 1,0,k:ok,1 R $1", "duplicate");
    calls_want("EXISTS #session:s", "0");
    calls_want("GET #result:1-0", "FIRST");
    calls_want("XLEN #jobs:interactive", "0");
}
END_TEST

START_TEST(effects_session_ttl_from_config) {
    effects_claim(1);
    calls_want("HSET #config session_ttl 50", "1");
    effects_set_session(1, 12, "", "1");
    calls_expect("complete", "result:1-0 session:s", "w1 i1-0 1,0,k:ok,1 R $1", "ok");
    calls_want("TTL #session:s", "50");
}
END_TEST

START_TEST(effects_ring_wraps) {
    struct effects effects;
    effects_claim(1);
    effects_map(&effects, 1);
    effects_begin(&effects, "ring", 1, 12);
    effects_text(&effects, "writes");
    msgpack_pack_array(&effects.packer, 4);
    msgpack_pack_long(&effects.packer, 119997);
    effects_text(&effects, "abc");
    msgpack_pack_long(&effects.packer, 0);
    effects_text(&effects, "def");
    effects_set(&effects, 1);
    calls_expect("complete", "result:1-0 ring:s", "w1 i1-0 1,0,k:ok,1 R $1", "ok");
    calls_want("STRLEN #ring:s", "120000");
    calls_want("GETRANGE #ring:s -3 -1", "abc");
    calls_want("GETRANGE #ring:s 0 2", "def");
}
END_TEST

START_TEST(effects_ring_of_another_type_is_replaced) {
    struct effects effects;
    effects_claim(1);
    calls_want("RPUSH #ring:s a", "1");
    effects_map(&effects, 1);
    effects_ring(&effects, 12, 0, "slot");
    effects_set(&effects, 1);
    calls_expect("complete", "result:1-0 ring:s", "w1 i1-0 1,0,k:ok,1 R $1", "ok");
    calls_want("GET #ring:s", "slot");
}
END_TEST

static void effects_store(const char *id, const char *ref_number) {
    struct effects effects;
    char keys[128], args[128];
    effects_map(&effects, 2);
    effects_trace(&effects, 12, id, id);
    effects_ring(&effects, 13, 0, "slot");
    effects_set(&effects, 1);
    snprintf(keys, sizeof keys, "result:%s trace:%s ring:%s", ref_number, id, id);
    snprintf(args, sizeof args, "w1 i%s 1,0,verify:ok,1 R $1", ref_number);
    calls_expect("complete", keys, args, "ok");
}

START_TEST(effects_traces_drop_the_oldest) {
    effects_claim(4);
    calls_want("HSET #config traces_max 2", "1");
    calls_want("ZADD #traces 1 ancient", "1");
    calls_want("MSET #trace:ancient x #ring:ancient y", "OK");
    effects_store("t1", "1-0");
    calls_want("ZRANGE #traces 0 -1", "ancient t1");
    calls_want("ZADD #traces XX 2 t1", "0");
    effects_store("t2", "2-0");
    calls_want("ZRANGE #traces 0 -1", "t1 t2");
    calls_want("EXISTS #trace:ancient #ring:ancient", "0");
    calls_want("HSET #config traces_max 1", "0");
    effects_store("t3", "3-0");
    calls_want("ZRANGE #traces 0 -1", "t3");
    calls_want("KEYS *trace:*", "flock:{main}:trace:t3");
    calls_want("GET #trace:t3", "t3");
    calls_want("TTL #trace:t3", "-1");
    calls_want("TTL #ring:t3", "86400");
}
END_TEST

/* What our own worker never sends is refused before anything is written. */
START_TEST(effects_bad_ones_are_refused) {
    static const struct {
        int ring_key;
        long offset;
        const char *trace, *error;
    } row[] = {
        {11, 0, "t", "!ERR an effect names key \"11\" of 13 *"},
        {14, 0, "t", "!ERR an effect names key \"14\" of 13 *"},
        {0, 0, "t", "!ERR an effect names key \"0\" of 13 *"},
        {12, 119998, "t", "!ERR a ring has 120000 bytes; a write at \"119998\" does not fit *"},
        {12, -1, "t", "!ERR a ring has 120000 bytes; a write at \"-1\" does not fit *"},
        {12, 0, "a b", "!ERR trace must have a legal id and a body *"},
    };
    effects_claim(1);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct effects effects;
        effects_map(&effects, 2);
        effects_ring(&effects, row[i].ring_key, row[i].offset, "abc");
        effects_trace(&effects, 13, row[i].trace, "body");
        effects_set(&effects, 1);
        const char *got =
            calls_function("complete", "result:1-0 ring:s trace:t", "w1 i1-0 1,0,k:ok,1 R $1");
        size_t size = strlen(row[i].error) - 1;
        ck_assert_msg(strncmp(got, row[i].error, size) == 0, "%s", got);
    }
    calls_set(1, "\xc1", 1);
    calls_set(2, "\x05", 1);
    for (int i = 1; i <= 2; i++) {
        char args[64];
        snprintf(args, sizeof args, "w1 i1-0 1,0,k:ok,1 R $%d", i);
        ck_assert_int_eq(calls_function("complete", "result:1-0", args)[0], '!');
    }
    calls_want("EXISTS #result:1-0 #ring:s #trace:t", "0");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
}
END_TEST

static void effects_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, effects_create_a_session);
    tcase_add_test(tests, effects_session_compare_and_set);
    tcase_add_test(tests, effects_of_a_session_that_is_gone);
    tcase_add_test(tests, effects_only_of_the_first_result);
    tcase_add_test(tests, effects_session_ttl_from_config);
    tcase_add_test(tests, effects_ring_wraps);
    tcase_add_test(tests, effects_ring_of_another_type_is_replaced);
    tcase_add_test(tests, effects_traces_drop_the_oldest);
    tcase_add_test(tests, effects_bad_ones_are_refused);
}

int main(void) {
    return suite_run("functions_effects", effects_tests, 60);
}
