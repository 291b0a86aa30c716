/* SPDX-License-Identifier: MIT */
/*
 * What must not hurt: wrong arguments, and jobs made to break their reader. The functions read a
 * job themselves when nobody else may (a burial, a cancel), and must then read it as the worker
 * does.
 */
#include "bad_jobs.h"
#include "calls.h"
#include "job.h"
#include "mem.h"
#include "message.h"
#include "result.h"
#include "suite.h"
#include "wire.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- arguments ----------------------------------------------------------------------------------
 */

#define BAD_WORKER "worker must be 1 to 64 of A-Z a-z 0-9 . _ - and not \"released\", got "
#define BAD_REF "an entry is named i<id> or b<id>, got "
#define BAD_ABOUT "expected attempt,reply,counter,bytes, got "
#define BAD_ATTEMPT "attempt must be a whole number from 1, got "
#define BAD_ID "Invalid stream ID specified as stream command argument"

static const struct {
    const char *function, *keys, *args, *error;
} bad_calls[] = {
    {"enqueue", "", "", "lane must be interactive or batch, got \"nil\""},
    {"enqueue", "", "fast ~ J", "lane must be interactive or batch, got \"fast\""},
    {"enqueue", "", "i ~ J", "lane must be interactive or batch, got \"i\""},
    {"enqueue", "", "batch", "expected 1 arguments and then 1 to 1000 times 2, got 1"},
    {"enqueue", "", "batch a", "expected 1 arguments and then 1 to 1000 times 2, got 2"},
    {"enqueue", "", "batch ~ J a", "expected 1 arguments and then 1 to 1000 times 2, got 4"},
    {"enqueue", "", "batch a $1", "expected at least 11 keys, got 10"},
    {"enqueue", "result:a", "batch a J", "the id given is \"a\" and the id in the job is \"\""},
    {"enqueue", "result:n", "batch n $4", "the id given is \"n\" and the id in the job is \"\""},
    {"enqueue", "result:a", "batch a $5", "the id given is \"a\" and the id in the job is \"\""},
    {"enqueue", "result:b", "batch b $1", "the id given is \"b\" and the id in the job is \"a\""},
    {"enqueue", "", "batch ~ $1", "the id given is \"\" and the id in the job is \"a\""},
    {"enqueue", "result:a", "batch $2 $1", "id must be 1 to 64 of A-Z a-z 0-9 . _ -, got \"a?b\""},
    {"enqueue", "result:a", "batch a:b J", "id must be 1 to 64 of A-Z a-z 0-9 . _ -, got \"a:b\""},
    {"enqueue", "result:a", "batch $3 J", "id must be 1 to 64 of A-Z a-z 0-9 . _ -, got \"xxxx"},
    {"claim", "", "", "expected at least 8 arguments, got 0"},
    {"claim", "", "w1 1 0 0 0 0 0", "expected at least 8 arguments, got 7"},
    {"claim", "", "~ 1 0 0 0 0 0 1", BAD_WORKER "\"\""},
    {"claim", "", "w:next 1 0 0 0 0 0 1", BAD_WORKER "\"w:next\""},
    {"claim", "", "released 1 0 0 0 0 0 1", BAD_WORKER "\"released\""},
    {"claim", "", "$2 1 0 0 0 0 0 1", BAD_WORKER "\"a?b\""},
    {"claim", "", "w x 0 0 0 0 0 1", "slots must be a whole number from 0, got \"x\""},
    {"claim", "", "w 1 -1 0 0 0 0 1", "busy_interactive must be a whole number from 0, got \"-1\""},
    {"claim", "", "w 1 0 nan 0 0 0 1", "busy_batch must be a whole number from 0, got \"nan\""},
    {"claim", "", "w 1 0 0 1.5 0 0 1", "prefetch must be a whole number from 0, got \"1.5\""},
    {"claim", "", "w 1 0 0 0 1e99 0 1", "turn must be a whole number from 0, got \"1e99\""},
    {"claim", "", "w 1 0 0 0 0 ~ 1", "reclaim must be a whole number from 0, got \"\""},
    {"claim", "", "w 1 0 0 0 0 3 1", "reclaim must be 0, 1 or 2, got 3"},
    {"claim", "", "w 1 0 0 0 0 0 0", "lease_ms must be a whole number from 1, got \"0\""},
    {"claim", "", "w 1 0 0 0 0 0 1 1-0", BAD_REF "\"1-0\""},
    {"claim", "", "w 1 0 0 0 0 0 1 ix", BAD_ID},
    {"beat", "worker:w", "", BAD_WORKER "\"nil\""},
    {"beat", "worker:w", "w 0 W", "ttl_ms must be a whole number from 1, got \"0\""},
    {"beat", "", "w 1 W", "expected at least 11 keys, got 10"},
    {"beat", "worker:w", "w 1", "expected 3 arguments and then 0 to 1000 times 4, got 2"},
    {"beat", "worker:w", "w 1 W i1-0 1 1", "expected 3 arguments and then 0 to 1000 times 4, got"},
    {"beat", "worker:w", "w 1 W x1-0 1 1 P", BAD_REF "\"x1-0\""},
    {"beat", "worker:w", "w 1 W i1-0-0 1 1 P", BAD_ID},
    {"beat", "worker:w", "w 1 W i1-0 x 1 P", BAD_ATTEMPT "\"x\""},
    {"complete", "", "w", "expected 1 arguments and then 1 to 1000 times 4, got 1"},
    {"complete", "result:a", "w i1-0 1,0,k:ok,1 R", "expected 1 arguments and then 1 to 1000"},
    {"complete", "", "w i1-0 1,0,k:ok,1 R ~", "expected at least 11 keys, got 10"},
    {"complete", "result:a", "w 1-0 1,0,k:ok,1 R ~", BAD_REF "\"1-0\""},
    {"complete", "result:a", "w i$ 1,0,k:ok,1 R ~", BAD_ID},
    {"complete", "result:a", "w i1-0 1,11,k:ok,1 R ~", "an effect names key \"11\" of 11"},
    {"complete", "result:a", "w i1-0 1,12,k:ok,1 R ~", "an effect names key \"12\" of 11"},
    {"complete", "result:a", "w i1-0 1,x,k:ok,1 R ~", "an effect names key \"nil\" of 11"},
    {"complete", "result:a", "w i1-0 x,0,k:ok,1 R ~", BAD_ATTEMPT "\"x\""},
    {"complete", "result:a", "w i1-0 1,0,k:ok R ~", BAD_ABOUT "\"1,0,k:ok\""},
    {"complete", "result:a", "w i1-0 1,0,,1 R ~", BAD_ABOUT "\"1,0,,1\""},
    {"complete", "result:a", "w i1-0 1,0,k:ok,-1 R ~", BAD_ABOUT "\"1,0,k:ok,-1\""},
    {"complete", "result:a", "w i1-0 ~ R ~", BAD_ABOUT "\"\""},
    {"complete", "result:a", "w i1-0 0,0,k:ok,1 R ~", BAD_ATTEMPT "\"0\""},
    {"release", "", "w i1-0 1.5", BAD_ATTEMPT "\"1.5\""},
    {"release", "", "w i1-0", "expected 1 arguments and then 0 to 1000 times 2, got 2"},
    {"release", "", "w b 1", BAD_ID},
    {"leave", "", "w", "expected at least 11 keys, got 10"},
    {"leave", "worker:w", "a:b", BAD_WORKER "\"a:b\""},
    {"touch", "", "", "expected at least 11 keys, got 10"},
    {"find", "", "a", "expected at least 11 keys, got 10"},
    {"find", "result:a", "", "expected the id or the ref of a job, got \"nil\""},
    {"cancel", "result:a", "$2", "expected the id or the ref of a job, got \"a?b\""},
    {"cancel", "", "a", "expected at least 11 keys, got 10"},
    {"bury", "", "i1-0 why ~", "expected ref, reason, worker and attempt, got 3 arguments"},
    {"bury", "", "1-0 why ~ 0", BAD_REF "\"1-0\""},
    {"bury", "", "i1 why ~ 0", BAD_REF "\"i1\""},
    {"bury", "", "i1-0 why a:b 0", BAD_WORKER "\"a:b\""},
    {"requeue", "", "", "expected 0 arguments and then 1 to 1000 times 1, got 0"},
    {"purge", "", "", "expected 0 arguments and then 1 to 1000 times 1, got 0"},
    {"purge", "", "1-0 all", "a dead letter is named by its entry id or all, got \"all\""},
};

#define BAD_CALLS ((int)(sizeof bad_calls / sizeof bad_calls[0]))

/* Each is refused, with nothing changed: not even groups are made. */
START_TEST(bad_call_is_refused) {
    char longest[66];
    memset(longest, 'x', 65);
    calls_set_job(1, "a", NULL, NULL, NULL);
    calls_set(2, "a\nb", 3);
    calls_set(3, longest, 65);
    calls_set(4, "\x82\xa1v\x01\xa1x\x81\xa2id\xa1n", 12); /* {v: 1, x: {id: "n"}} */
    calls_set(5,
              "\x83\xa1v\x01\xa2id\xa1"
              "a\xa2id\xa1"
              "b",
              14); /* {v: 1, id: "a", id: "b"} */
    calls_want("XADD #jobs:interactive 1-0 job J", "1-0");
    calls_want("XGROUP CREATE #jobs:interactive workers 0", "OK");
    const char *got =
        calls_function(bad_calls[_i].function, bad_calls[_i].keys, bad_calls[_i].args);
    ck_assert_msg(strncmp(got, "!ERR ", 5) == 0 && strstr(got, bad_calls[_i].error), "%s", got);
    calls_want("KEYS *", "flock:{main}:jobs:interactive");
    calls_want("XPENDING #jobs:interactive workers", "0 nil nil nil");
    calls_want("XLEN #jobs:interactive", "1");
}
END_TEST

START_TEST(bad_keys_are_refused) {
    static const char *const function[] = {"enqueue", "claim", "beat",   "complete",
                                           "release", "leave", "cancel", "bury",
                                           "requeue", "purge", "find",   "status"};
    for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "FCALL susurration_v1_%s 1 #jobs:interactive a", function[i]);
        const char *got = calls_command(line);
        ck_assert_msg(strncmp(got, "!ERR expected at least 10 keys, got 1 ", 38) == 0, "%s", got);
    }
}
END_TEST

/* --- jobs ---------------------------------------------------------------------------------------
 */

/*
 * A job nobody should read is cancelled by its ref, so that Redis answers it. The answer must be a
 * legal result, under the id that the worker's decoder would have used, of the same kind, and go to
 * the same reply list.
 */
static void bad_answered(const void *bytes, size_t size) {
    struct job job;
    struct fault fault;
    struct result result;
    int decoded = wire_decode_job(bytes, size, "1-0", &job, &fault);
    calls_want("FLUSHALL", "OK");
    calls_set(1, bytes, size);
    calls_want("XADD #jobs:batch 1-0 job $1", "1-0");
    calls_expect("cancel", "result:b1-0", "b1-0", "cancelled");
    redisReply *reply = redisCommand(calls_redis(), "GET flock:{main}:result:%s", job.id);
    ck_assert_msg(reply && reply->type == REDIS_REPLY_STRING, "no result for %s", job.id);
    ck_assert_int_eq(wire_decode_result(reply->str, (size_t)reply->len, &result), 0);
    ck_assert_int_eq(result.status, RESULT_CANCELLED);
    if (decoded == 0) {
        ck_assert_int_eq(result.kind, job.kind);
        ck_assert_str_eq(result.traceparent, job.traceparent);
    }
    if (job.reply_to[0] != '\0') {
        char line[128];
        snprintf(line, sizeof line, "LLEN #reply:%s", job.reply_to);
        calls_want(line, "1");
    } else {
        calls_want("KEYS *:reply:*", "");
    }
    freeReplyObject(reply);
    result_release(&result);
    job_release(&job);
}

/* Those the decoder is tested with, a million levels of nesting among them. */
START_TEST(bad_job_is_answered) {
    struct mem_buffer job = {0};
    message_from_json(bad_jobs[_i].json, &job);
    bad_answered(job.data, job.size);
    mem_buffer_release(&job);
}
END_TEST

/* Where two readers could easily differ. */
static const char *const bad_doubts[] = {
    "{'$raw':'82a26964a161a26964a162'}", /* an id twice */
    "{'$raw':'82a26964a161a2696407'}",
    "{'$raw':'82a269640ba26964a162'}",
    "{'$raw':'82a87265706c795f746fa172a87265706c795f746fa173'}",
    "{'id':'a','x':{'$nest':'7'}}",
    "{'id':'a','x':{'$nest':'8'}}",
    "{'$raw':'81c402'}",
    "{'$raw':'81c4026964a161'}",   /* the key as bin */
    "{'$raw':'81d9026964d90161'}", /* longer than it need be */
    "{'$raw':'df00000001db000000026964db0000000161'}",
    "{'$raw':'de0001da00026964c40161'}", /* the id as bin */
    "{'id':'a','x':{'$raw':'c1'}}",
    "{'id':'a','x':{'$raw':'d40100'}}",
    "{'id':'a','x':{'$raw':'c7000100'}}",
    "{'$raw':'81a26964a16100'}", /* a byte behind */
    "{'$raw':'80'}",
    "{'id':null,'reply_to':'r'}",
    "{'x':{'id':'inner'},'reply_to':'r'}",
    "{'x':['id','inner'],'reply_to':'r'}",
    "{'id':'a','reply_to':'r','traceparent':'a b'}",
};

START_TEST(bad_doubt_is_read_alike) {
    struct mem_buffer job = {0};
    message_from_json(bad_doubts[_i], &job);
    bad_answered(job.data, job.size);
    mem_buffer_release(&job);
}
END_TEST

/* All four texts that are read; truncated at every byte, and every byte changed. */
static size_t bad_seed(char out[256]) {
    struct mem_buffer job = {0};
    message_from_json("{'v':1,'kind':'verify','seed':42,'at_tick':1,'id':'abc','reply_to':'r',"
                      "'traceparent':'00-1','params':{'birds':10},'changes':[],'store':false}",
                      &job);
    size_t size = job.size;
    ck_assert_uint_le(size, 256);
    memcpy(out, job.data, size);
    mem_buffer_release(&job);
    return size;
}

START_TEST(bad_job_truncated_is_answered) {
    char job[256];
    size_t size = bad_seed(job);
    for (size_t end = 0; end <= size; end++)
        bad_answered(job, end);
}
END_TEST

START_TEST(bad_job_changed_is_answered) {
    char job[256];
    size_t size = bad_seed(job);
    unsigned random = 1;
    for (int i = 0; i < 1000; i++) {
        char copy[256];
        memcpy(copy, job, size);
        for (int change = 0; change <= i % 3; change++) {
            random = random * 1664525u + 1013904223u;
            copy[(random >> 8) % size] = (char)(random >> 24);
        }
        bad_answered(copy, size);
    }
}
END_TEST

/* A megabyte each of what grows, nests or promises most. */
static const struct {
    const char *unit;
    size_t size;
} bad_bombs[] = {
    {"\x91", 1},
    {"\x81", 1},
    {"\x9f", 1},
    {"\x8f", 1},
    {"\xdd\xff\xff\xff\xff", 5},
    {"\xc1", 1},
    {"\xdf\xff\xff\xff\xff", 5},
    {"\xdb\xff\xff\xff\xff", 5},
    {"\xc7\xff", 2},
    {"\x01", 1},
    {"\xa1"
     "a",
     2},
};

START_TEST(bad_bomb_is_answered) {
    enum { MEGABYTE = 1 << 20 };
    static char bomb[MEGABYTE];
    for (size_t at = 0; at + bad_bombs[_i].size <= MEGABYTE; at += bad_bombs[_i].size)
        memcpy(bomb + at, bad_bombs[_i].unit, bad_bombs[_i].size);
    bad_answered(bomb, MEGABYTE);
    memcpy(bomb, "\x82\xa2id\xa1j\xa1x", 8); /* a map, an id, and then the bomb as a value */
    bad_answered(bomb, MEGABYTE);
    memcpy(bomb, "\xdf\x00\x0f\x00\x00", 5); /* the bomb as keys and values of a large map */
    bad_answered(bomb, MEGABYTE);
    calls_want("PING", "PONG");
}
END_TEST

START_TEST(bad_job_is_buried_all_the_same) {
    struct result result;
    calls_set(1, "\x82\xa2id\xdf\xff\xff\xff\xff", 9);
    calls_want("XADD #jobs:interactive 1-0 job $1", "1-0");
    calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 *");
    calls_want("HSET #config max_lost 1", "1");
    calls_age("i1-0", "w1");
    calls_expect("claim", "", "w2 1 0 0 0 0 1 15000", "* 0 []");
    redisReply *reply = redisCommand(calls_redis(), "GET flock:{main}:result:1-0");
    ck_assert(reply && reply->type == REDIS_REPLY_STRING);
    ck_assert_int_eq(wire_decode_result(reply->str, (size_t)reply->len, &result), 0);
    ck_assert_int_eq(result.fault.code, FAULT_WORKER_LOST);
    ck_assert_int_eq(result.kind, JOB_KINDS);
    freeReplyObject(reply);
    calls_want("XLEN #dead", "1");
    const char *entry = calls_command("XRANGE #dead - +");
    char id[64];
    ck_assert_int_eq(sscanf(entry, "[%63s", id), 1);
    calls_expect("requeue", "", id, "queued i*");
    calls_expect("claim", "", "w2 1 0 0 0 0 0 15000", "* 0 [] i* 1 0 *");
}
END_TEST

/* The other keys of a queue, of another type: an error, and the job is still there. */
START_TEST(bad_types_of_keys_lose_nothing) {
    static const char *const key[] = {"config", "running", "cancelled", "workers",
                                      "dead",   "stats",   "ids",       "traces"};
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        char line[128];
        calls_want("FLUSHALL", "OK");
        calls_set_job(1, "a", "verify", "r", NULL);
        calls_want("XADD #jobs:interactive 1-0 job $1", "1-0");
        calls_expect("claim", "", "w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 *");
        snprintf(line, sizeof line, "SET #%s text", key[i]);
        calls_want(line, "OK");
        calls_function("complete", "result:a reply:r", "w1 i1-0 1,12,verify:ok,1 R ~");
        snprintf(line, sizeof line, "DEL #%s", key[i]);
        calls_want(line, "1");
        /* Whoever asks again, as a worker does, gets it done. */
        const char *again =
            calls_function("complete", "result:a reply:r", "w1 i1-0 1,12,verify:ok,1 R ~");
        ck_assert_msg(again[0] != '!', "%s: %s", key[i], again);
        calls_want("GET #result:a", "R");
        calls_want("XLEN #jobs:interactive", "0");
    }
}
END_TEST

static void bad_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_loop_test(tests, bad_call_is_refused, 0, BAD_CALLS);
    tcase_add_test(tests, bad_keys_are_refused);
    tcase_add_loop_test(tests, bad_job_is_answered, 0, (int)bad_job_count);
    tcase_add_loop_test(tests, bad_doubt_is_read_alike, 0,
                        (int)(sizeof bad_doubts / sizeof bad_doubts[0]));
    tcase_add_test(tests, bad_job_truncated_is_answered);
    tcase_add_test(tests, bad_job_changed_is_answered);
    tcase_add_loop_test(tests, bad_bomb_is_answered, 0,
                        (int)(sizeof bad_bombs / sizeof bad_bombs[0]));
    tcase_add_test(tests, bad_job_is_buried_all_the_same);
    tcase_add_test(tests, bad_types_of_keys_lose_nothing);
}

int main(void) {
    return suite_run("functions_bad", bad_tests, 60);
}
