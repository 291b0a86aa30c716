/* SPDX-License-Identifier: MIT */
/*
 * Who gets which entry, in which order, and how. Entries are added by plain XADD under ids of our
 * choice; the arguments of claim are: worker, slots, busy interactive, busy batch, prefetch, turn,
 * reclaim, lease ms, adopted refs; it replies: server ms, paused, verdicts, and four for each
 * entry.
 */
#include "calls.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void claim_add(const char *refs) {
    char copy[256], line[256];
    snprintf(copy, sizeof copy, "%s", refs);
    for (char *rest = copy, *ref; (ref = strsep(&rest, " "));) {
        snprintf(line, sizeof line, "XADD #jobs:%s %s job J",
                 ref[0] == 'i' ? "interactive" : "batch", ref + 1);
        calls_want(line, ref + 1);
    }
}

#define claim_expect(args, want) calls_expect("claim", "", args, want)

START_TEST(claim_gives_interactive_first) {
    claim_add("b1-0 b2-0 i1-0");
    claim_expect("w1 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J b1-0 1 0 J");
    claim_expect("w1 2 1 1 0 0 0 15000", "* 0 []");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
    ck_assert_str_eq(calls_pending("b1-0"), "w1 1");
    ck_assert_str_eq(calls_pending("b2-0"), "");
}
END_TEST

START_TEST(claim_gives_the_free_places_only) {
    claim_add("i1-0 i2-0 i3-0");
    claim_expect("w1 3 1 1 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    claim_expect("w1 3 2 1 0 0 0 15000", "* 0 []");
    claim_expect("w1 0 0 0 0 0 0 15000", "* 0 []");
    claim_expect("w1 3 5 5 0 0 0 15000", "* 0 []");
}
END_TEST

START_TEST(claim_every_eighth_prefers_batch) {
    claim_add("i1-0 i2-0 i3-0 b1-0 b2-0 b3-0");
    claim_expect("w1 1 0 0 0 6 0 15000", "* 0 [] i1-0 1 0 J");
    claim_expect("w1 2 0 0 0 8 0 15000", "* 0 [] i2-0 1 0 J i3-0 1 0 J");
    claim_expect("w1 2 0 0 0 7 0 15000", "* 0 [] b1-0 1 0 J b2-0 1 0 J");
    claim_expect("w1 2 0 0 0 15 0 15000", "* 0 [] b3-0 1 0 J");
}
END_TEST

/* One slot and more interactive work than it can do: batch gets its turn, and then interactive goes
 * on beside it. */
START_TEST(claim_one_slot_starves_nobody) {
    claim_add("i1-0 i2-0 b1-0 b2-0");
    claim_expect("w1 1 0 0 0 7 0 15000", "* 0 [] b1-0 1 0 J i1-0 1 0 J");
    claim_expect("w1 1 1 1 0 0 0 15000", "* 0 []");
    claim_expect("w1 1 0 1 0 0 0 15000", "* 0 [] i2-0 1 0 J");
}
END_TEST

START_TEST(claim_extra_place_is_for_interactive) {
    claim_add("b1-0 b2-0 b3-0");
    claim_expect("w1 2 0 0 0 0 0 15000", "* 0 [] b1-0 1 0 J b2-0 1 0 J");
    claim_expect("w1 2 0 2 0 0 0 15000", "* 0 []");
    claim_add("i1-0 i2-0");
    claim_expect("w1 2 0 2 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    claim_expect("w1 2 1 2 0 0 0 15000", "* 0 []");
    claim_expect("w1 2 1 1 0 0 0 15000", "* 0 []"); /* two places, both taken, not both by batch */
}
END_TEST

START_TEST(claim_prefetches_beyond_the_places) {
    claim_add("i1-0 b1-0 i2-0 b2-0 b3-0");
    claim_expect("w1 1 0 0 3 0 0 15000", "* 0 [] i1-0 1 0 J i2-0 1 1 J b1-0 1 1 J b2-0 1 1 J");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1");
    ck_assert_str_eq(calls_pending("i2-0"), "w1:next 1");
    claim_expect("w1 1 1 0 0 0 0 15000", "* 0 []");
    claim_expect("w1 1 1 0 9 0 0 15000", "* 0 [] b3-0 1 1 J");
}
END_TEST

START_TEST(claim_prefetch_keeps_the_order_of_the_turn) {
    claim_add("i1-0 b1-0 b2-0");
    claim_expect("w1 1 1 0 2 7 0 15000", "* 0 [] b1-0 1 1 J b2-0 1 1 J");
}
END_TEST

START_TEST(claim_released_then_expired_then_fresh) {
    claim_add("i1-0 i2-0 b1-0 b2-0");
    claim_expect("w1 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J i2-0 1 0 J");
    claim_expect("w1 2 0 0 2 0 0 15000", "* 0 [] b1-0 1 0 J b2-0 1 0 J");
    calls_expect("release", "", "w1 b1-0 1", "ok");
    calls_expect("release", "", "w1 i2-0 1", "ok");
    calls_age("b2-0", "w3:next"); /* expired, not started */
    claim_add("i3-0");
    claim_expect("w2 9 0 0 0 0 1 15000", "* 0 [] i2-0 1 0 J b1-0 1 0 J b2-0 1 0 J i3-0 1 0 J");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 1"); /* its lease runs */
}
END_TEST

START_TEST(claim_expired_only_on_reclaim) {
    claim_add("i1-0");
    claim_expect("w1 1 0 0 1 0 0 15000", "* 0 [] i1-0 1 0 J");
    calls_age("i1-0", "w1");
    claim_expect("w2 1 0 0 1 0 0 15000", "* 0 []");
    claim_expect("w2 1 1 0 1 0 1 15000", "* 0 []"); /* and only into a free place */
    claim_expect("w2 1 0 0 1 0 1 120000", "* 0 []");
    claim_expect("w2 1 0 0 1 0 1 15000", "* 0 [] i1-0 2 2 J");
    calls_want("HGET #stats reclaimed", "1");
}
END_TEST

/* A worker takes over its own jobs only when it says so: it may still run them. */
START_TEST(claim_own_only_when_told) {
    claim_add("i1-0 b1-0 i2-0");
    claim_expect("w1 3 0 0 0 7 0 15000", "* 0 [] b1-0 1 0 J i1-0 1 0 J i2-0 1 0 J");
    calls_age("i1-0", "w1");
    calls_age("b1-0", "w1:next");
    calls_age("i2-0", "w2");
    claim_expect("w1 3 0 0 0 0 1 15000", "* 0 [] i2-0 2 2 J");
    calls_age("i2-0", "w2");
    claim_expect("w1 1 0 0 0 0 2 15000", "* 0 [] i1-0 2 2 J");
}
END_TEST

/* A released batch job must not keep the extra place from an interactive one. */
START_TEST(claim_released_batch_waits_for_a_place) {
    claim_add("b1-0 i1-0");
    claim_expect("w1 2 1 0 0 7 0 15000", "* 0 [] b1-0 1 0 J");
    calls_expect("release", "", "w1 b1-0 1", "ok");
    claim_expect("w1 2 0 2 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    claim_expect("w1 2 1 0 0 0 0 15000", "* 0 [] b1-0 1 0 J");
}
END_TEST

/* Fifteen innocents and one that kills its worker, all lost together. */
START_TEST(claim_suspects_run_alone) {
    char line[64], want[96];
    for (int i = 1; i <= 16; i++) {
        snprintf(line, sizeof line, "i%d-0", i);
        claim_add(line);
    }
    ck_assert_str_ne(calls_function("claim", "", "w0 16 0 0 0 0 0 15000"), "");
    for (int i = 1; i <= 16; i++) {
        snprintf(line, sizeof line, "i%d-0", i);
        calls_age(line, "w0");
    }
    claim_add("i17-0");
    for (int i = 1; i <= 16; i++) {
        snprintf(want, sizeof want, "* 0 [] i%d-0 2 2 J", i);
        claim_expect("w1 4 0 0 4 0 1 15000", want); /* nothing beside it */
        snprintf(line, sizeof line, "w1 5000 W i%d-0 2 1 P", i);
        calls_expect("beat", "worker:w1", line, "*");
        snprintf(line, sizeof line, "i%d-0", i);
        ck_assert_str_eq(calls_pending(line), "w1 2");
        if (i == 8)
            continue; /* the poison: w1 dies with it each time */
        snprintf(line, sizeof line, "w1 i%d-0 2,0,verify:ok,1 R ~", i);
        snprintf(want, sizeof want, "result:%d-0", i);
        calls_expect("complete", want, line, "ok");
    }
    calls_age("i8-0", "w1");
    claim_expect("w2 4 0 0 0 0 1 15000", "* 0 [] i8-0 3 2 J");
    calls_expect("beat", "worker:w2", "w2 5000 W i8-0 3 1 P", "*");
    calls_age("i8-0", "w2");
    claim_expect("w3 4 0 0 0 0 1 15000", "* 0 [] i17-0 1 0 J");
    calls_want("XLEN #dead", "1");
    calls_want("HGET #stats buried", "1");
    ck_assert_str_eq(calls_pending("i8-0"), "");
}
END_TEST

START_TEST(claim_next_that_was_lost_is_no_suspect) {
    claim_add("i1-0");
    claim_expect("w1 1 1 0 1 0 0 15000", "* 0 [] i1-0 1 1 J");
    for (int i = 0; i < 5; i++) {
        calls_age("i1-0", "w1:next");
        claim_expect("w2 1 0 0 0 0 1 15000", "* 0 [] i1-0 1 0 J");
        calls_expect("release", "", "w2 i1-0 1", "ok");
        claim_expect("w1 1 0 0 1 0 0 15000", "* 0 [] i1-0 1 0 J");
    }
}
END_TEST

/* A suspect is held as next until its start is told, so the death of who waits with it is no loss.
 */
START_TEST(claim_suspect_not_started_does_not_count) {
    claim_add("i1-0");
    claim_expect("w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    calls_age("i1-0", "w1");
    for (int i = 0; i < 5; i++) {
        claim_expect("w2 1 0 0 0 0 2 15000", "* 0 [] i1-0 2 2 J");
        ck_assert_str_eq(calls_pending("i1-0"), "w2:next 2");
        calls_age("i1-0", "w2:next");
    }
}
END_TEST

START_TEST(claim_paused_gives_nothing) {
    claim_add("i1-0 i2-0 i3-0");
    claim_expect("w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J");
    calls_age("i1-0", "w1");
    claim_expect("w1 1 0 0 0 0 0 15000", "* 0 [] i2-0 1 0 J");
    calls_expect("release", "", "w1 i2-0 1", "ok");
    calls_want("HSET #config paused 1", "1");
    claim_expect("w2 4 0 0 4 0 1 15000", "* 1 []");
    calls_expect("complete", "result:1-0", "w1 i1-0 1,0,verify:ok,1 R ~", "ok");
    calls_want("HSET #config paused 0", "0");
    claim_expect("w2 4 0 0 4 0 1 15000", "* 0 [] i2-0 1 0 J i3-0 1 0 J");
}
END_TEST

/* --- adopting what a blocking XREADGROUP gave --------------------------------------------------
 */

#define CLAIM_READ "XREADGROUP GROUP workers w1 COUNT 1 STREAMS #jobs:interactive #jobs:batch > >"

static void claim_read(const char *refs) {
    calls_expect("claim", "", "w1 2 0 0 0 0 0 15000", "* 0 []"); /* makes the groups */
    claim_add(refs);
    ck_assert_str_ne(calls_command(CLAIM_READ), "nil");
}

START_TEST(claim_adopts) {
    claim_read("i1-0 i2-0 b1-0 b2-0");
    claim_expect("w1 3 0 0 0 0 0 15000 i1-0 b1-0", "* 0 [run run] i2-0 1 0 J");
    ck_assert_str_eq(calls_pending("b1-0"), "w1 1");
}
END_TEST

START_TEST(claim_adopts_nothing_while_paused) {
    claim_read("i1-0 b1-0");
    calls_want("HSET #config paused 1", "1");
    claim_expect("w1 2 0 0 0 0 0 15000 i1-0 b1-0", "* 1 [paused paused]");
    ck_assert_str_eq(calls_pending("i1-0"), "released 0");
    calls_want("HDEL #config paused", "1");
    claim_expect("w2 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J b1-0 1 0 J");
}
END_TEST

START_TEST(claim_adopts_no_cancelled_and_no_lost_ones) {
    claim_read("i1-0 b1-0 b2-0");
    calls_expect("cancel", "result:i1-0", "i1-0", "cancelling");
    calls_age("b1-0", "w2");
    claim_expect("w1 2 0 0 0 0 0 15000 i1-0 b1-0 b2-0", "* 0 [cancelled lost lost] b2-0 1 0 J");
    calls_want("EXISTS #result:1-0 #cancelled", "1");
    ck_assert_str_eq(calls_pending("i1-0"), "");
}
END_TEST

/* What it read was lost to w2, and came back to it as a suspect: that is another attempt. */
START_TEST(claim_adopts_its_own_first_attempt_only) {
    claim_read("i1-0");
    calls_age("i1-0", "w1");
    claim_expect("w2 1 0 0 0 0 1 15000", "* 0 [] i1-0 2 2 J");
    calls_expect("release", "", "w2 i1-0 2", "ok");
    claim_expect("w1 1 0 0 0 0 0 15000", "* 0 [] i1-0 2 2 J");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 2 1 P", "*");
    claim_expect("w1 1 1 0 0 0 0 15000 i1-0", "* 0 [lost]");
    ck_assert_str_eq(calls_pending("i1-0"), "w1 2");
}
END_TEST

/* --- what operators do by hand ------------------------------------------------------------------
 */

START_TEST(claim_survives_entries_removed_by_hand) {
    claim_add("i1-0 i2-0 i3-0 i4-0");
    claim_expect("w1 3 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 J i2-0 1 0 J i3-0 1 0 J");
    calls_expect("beat", "worker:w1", "w1 5000 W i2-0 1 1 P", "*");
    calls_expect("release", "", "w1 i1-0 1", "ok");
    calls_age("i2-0", "w1");
    calls_want("XDEL #jobs:interactive 1-0 2-0 3-0", "3");
    calls_expect("beat", "worker:w1", "w1 5000 W i3-0 1 1 P", "*"); /* renewing clears it */
    calls_expect("beat", "worker:w1", "w1 5000 W i3-0 1 1 P", "* i3-0 lost");
    claim_expect("w2 9 0 0 0 0 1 15000", "* 0 [] i4-0 1 0 J");
    calls_want("XPENDING #jobs:interactive workers", "1 4-0 4-0 [[w2 1]]");
}
END_TEST

START_TEST(claim_makes_the_groups_again) {
    claim_add("i1-0 b1-0");
    claim_expect("w1 9 0 0 0 0 1 15000", "* 0 [] i1-0 1 0 J b1-0 1 0 J");
    calls_want("XGROUP DESTROY #jobs:interactive workers", "1");
    calls_want("DEL #jobs:batch", "1");
    calls_expect("beat", "worker:w1", "w1 5000 W i1-0 1 1 P b1-0 1 1 P", "* i1-0 lost b1-0 lost");
    calls_expect("complete", "result:b", "w1 b1-0 1,0,verify:ok,1 R ~", "lost");
    claim_expect("w1 9 0 0 0 0 1 15000", "* 0 [] i1-0 1 0 J");
}
END_TEST

START_TEST(claim_gives_entries_without_a_job) {
    calls_want("XADD #jobs:interactive 1-0 bird 1", "1-0");
    calls_want("XADD #jobs:interactive 2-0 a 1 job J", "2-0");
    claim_expect("w1 2 0 0 0 0 0 15000", "* 0 [] i1-0 1 0 nil i2-0 1 0 J");
    calls_age("i1-0", "w1");
    claim_expect("w1 1 0 0 0 0 2 15000", "* 0 [] i1-0 2 2 nil");
}
END_TEST

/* However many are free: 32 at a time, until they are more than a megabyte together. */
START_TEST(claim_replies_do_not_grow_big) {
    enum { BYTES = 100000, JOBS = 100 };
    static char job[BYTES];
    static const char fill[] =
        "for i=1,100 do redis.call('XADD',KEYS[1],i..'-0','job',ARGV[1]) end";
    memset(job, 'J', sizeof job);
    calls_set(1, fill, sizeof fill - 1);
    calls_set(2, job, sizeof job);
    calls_want("EVAL $1 1 #jobs:batch $2", "nil");
    (void)calls_function("claim", "", "w1 80 0 0 64 0 0 15000");
    calls_want("XPENDING #jobs:batch workers", "32 1-0 32-0 [[w1 32]]");
    (void)calls_function("claim", "", "w2 10 0 0 64 0 0 15000"); /* 10 are not a megabyte yet */
    calls_want("XPENDING #jobs:batch workers", "74 1-0 74-0 [[w1 32] [w2 10] [w2:next 32]]");
    (void)calls_function("claim", "", "w1 80 0 32 0 0 0 15000");
    calls_want("XPENDING #jobs:batch workers", "100 1-0 100-0 [[w1 58] [w2 10] [w2:next 32]]");
}
END_TEST

/* Nobody is asked to read it, neither when it is fresh nor when a worker handed it back unread. */
START_TEST(claim_answers_what_is_too_big) {
    static char job[16777217];
    memcpy(job,
           "\x83\xa2id\xa3"
           "big\xa8reply_to\xa1r\xa1x\xc6\x00\xff\xff\xe7",
           26);
    calls_set(1, job, sizeof job);
    calls_want("XADD #jobs:batch 7-0 job $1", "7-0");
    calls_want("XADD #jobs:batch 8-0 job J", "8-0");
    claim_expect("w1 2 0 0 0 0 0 15000", "* 0 [] b8-0 1 0 J");
    calls_want("EXISTS #result:big", "1");
    calls_want("LLEN #reply:r", "1");
    calls_want("HGET #stats rejected", "1");

    calls_want("DEL #result:big", "1");
    calls_want("XADD #jobs:batch 9-0 job $1", "9-0");
    calls_command("XREADGROUP GROUP workers w1 COUNT 1 STREAMS #jobs:batch >");
    calls_expect("release", "", "w1 b9-0 1", "ok");
    claim_expect("w1 2 0 1 0 0 0 15000", "* 0 []");
    calls_want("EXISTS #result:big", "1");
    calls_want("XLEN #jobs:batch", "1");
}
END_TEST

/* Ids are 64-bit halves, more than a Lua number holds. */
START_TEST(claim_keeps_large_ids) {
    claim_add("i9007199254740993-18446744073709551615");
    claim_expect("w1 1 0 0 0 0 0 15000", "* 0 [] i9007199254740993-18446744073709551615 1 0 J");
    calls_age("i9007199254740993-18446744073709551615", "w1");
    claim_expect("w2 1 0 0 0 0 1 15000", "* 0 [] i9007199254740993-18446744073709551615 2 2 J");
}
END_TEST

static void claim_tests(TCase *tests) {
    calls_fixture(tests);
    tcase_add_test(tests, claim_gives_interactive_first);
    tcase_add_test(tests, claim_gives_the_free_places_only);
    tcase_add_test(tests, claim_every_eighth_prefers_batch);
    tcase_add_test(tests, claim_one_slot_starves_nobody);
    tcase_add_test(tests, claim_extra_place_is_for_interactive);
    tcase_add_test(tests, claim_prefetches_beyond_the_places);
    tcase_add_test(tests, claim_prefetch_keeps_the_order_of_the_turn);
    tcase_add_test(tests, claim_released_then_expired_then_fresh);
    tcase_add_test(tests, claim_expired_only_on_reclaim);
    tcase_add_test(tests, claim_own_only_when_told);
    tcase_add_test(tests, claim_released_batch_waits_for_a_place);
    tcase_add_test(tests, claim_suspects_run_alone);
    tcase_add_test(tests, claim_next_that_was_lost_is_no_suspect);
    tcase_add_test(tests, claim_suspect_not_started_does_not_count);
    tcase_add_test(tests, claim_paused_gives_nothing);
    tcase_add_test(tests, claim_adopts);
    tcase_add_test(tests, claim_adopts_nothing_while_paused);
    tcase_add_test(tests, claim_adopts_no_cancelled_and_no_lost_ones);
    tcase_add_test(tests, claim_adopts_its_own_first_attempt_only);
    tcase_add_test(tests, claim_survives_entries_removed_by_hand);
    tcase_add_test(tests, claim_makes_the_groups_again);
    tcase_add_test(tests, claim_gives_entries_without_a_job);
    tcase_add_test(tests, claim_answers_what_is_too_big);
    tcase_add_test(tests, claim_replies_do_not_grow_big);
    tcase_add_test(tests, claim_keeps_large_ids);
}

int main(void) {
    return suite_run("functions_claim", claim_tests, 60);
}
