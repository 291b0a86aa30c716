/* SPDX-License-Identifier: MIT */
/*
 * The rights that PROTOCOL.md says a worker's user needs: with them everything works, and without
 * any one of them something does not, so that the list is neither short nor long.
 */
#include "calls.h"
#include "rights.h"
#include "suite.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What came back, without digits: times differ from run to run. */
struct rights_log {
    char text[65536];
    size_t used;
};

static void rights_add(struct rights_log *log, const char *got) {
    for (; *got != '\0' && log->used + 2 < sizeof log->text; got++)
        if (!isdigit((unsigned char)*got))
            log->text[log->used++] = *got;
    log->text[log->used++] = '\n';
    log->text[log->used] = '\0';
}

static const char *rights_ref(const char *id) {
    calls_want("AUTH default x", "OK");
    const char *ref = calls_command(calls_line("HGET #ids %s", id));
    calls_want("AUTH least x", "OK");
    return ref;
}

/* So many at once that they are cut off together. */
static void rights_run_many(struct rights_log *log) {
    calls_want("AUTH default x", "OK");
    calls_command("DEL #jobs:interactive #jobs:batch");
    for (int i = 1; i <= 8; i++)
        calls_command(calls_line("XADD #jobs:batch %d-0 job x", i));
    calls_want("AUTH least x", "OK");
    rights_add(log, calls_function("claim", "", "w1 8 0 0 0 0 0 15000"));
    rights_add(log, calls_function("complete",
                                   "result:1 result:2 result:3 result:4 result:5 result:6 "
                                   "result:7 result:8",
                                   "w1 b1-0 1,0,k:ok,1 R ~ b2-0 1,0,k:ok,1 R ~ "
                                   "b3-0 1,0,k:ok,1 R ~ b4-0 1,0,k:ok,1 R ~ "
                                   "b5-0 1,0,k:ok,1 R ~ b6-0 1,0,k:ok,1 R ~ "
                                   "b7-0 1,0,k:ok,1 R ~ b8-0 1,0,k:ok,1 R ~"));
}

/* Everything that the functions do, once. */
static void rights_run(struct rights_log *log) {
    static const char fill[] = "for i=1,100000 do redis.call('RPUSH',KEYS[1],i) end";
    /* {session: {key 12, expect "", ...}, ring: {key 13, ...}, trace: {key 14, ...}} */
    static const char effects[] = "\x83\xa7session\x85\xa3key\x0c\xa6"
                                  "expect\xa0\xa3rev\xa1"
                                  "1\xa4tick\xa1"
                                  "0\xa4"
                                  "body\xa1"
                                  "B\xa4ring\x82\xa3key\x0d\xa6writes\x92\x00\xa1x"
                                  "\xa5trace\x83\xa3key\x0e\xa2id\xa1t\xa4"
                                  "body\xa1"
                                  "B";
#define RUN(function, keys, args) rights_add(log, calls_function(function, keys, args))
    calls_want("AUTH default x", "OK");
    calls_want("FLUSHALL", "OK");
    calls_set(0, fill, sizeof fill - 1);
    calls_want("EVAL $0 1 #reply:r", "nil");
    calls_want("HSET #config traces_max 1 max_lost 1", "2");
    calls_want("ZADD #traces 1 old", "1");
    calls_want("SET #trace:old x", "OK");
    calls_want("ZADD #workers 1 gone", "1");
    calls_want("XADD #jobs:batch 1-0 job J", "1-0");
    calls_want("AUTH least x", "OK");
    calls_set_job(1, "a", NULL, "r", NULL);
    calls_set_job(2, "b", NULL, NULL, NULL);
    calls_set_job(3, NULL, NULL, NULL, NULL);
    calls_set(4, effects, sizeof effects - 1);
    RUN("enqueue", "result:a result:b", "interactive a $1 b $2 ~ $3");
    RUN("enqueue", "result:a", "interactive a $1");
    RUN("claim", "", "w1 3 0 0 0 0 1 15000");
    RUN("beat", "worker:w1", calls_line("w1 5000 W %s 1 1 P", rights_ref("a")));
    RUN("find", "result:a", "a");
    RUN("complete", "result:a session:s ring:s trace:t reply:r",
        calls_line("w1 %s 1,15,k:ok,20 R $4", rights_ref("a")));
    RUN("touch", "session:s ring:s", "");
    RUN("cancel", "result:b", "b");
    RUN("release", "", calls_line("w1 %s 1", rights_ref("b")));
    RUN("cancel", "result:b", "b");
    RUN("bury", "", "b1-0 why ~ 0");
    RUN("enqueue", "", "batch ~ $3");
    RUN("status", "", "");
    calls_want("AUTH default x", "OK");
    const char *left = calls_command("XRANGE #jobs:interactive - +");
    char id[64] = "0-0";
    sscanf(left, "[%63s", id);
    calls_command(calls_line("XCLAIM #jobs:interactive workers w1 0 %s IDLE 60000 JUSTID", id));
    calls_want("AUTH least x", "OK");
    RUN("claim", "", "w2 1 0 0 0 0 1 15000");
    calls_want("AUTH default x", "OK");
    const char *dead = calls_command("XRANGE #dead - + COUNT 1");
    snprintf(id, sizeof id, "0-0");
    sscanf(dead, "[%63s", id);
    calls_want("AUTH least x", "OK");
    RUN("requeue", "", id);
    RUN("purge", "", "all");
    RUN("purge", "", "1-0");
    rights_run_many(log);
    RUN("leave", "worker:w1", "w1");
    rights_add(log, calls_command("FCALL_RO susurration_v1_version 0"));
    calls_want("AUTH default x", "OK");
    rights_add(log, calls_function("status", "", ""));
    rights_add(log,
               calls_command("EXISTS #result:a #result:b #session:s #ring:s #trace:t #trace:old "
                             "#cancelled #running #worker:w1 #worker:gone"));
    rights_add(log, calls_command("ZRANGE #workers 0 -1"));
    rights_add(log, calls_command("XINFO CONSUMERS #jobs:interactive workers"));
    rights_add(log, calls_command("TTL #reply:r"));
#undef RUN
}

static void rights_give(const struct rights *rights, const char *without) {
    calls_want("AUTH default x", "OK");
    char rules[2048] = "";
    for (int i = 0; i < rights->count; i++)
        if (rights->word[i] != without)
            snprintf(rules + strlen(rules), sizeof rules - strlen(rules), " %s", rights->word[i]);
    calls_want(calls_line("ACL SETUSER least reset on nopass +auth%s", rules), "OK");
}

START_TEST(rights_are_enough_and_needed) {
    static struct rights rights;
    struct rights_log *all = calloc(2, sizeof *all), *one = all + 1;
    ck_assert_ptr_nonnull(all);
    rights_read(&rights);
    ck_assert_int_gt(rights.count, 30);
    rights_give(&rights, NULL);
    rights_run(all);
    ck_assert_msg(!strchr(all->text, '!'), "%s", all->text);
    for (int i = 0; i < rights.count; i++) {
        one->used = 0;
        rights_give(&rights, rights.word[i]);
        rights_run(one);
        ck_assert_msg(strcmp(all->text, one->text) != 0, "%s is not needed:\n%s", rights.word[i],
                      all->text);
    }
    free(all);
}
END_TEST

static void rights_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, rights_are_enough_and_needed);
}

int main(void) {
    return suite_run("functions_rights", rights_tests, 60);
}
