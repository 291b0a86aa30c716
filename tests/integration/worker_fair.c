/* SPDX-License-Identifier: MIT */
/* Two lanes, one slot: nobody at a web page waits for a sweep, and sweeps get on all the same. */
#include "suite.h"
#include "worker_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Floods of jobs: so short that many are claimed ahead; a few ahead; none. */
static const struct {
    unsigned count;
    const char *job;
} fair_floods[] = {
    {20000, "{'v':1,'kind':'verify','seed':1,'params':{'birds':10},'at_tick':1,'store':false}"},
    {6000, "{'v':1,'kind':'verify','seed':1,'params':{'birds':30},'at_tick':100,'store':false}"},
    {200, "{'v':1,'kind':'verify','seed':1,'params':{'birds':400},'at_tick':100,'store':false}"},
};

static unsigned left_of(const char *lane) {
    return (unsigned)atoi(client_ask(&client, "XLEN flock:{main}:jobs:%s", lane));
}

/* A flood in one lane, and when the worker is in the middle of it, a job in the other: how much of
 * the flood ran before that job was done. */
static unsigned flood_before(enum job_lane lane, int flood) {
    const char *name = lane == JOB_BATCH ? "batch" : "interactive";
    unsigned count = fair_floods[flood].count;
    client_flood(&client, lane, fair_floods[flood].job, count);
    while (left_of(name) > count - count / 20)
        worker_process_pause(1);
    client_add(&client, lane == JOB_BATCH ? JOB_INTERACTIVE : JOB_BATCH,
               "{'v':1,'id':'other'," SHORT_JOB "}");
    unsigned before = left_of(name);
    client_expect(&client, "other", RESULT_OK);
    unsigned after = left_of(name);
    client_ask(&client, "DEL flock:{main}:jobs:%s", name);
    return before - after;
}

/* Every eighth claim prefers batch, so it is not the last to run but among the first. */
START_TEST(fair_batch_gets_on_under_a_flood_of_interactive) {
    ck_assert_uint_lt(flood_before(JOB_INTERACTIVE, _i), fair_floods[_i].count / 2);
}
END_TEST

START_TEST(fair_interactive_overtakes_a_flood_of_batch) {
    ck_assert_uint_lt(flood_before(JOB_BATCH, _i), fair_floods[_i].count / 2);
}
END_TEST

/* However many come one after another, they run beside the sweep that fills the only slot. */
START_TEST(fair_interactive_runs_beside_a_sweep) {
    char job[160], id[16];
    client_add(&client, JOB_BATCH, "{'v':1,'id':'sweep','budget_ms':2500," LONG_JOB "}");
    client_until(&client, "1", "HLEN flock:{main}:running");
    for (int i = 0; i < 40; i++) {
        (void)snprintf(id, sizeof id, "page%d", i);
        (void)snprintf(job, sizeof job, "{'v':1,'id':'%s'," SHORT_JOB "}", id);
        client_add(&client, JOB_INTERACTIVE, job);
        client_expect(&client, id, RESULT_OK);
    }
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:sweep"), "0");
    client_expect(&client, "sweep", RESULT_REJECTED);
}
END_TEST

static void add(TCase *tests) {
    enum { FLOODS = sizeof fair_floods / sizeof *fair_floods };
    worker_fixture(tests, "--slots 1 --log-level warning");
    tcase_add_loop_test(tests, fair_batch_gets_on_under_a_flood_of_interactive, 0, FLOODS);
    tcase_add_loop_test(tests, fair_interactive_overtakes_a_flood_of_batch, 0, FLOODS);
    tcase_add_test(tests, fair_interactive_runs_beside_a_sweep);
}

int main(void) {
    return suite_run("worker_fair", add, 60);
}
