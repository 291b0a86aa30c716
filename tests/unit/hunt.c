/* SPDX-License-Identifier: MIT */
#include "hunt.h"

#include "queue.h"
#include "suite.h"

#define MS INT64_C(1000000)

static struct hunt hunt;
static struct hunt_view view;
static struct hunt_move move;

static void fresh(unsigned slots) {
    hunt_init(&hunt, slots, 64, 3, 1);
    view = (struct hunt_view){.now_ns = 1000 * MS};
}

static void hold(unsigned interactive, unsigned batch) {
    view.active[JOB_INTERACTIVE] = interactive;
    view.active[JOB_BATCH] = batch;
}

static enum hunt_action decide(void) {
    hunt_decide(&hunt, &view, &move);
    return move.action;
}

/* What happens when the queue has nothing at all. */
static void find_nothing(void) {
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
}

START_TEST(hunt_claims_first_and_for_all_places) {
    fresh(3);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    ck_assert_uint_eq(move.wanted, 3);
    ck_assert_uint_eq(move.prefetch, 0);
    ck_assert(move.reclaim);
}
END_TEST

START_TEST(hunt_goes_on_claiming_while_claims_are_full) {
    fresh(3);
    decide();
    hunt_claimed(&hunt, &move, view.now_ns, 3, false);
    hold(0, 3);
    ck_assert_int_eq(decide(), HUNT_CLAIM); /* for the extra thread */
    ck_assert_uint_eq(move.wanted, 1);
    hold(0, 2);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hold(3, 0);
    ck_assert_int_eq(decide(), HUNT_WAIT);
}
END_TEST

START_TEST(hunt_reads_both_lanes_only_with_two_places) {
    static const struct {
        unsigned slots, interactive, batch;
        int reads; /* -1: waits, 1: interactive, 2: both */
    } cases[] = {
        {1, 0, 0, 2}, {1, 1, 0, -1}, {1, 0, 1, 1},  {1, 1, 1, -1}, {2, 0, 0, 2},
        {2, 1, 0, 1}, {2, 0, 1, 2},  {2, 0, 2, 1},  {2, 1, 1, -1}, {4, 1, 1, 2},
        {4, 1, 2, 1}, {4, 0, 3, 2},  {4, 1, 4, -1}, {4, 0, 4, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fresh(cases[i].slots);
        find_nothing();
        hold(cases[i].interactive, cases[i].batch);
        enum hunt_action action = decide();
        int reads = action == HUNT_READ ? 1 + move.lane[JOB_BATCH] : -1;
        ck_assert_msg(reads == cases[i].reads, "case %zu: %d", i, reads);
        ck_assert(action != HUNT_READ || move.lane[JOB_INTERACTIVE]);
    }
}
END_TEST

/* A read does not see what was handed back. */
START_TEST(hunt_claims_after_a_read_that_brought_nothing) {
    fresh(2);
    find_nothing();
    ck_assert_int_eq(decide(), HUNT_READ);
    hunt_read(&hunt);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    ck_assert(!move.reclaim);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
    ck_assert_int_eq(decide(), HUNT_READ);
}
END_TEST

START_TEST(hunt_looks_at_batch_after_a_read_without_it) {
    fresh(2);
    find_nothing();
    hold(1, 0);
    ck_assert_int_eq(decide(), HUNT_READ);
    ck_assert(!move.lane[JOB_BATCH]);
    hunt_read(&hunt);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
    ck_assert_int_eq(decide(), HUNT_READ);
}
END_TEST

START_TEST(hunt_looks_for_lost_jobs_every_third_of_the_lease) {
    fresh(2);
    find_nothing();
    ck_assert_int_eq(decide(), HUNT_READ);
    view.now_ns += 1000 * MS;
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    ck_assert(move.reclaim);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
    ck_assert_int_eq(decide(), HUNT_READ);
    view.now_ns += 499 * MS; /* half of it is fixed */
    ck_assert_int_eq(decide(), HUNT_READ);
}
END_TEST

/* Else an idle worker would take the many jobs of a dead one at one place a second. */
START_TEST(hunt_reads_until_the_next_look_at_lost_jobs) {
    fresh(1);
    decide();
    hunt_claimed(&hunt, &move, view.now_ns, 1, false);
    find_nothing();
    ck_assert(!move.reclaim);
    ck_assert_int_eq(decide(), HUNT_READ);
    ck_assert_uint_ge(move.wait_ms, 20);
    ck_assert_uint_le(move.wait_ms, 21);
    view.now_ns += 20 * MS;
    find_nothing(); /* which is the look */
    ck_assert(move.reclaim);
    decide();
    ck_assert_uint_ge(move.wait_ms, 500); /* a third of the lease, or half of that */
    ck_assert_uint_le(move.wait_ms, 1000);
}
END_TEST

START_TEST(hunt_looks_for_lost_jobs_until_there_are_no_more) {
    fresh(2);
    decide();
    hunt_claimed(&hunt, &move, view.now_ns, 2, false);
    view.now_ns += 20 * MS;
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    ck_assert(move.reclaim);
    hunt_claimed(&hunt, &move, view.now_ns, 1, false);
    view.now_ns += 20 * MS;
    decide();
    ck_assert(!move.reclaim);
}
END_TEST

/* Of what was handed back a claim gives no more than there are places, whatever it asked for. */
START_TEST(hunt_goes_on_claiming_while_places_are_filled) {
    fresh(2);
    hunt_ran(&hunt, 20000);
    decide();
    ck_assert_uint_eq(move.wanted, 66);
    hunt_claimed(&hunt, &move, view.now_ns, 2, false);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hunt_claimed(&hunt, &move, view.now_ns, 1, false);
    ck_assert_int_eq(decide(), HUNT_READ);
    fresh(2); /* no places, only prefetch */
    hunt_ran(&hunt, 20000);
    hold(2, 0);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hunt_claimed(&hunt, &move, view.now_ns, 1, false);
    ck_assert_int_eq(decide(), HUNT_WAIT);
}
END_TEST

START_TEST(hunt_prefetches_short_jobs_only) {
    fresh(2);
    hunt_ran(&hunt, 20000);
    decide();
    ck_assert_uint_eq(move.prefetch, 64);
    ck_assert_uint_eq(move.wanted, 66);
    hunt_claimed(&hunt, &move, view.now_ns, 66, false);
    hold(66, 0);
    ck_assert_int_eq(decide(), HUNT_WAIT);
    hold(35, 0);
    ck_assert_int_eq(decide(), HUNT_WAIT);
    hold(34, 0);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    ck_assert_uint_eq(move.prefetch, 32);

    fresh(2);
    hunt_ran(&hunt, MS / 2);
    decide();
    ck_assert_uint_eq(move.prefetch, 8);
    view.longest_ns = 3 * MS;
    decide();
    ck_assert_uint_eq(move.prefetch, 0);

    fresh(2);
    hunt_ran(&hunt, 3 * MS);
    decide();
    ck_assert_uint_eq(move.prefetch, 0);
}
END_TEST

START_TEST(hunt_yields_behind_a_long_run) {
    fresh(2);
    ck_assert(!hunt_yields(&view));
    view.longest_ns = 100 * MS;
    ck_assert(!hunt_yields(&view));
    view.longest_ns++;
    ck_assert(hunt_yields(&view));
}
END_TEST

START_TEST(hunt_average_follows_both_ways) {
    fresh(1);
    for (int i = 0; i < 100; i++)
        hunt_ran(&hunt, 20000);
    hunt_ran(&hunt, 1000 * MS);
    decide();
    ck_assert_uint_eq(move.prefetch, 0);
    for (int i = 0; i < 100; i++)
        hunt_ran(&hunt, 20000);
    decide();
    ck_assert_uint_gt(move.prefetch, 50);
    for (int i = 0; i < 100; i++)
        hunt_ran(&hunt, 0);
    decide();
    ck_assert_uint_eq(move.prefetch, 64);
}
END_TEST

START_TEST(hunt_rests_while_paused) {
    fresh(2);
    decide();
    hunt_claimed(&hunt, &move, view.now_ns, 0, true);
    ck_assert_int_eq(decide(), HUNT_WAIT);
    ck_assert_int_ge(move.again_ns, view.now_ns + 500 * MS);
    ck_assert_int_le(move.again_ns, view.now_ns + 1000 * MS);
    view.now_ns = move.again_ns;
    ck_assert_int_eq(decide(), HUNT_CLAIM);
}
END_TEST

START_TEST(hunt_backs_off_up_to_five_seconds) {
    fresh(2);
    static const int64_t most[] = {50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        hunt_failed(&hunt, view.now_ns);
        ck_assert_int_eq(decide(), HUNT_WAIT);
        ck_assert_int_ge(move.again_ns - view.now_ns, most[i] * MS / 2);
        ck_assert_int_le(move.again_ns - view.now_ns, most[i] * MS);
        view.now_ns = move.again_ns;
        ck_assert_int_eq(decide(), HUNT_CLAIM);
    }
    hunt_failed(&hunt, view.now_ns);
    ck_assert_int_eq(decide(), HUNT_WAIT);
    hunt_resume(&hunt);
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    hunt_failed(&hunt, view.now_ns);
    decide();
    ck_assert_int_le(move.again_ns - view.now_ns, 50 * MS);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
    hunt_failed(&hunt, view.now_ns);
    decide();
    ck_assert_int_le(move.again_ns - view.now_ns, 50 * MS);
}
END_TEST

START_TEST(hunt_takes_nothing_beside_a_job_that_runs_alone) {
    fresh(4);
    view.alone = true;
    ck_assert_int_eq(decide(), HUNT_WAIT);
}
END_TEST

START_TEST(hunt_takes_nothing_while_results_pile_up) {
    fresh(4);
    view.undelivered = 450;
    ck_assert_int_eq(decide(), HUNT_WAIT);
    view.undelivered = 449;
    ck_assert_int_eq(decide(), HUNT_CLAIM);
    view.undelivered_bytes = 32 << 20;
    ck_assert_int_eq(decide(), HUNT_WAIT);
}
END_TEST

/* With the most slots and the most prefetch. What is not told of would lose its lease. */
START_TEST(hunt_takes_no_more_than_a_beat_can_tell) {
    unsigned most = 0;
    hunt_init(&hunt, 256, 256, 3, 1);
    view = (struct hunt_view){.now_ns = 1000 * MS};
    hunt_ran(&hunt, 1);
    for (; view.undelivered < 2 * QUEUE_JOBS_MAX; view.undelivered++)
        if (decide() == HUNT_CLAIM && view.undelivered + move.wanted > most)
            most = view.undelivered + move.wanted;
    ck_assert_uint_gt(most, 512);
    ck_assert_uint_le(most + 1, QUEUE_JOBS_MAX); /* one interactive beside a full house of batch */
}
END_TEST

START_TEST(hunt_turns_when_a_claim_gave_something) {
    fresh(1);
    decide();
    hunt_claimed(&hunt, &move, view.now_ns, 1, false);
    ck_assert_uint_eq(hunt.turn, 1);
    hunt_claimed(&hunt, &move, view.now_ns, 0, false);
    ck_assert_uint_eq(hunt.turn, 1);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, hunt_claims_first_and_for_all_places);
    tcase_add_test(tests, hunt_goes_on_claiming_while_claims_are_full);
    tcase_add_test(tests, hunt_reads_both_lanes_only_with_two_places);
    tcase_add_test(tests, hunt_claims_after_a_read_that_brought_nothing);
    tcase_add_test(tests, hunt_looks_at_batch_after_a_read_without_it);
    tcase_add_test(tests, hunt_looks_for_lost_jobs_every_third_of_the_lease);
    tcase_add_test(tests, hunt_reads_until_the_next_look_at_lost_jobs);
    tcase_add_test(tests, hunt_looks_for_lost_jobs_until_there_are_no_more);
    tcase_add_test(tests, hunt_goes_on_claiming_while_places_are_filled);
    tcase_add_test(tests, hunt_prefetches_short_jobs_only);
    tcase_add_test(tests, hunt_yields_behind_a_long_run);
    tcase_add_test(tests, hunt_average_follows_both_ways);
    tcase_add_test(tests, hunt_rests_while_paused);
    tcase_add_test(tests, hunt_backs_off_up_to_five_seconds);
    tcase_add_test(tests, hunt_takes_nothing_beside_a_job_that_runs_alone);
    tcase_add_test(tests, hunt_takes_nothing_while_results_pile_up);
    tcase_add_test(tests, hunt_takes_no_more_than_a_beat_can_tell);
    tcase_add_test(tests, hunt_turns_when_a_claim_gave_something);
}

int main(void) {
    return suite_run("hunt", add, 10);
}
