/* SPDX-License-Identifier: MIT */
/* Jobs from struct to result, without a queue: verdicts, budgets, changes, sessions, sweeps, rings.
 */
#include "run.h"

#include "flock.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static struct job claim(uint32_t seed, uint32_t birds, uint32_t at_tick) {
    struct job job;
    job_init(&job, JOB_VERIFY, &flock_model);
    strcpy(job.id, "job-1");
    job.seed = seed;
    job.has_seed = true;
    job.params.value[FLOCK_BIRDS] = birds;
    job.ticks = at_tick;
    return job;
}

static struct result run(const struct job *job, struct run_env env) {
    struct result result;
    env.engine = &engine_reference;
    strcpy(env.fresh_id, "fresh-1");
    run_job(job, &env, &result);
    return result;
}

static struct result run_plain(const struct job *job) {
    return run(job, (struct run_env){0});
}

/* Stops when `limit` ticks of the job are done. */
struct stopper {
    uint64_t limit, asked, total;
    enum run_order order;
};

static enum run_order stop_at(void *context, uint64_t done, uint64_t total) {
    struct stopper *stopper = context;
    stopper->asked++;
    stopper->total = total;
    return done >= stopper->limit ? stopper->order : RUN_ON;
}

static struct result run_stopping(const struct job *job, struct stopper *stopper) {
    return run(job, (struct run_env){.order = stop_at, .context = stopper});
}

START_TEST(verify_without_claimed_numbers) {
    struct job job = claim(42, 20, 30);
    struct result result = run_plain(&job);
    ck_assert_int_eq(result.status, RESULT_OK);
    ck_assert_int_eq(result.verdict, VERDICT_NONE);
    ck_assert_str_eq(result.id, "job-1");
    ck_assert_str_eq(result.trace, "fresh-1");
    ck_assert_uint_eq(result.at_tick, 30);
    ck_assert_ptr_null(result.ring);
    result_release(&result);
}
END_TEST

START_TEST(verify_hash_decides_alone) {
    struct job job = claim(42, 20, 30);
    struct result ours = run_plain(&job);
    job.claimed.has_hash = true;
    job.claimed.state_hash = ours.state_hash;
    job.claimed.has_metrics = true; /* and they are all wrong: 0 */
    struct result result = run_plain(&job);
    ck_assert_int_eq(result.verdict, VERDICT_EXACT);
    job.claimed.state_hash ^= 1;
    job.claimed.metrics = ours.metrics;
    result = run_plain(&job);
    ck_assert_int_eq(result.status, RESULT_OK);
    ck_assert_int_eq(result.verdict, VERDICT_MISMATCH);
    ck_assert_str_eq(result.trace, "");
}
END_TEST

START_TEST(verify_metrics_match_within_a_thousandth) {
    struct job job = claim(42, 20, 200);
    struct result ours = run_plain(&job);
    job.claimed.has_metrics = true;
    job.claimed.metrics = ours.metrics;
    job.claimed.metrics.polarization *= 1.0009;
    ck_assert_int_eq(run_plain(&job).verdict, VERDICT_MATCH);
    job.claimed.metrics.polarization = ours.metrics.polarization * 1.0011;
    ck_assert_int_eq(run_plain(&job).verdict, VERDICT_MISMATCH);
    job.claimed.metrics = ours.metrics;
    job.claimed.metrics.cluster_count++;
    ck_assert_int_eq(run_plain(&job).verdict, VERDICT_MISMATCH);
    job.claimed.metrics = ours.metrics;
    job.claimed.metrics.mean_neighbor_distance = NAN;
    ck_assert_int_eq(run_plain(&job).verdict, VERDICT_MISMATCH);
}
END_TEST

START_TEST(verify_metrics_are_indicative_past_tick_200) {
    struct job job = claim(42, 20, 201);
    job.claimed.has_metrics = true;
    struct result result = run_plain(&job);
    ck_assert_int_eq(result.verdict, VERDICT_INDICATIVE);
    ck_assert_str_eq(result.trace, "fresh-1");
}
END_TEST

START_TEST(verify_stores_nothing_when_told_so) {
    struct job job = claim(42, 20, 1);
    job.store = false;
    ck_assert_str_eq(run_plain(&job).trace, "");
}
END_TEST

START_TEST(verify_checkpoints_are_the_hashes_on_the_way) {
    struct job job = claim(7, 10, 2500);
    struct result longer = run_plain(&job);
    ck_assert_uint_eq(longer.checkpoint_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        job.ticks = (i + 1) * 1000;
        struct result result = run_plain(&job);
        ck_assert_uint_eq(result.state_hash, longer.checkpoint[i]);
        ck_assert_uint_eq(result.checkpoint_count, i + 1);
    }
}
END_TEST

START_TEST(verify_longest_claim_fills_every_checkpoint) {
    struct job job = claim(7, 10, SIM_TICKS_MAX);
    struct result result = run_plain(&job);
    ck_assert_uint_eq(result.checkpoint_count, RESULT_CHECKPOINTS_MAX);
    ck_assert_uint_eq(result.checkpoint[RESULT_CHECKPOINTS_MAX - 1], result.state_hash);
}
END_TEST

START_TEST(verify_ring_holds_the_last_5000_ticks) {
    struct job job = claim(7, 10, 5001);
    job.ring = true;
    struct result result = run_plain(&job);
    ck_assert_uint_eq(result.ring->first, 2);
    ck_assert_uint_eq(result.ring->last, 5001);
    ck_assert_double_eq(result.ring->slot[1].polarization, result.metrics.polarization);
    job.ticks = 4999;
    struct result before = run_plain(&job);
    ck_assert_uint_eq(before.ring->first, 0);
    ck_assert_double_eq(before.ring->slot[4999].polarization, result.ring->slot[4999].polarization);
    for (uint32_t t = 2; t < 5000; t++) {
        const struct sim_metrics *one = &before.ring->slot[t], *other = &result.ring->slot[t];
        ck_assert_double_eq(one->polarization, other->polarization);
        ck_assert_double_eq(one->mean_neighbor_distance, other->mean_neighbor_distance);
        ck_assert_uint_eq(one->cluster_count, other->cluster_count);
    }
    result_release(&result);
    result_release(&before);
}
END_TEST

START_TEST(verify_ring_needs_a_trace) {
    struct job job = claim(42, 20, 1);
    job.ring = true;
    job.store = false;
    ck_assert_ptr_null(run_plain(&job).ring);
    job.store = true;
    job.claimed.has_hash = true;
    struct result mismatch = run_plain(&job);
    ck_assert_int_eq(mismatch.verdict, VERDICT_MISMATCH);
    ck_assert_ptr_null(mismatch.ring);
}
END_TEST

START_TEST(verify_budget_holds_to_one_tick) {
    struct job job = claim(42, 10, 500);
    struct stopper stopper = {.limit = 123, .order = RUN_OUT_OF_BUDGET};
    struct result result = run_stopping(&job, &stopper);
    ck_assert_int_eq(result.status, RESULT_REJECTED);
    ck_assert_int_eq(result.fault.code, FAULT_BUDGET_EXCEEDED);
    ck_assert_str_eq(result.fault.field, "at_tick");
    ck_assert_uint_eq(result.fault.fits, 123);
    ck_assert_str_eq(result.fault.advice, "lower at_tick to 123");
    ck_assert_uint_eq(stopper.asked, 124);
    ck_assert_uint_eq(stopper.total, 500);
    ck_assert_str_eq(result.trace, "");

    job.ticks = 123;
    ck_assert_int_eq(run_stopping(&job, &stopper).status, RESULT_OK);
}
END_TEST

START_TEST(verify_cancel_gives_no_numbers) {
    struct job job = claim(42, 10, 500);
    struct stopper stopper = {.limit = 0, .order = RUN_CANCELLED};
    struct result result = run_stopping(&job, &stopper);
    ck_assert_int_eq(result.status, RESULT_CANCELLED);
    ck_assert_int_eq(result.fault.code, FAULT_CANCELLED);
    ck_assert_uint_eq(stopper.asked, 1);
}
END_TEST

static struct sim_change weights(uint32_t tick, double c, double a, double s) {
    struct sim_change change = {.tick = tick, .set = 7u << FLOCK_COHESION};
    change.params.value[FLOCK_COHESION] = c;
    change.params.value[FLOCK_ALIGNMENT] = a;
    change.params.value[FLOCK_SEPARATION] = s;
    return change;
}

START_TEST(changes_govern_from_their_tick_on) {
    struct job plain = claim(42, 20, 10);
    struct job job = plain;
    struct sim_change change = weights(0, 1, 0, 0.25);
    job.change = &change;
    job.change_count = 1;
    plain.params.value[FLOCK_COHESION] = 1;
    plain.params.value[FLOCK_ALIGNMENT] = 0;
    plain.params.value[FLOCK_SEPARATION] = 0.25;
    uint64_t from_start = run_plain(&plain).state_hash;
    ck_assert_uint_eq(run_plain(&job).state_hash, from_start);
    change.tick = 1;
    ck_assert_uint_ne(run_plain(&job).state_hash, from_start);
}
END_TEST

START_TEST(changes_later_of_two_at_one_tick_wins) {
    struct job job = claim(42, 20, 10);
    struct sim_change both[2] = {weights(5, 1, 1, 1), weights(5, 0, 0.5, 0)};
    job.change = both;
    job.change_count = 2;
    uint64_t hash = run_plain(&job).state_hash;
    job.change = &both[1];
    job.change_count = 1;
    ck_assert_uint_eq(run_plain(&job).state_hash, hash);
}
END_TEST

START_TEST(changes_must_ascend_and_end_before_the_last_tick) {
    struct fault fault = {0};
    struct job job = claim(42, 20, 10);
    struct sim_change both[2] = {weights(9, 1, 1, 1), weights(9, 0, 0, 0)};
    job.change = both;
    job.change_count = 2;
    ck_assert_int_eq(job_check(&job, &fault), 0);
    both[1].tick = 8;
    ck_assert_int_eq(job_check(&job, &fault), -1);
    ck_assert_int_eq(fault.code, FAULT_BAD_CHANGES);
    fault = (struct fault){0};
    both[1].tick = 10;
    ck_assert_int_eq(job_check(&job, &fault), -1);
    ck_assert_str_eq(fault.message, "changes[1].tick must be below at_tick (10), got 10");
}
END_TEST

static struct job for_session(enum job_kind kind, const struct session *session) {
    struct job job;
    job_init(&job, kind, &flock_model);
    strcpy(job.session, session ? session->id : "none");
    return job;
}

static struct result create(uint32_t birds) {
    struct job job = for_session(JOB_SESSION_CREATE, NULL);
    job.params.value[FLOCK_BIRDS] = birds;
    return run(&job, (struct run_env){.fresh_seed = 42});
}

START_TEST(session_create_draws_the_seed_it_was_not_given) {
    struct result result = create(20);
    ck_assert_str_eq(result.session->id, "fresh-1");
    ck_assert_uint_eq(result.session->seed, 42);
    ck_assert_uint_eq(result.session->sim.tick, 0);
    ck_assert_uint_eq(result.ring->first, 0);
    ck_assert_uint_eq(result.ring->last, 0);
    result_release(&result);
}
END_TEST

/* Steps of any size and changes between them are the claim with the same changes. */
START_TEST(session_steps_equal_the_claim_of_the_same_run) {
    struct result created = create(20);
    struct job step = for_session(JOB_SESSION_STEP, created.session);
    step.ticks = 7;
    struct result first = run(&step, (struct run_env){.session = created.session});
    ck_assert_uint_eq(first.session->sim.tick, 7);
    ck_assert_uint_eq(first.ring->first, 0);
    ck_assert_uint_eq(first.ring->last, 7);
    struct job set = for_session(JOB_SESSION_PARAMS, created.session);
    struct sim_change change = weights(7, 1, 0.5, 0.5);
    set.params_set = 1u << FLOCK_COHESION;
    set.params.value[FLOCK_COHESION] = 1;
    struct result changed = run(&set, (struct run_env){.session = first.session});
    ck_assert_uint_eq(changed.change.tick, 7);
    ck_assert_uint_eq(changed.session->change_count, 1);
    ck_assert_uint_eq(first.session->change_count, 0);
    step.ticks = 13;
    struct result second = run(&step, (struct run_env){.session = changed.session});

    struct job job = claim(42, 20, 20);
    job.change = &change;
    job.change_count = 1;
    struct result verified = run_plain(&job);
    ck_assert_uint_eq(sim_hash(&second.session->sim), verified.state_hash);
    ck_assert_double_eq(second.session->metrics.polarization, verified.metrics.polarization);
    result_release(&created);
    result_release(&first);
    result_release(&changed);
    result_release(&second);
}
END_TEST

START_TEST(session_changes_at_one_tick_are_one_entry) {
    struct result created = create(20);
    struct job set = for_session(JOB_SESSION_PARAMS, created.session);
    set.params_set = 1u << FLOCK_COHESION;
    set.params.value[FLOCK_COHESION] = 1;
    struct result first = run(&set, (struct run_env){.session = created.session});
    set.params_set = 1u << FLOCK_ALIGNMENT;
    set.params.value[FLOCK_ALIGNMENT] = 0;
    struct result second = run(&set, (struct run_env){.session = first.session});
    ck_assert_uint_eq(second.session->change_count, 1);
    ck_assert_uint_eq(second.session->change[0].set, 3u << FLOCK_COHESION);
    ck_assert_double_eq(second.session->sim.params.value[FLOCK_COHESION], 1);
    ck_assert_double_eq(second.session->sim.params.value[FLOCK_ALIGNMENT], 0);
    ck_assert_double_eq(second.session->sim.params.value[FLOCK_SEPARATION], 0.5);
    result_release(&created);
    result_release(&first);
    result_release(&second);
}
END_TEST

START_TEST(session_takes_1000_changes_and_no_more) {
    struct session session = {.id = "s", .sim = {.model = &flock_model}};
    struct sim_params values = {{0}};
    struct fault fault = {0};
    for (uint32_t t = 0; t < SIM_CHANGES_MAX; t++) {
        session.sim.tick = t;
        ck_assert_int_eq(session_change(&session, 2, &values, &fault), 0);
    }
    session.sim.tick = SIM_CHANGES_MAX;
    ck_assert_int_eq(session_change(&session, 2, &values, &fault), -1);
    ck_assert_int_eq(fault.code, FAULT_CHANGES_FULL);
    session_release(&session);
}
END_TEST

START_TEST(session_unknown_is_rejected) {
    struct job step = for_session(JOB_SESSION_STEP, NULL);
    step.ticks = 1;
    struct result result = run_plain(&step);
    ck_assert_int_eq(result.status, RESULT_REJECTED);
    ck_assert_int_eq(result.fault.code, FAULT_SESSION_NOT_FOUND);
    ck_assert_str_eq(result.fault.message, "there is no session none");
}
END_TEST

START_TEST(session_expect_tick_must_hold) {
    struct result created = create(20);
    struct job step = for_session(JOB_SESSION_STEP, created.session);
    step.ticks = 1;
    step.has_expect_tick = true;
    step.expect_tick = 1;
    struct result result = run(&step, (struct run_env){.session = created.session});
    ck_assert_int_eq(result.fault.code, FAULT_TICK_CONFLICT);
    ck_assert_ptr_null(result.session);
    step.expect_tick = 0;
    result = run(&step, (struct run_env){.session = created.session});
    ck_assert_int_eq(result.status, RESULT_OK);
    result_release(&result);
    result_release(&created);
}
END_TEST

START_TEST(sweep_rows_equal_verify) {
    struct job sweep;
    job_init(&sweep, JOB_SWEEP, &flock_model);
    sweep.params.value[FLOCK_BIRDS] = 15;
    sweep.ticks = 20;
    sweep.seeds.first = UINT32_MAX - 2;
    sweep.seeds.count = 3;
    struct result result = run_plain(&sweep);
    ck_assert_uint_eq(result.row_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct job job = claim(UINT32_MAX - 2 + i, 15, 20);
        struct result one = run_plain(&job);
        ck_assert_uint_eq(result.row[i].seed, UINT32_MAX - 2 + i);
        ck_assert_uint_eq(result.row[i].state_hash, one.state_hash);
        ck_assert_double_eq(result.row[i].metrics.polarization, one.metrics.polarization);
    }
    result_release(&result);
}
END_TEST

START_TEST(sweep_over_budget_says_how_many_seeds_fit) {
    uint32_t list[] = {5, 1, 5};
    struct job sweep;
    job_init(&sweep, JOB_SWEEP, &flock_model);
    sweep.params.value[FLOCK_BIRDS] = 10;
    sweep.ticks = 20;
    sweep.seeds = (struct job_seeds){.count = 3, .list = list};
    struct stopper stopper = {.limit = 45, .order = RUN_OUT_OF_BUDGET};
    struct result result = run_stopping(&sweep, &stopper);
    ck_assert_int_eq(result.fault.code, FAULT_BUDGET_EXCEEDED);
    ck_assert_uint_eq(result.fault.fits, 2);
    ck_assert_str_eq(result.fault.field, "seeds");
    ck_assert_uint_eq(stopper.total, 60);
    ck_assert_ptr_null(result.row);
    stopper.limit = 100;
    result = run_stopping(&sweep, &stopper);
    ck_assert_uint_eq(result.row[0].state_hash, result.row[2].state_hash);
    ck_assert_uint_eq(result.row[1].seed, 1);
    result_release(&result);
}
END_TEST

START_TEST(fault_message_is_cut_between_characters) {
    struct fault fault = {0};
    char text[400];
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    text[398] = '\0';
    fault_set(&fault, FAULT_BAD_TEXT, "note", "%s", text);
    ck_assert_uint_eq(strlen(fault.message), FAULT_MESSAGE_MAX - 1);
    fault_set(&fault, FAULT_INTERNAL, "", "a second one");
    ck_assert_int_eq(fault.code, FAULT_BAD_TEXT);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, verify_without_claimed_numbers);
    tcase_add_test(tests, verify_hash_decides_alone);
    tcase_add_test(tests, verify_metrics_match_within_a_thousandth);
    tcase_add_test(tests, verify_metrics_are_indicative_past_tick_200);
    tcase_add_test(tests, verify_stores_nothing_when_told_so);
    tcase_add_test(tests, verify_checkpoints_are_the_hashes_on_the_way);
    tcase_add_test(tests, verify_longest_claim_fills_every_checkpoint);
    tcase_add_test(tests, verify_ring_holds_the_last_5000_ticks);
    tcase_add_test(tests, verify_ring_needs_a_trace);
    tcase_add_test(tests, verify_budget_holds_to_one_tick);
    tcase_add_test(tests, verify_cancel_gives_no_numbers);
    tcase_add_test(tests, changes_govern_from_their_tick_on);
    tcase_add_test(tests, changes_later_of_two_at_one_tick_wins);
    tcase_add_test(tests, changes_must_ascend_and_end_before_the_last_tick);
    tcase_add_test(tests, session_create_draws_the_seed_it_was_not_given);
    tcase_add_test(tests, session_steps_equal_the_claim_of_the_same_run);
    tcase_add_test(tests, session_changes_at_one_tick_are_one_entry);
    tcase_add_test(tests, session_takes_1000_changes_and_no_more);
    tcase_add_test(tests, session_unknown_is_rejected);
    tcase_add_test(tests, session_expect_tick_must_hold);
    tcase_add_test(tests, sweep_rows_equal_verify);
    tcase_add_test(tests, sweep_over_budget_says_how_many_seeds_fit);
    tcase_add_test(tests, fault_message_is_cut_between_characters);
}

int main(void) {
    return suite_run("run", add, 60);
}
