/* SPDX-License-Identifier: MIT */
/* Legal jobs: what is read, what is filled in, and that writing and reading are each other's
 * mirror. */
#include "wire.h"

#include "flock.h"
#include "message.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define ENTRY "1700000000000-7"

static struct job job;
static struct fault fault;
static struct mem_buffer bytes;

static void setup(void) {
    memset(&job, 0xff, sizeof job);
    memset(&fault, 0xff, sizeof fault);
    bytes = (struct mem_buffer){0};
}

static void teardown(void) {
    job_release(&job);
    mem_buffer_release(&bytes);
}

static void decode(const char *json) {
    message_from_json(json, &bytes);
    ck_assert_msg(wire_decode_job(bytes.data, bytes.size, ENTRY, &job, &fault) == 0, "%s",
                  fault.message);
    ck_assert_int_eq(fault.code, FAULT_NONE);
    ck_assert_str_eq(fault.message, "");
}

START_TEST(verify_defaults) {
    decode("{'v':1,'kind':'verify','seed':42,'at_tick':500}");
    ck_assert_str_eq(job.id, ENTRY);
    ck_assert_int_eq(job.kind, JOB_VERIFY);
    ck_assert_str_eq(job.model->name, "flock");
    ck_assert_uint_eq(job.seed, 42);
    ck_assert(job.has_seed);
    ck_assert_uint_eq(job.ticks, 500);
    ck_assert_uint_eq(job.budget_ms, 10000);
    ck_assert_uint_eq(job.ttl_ms, 0);
    ck_assert(job.store);
    ck_assert(!job.ring);
    ck_assert_str_eq(job.note, "");
    ck_assert_str_eq(job.reply_to, "");
    ck_assert_str_eq(job.traceparent, "");
    ck_assert_uint_eq(job.change_count, 0);
    ck_assert(!job.claimed.has_hash && !job.claimed.has_metrics);
    ck_assert(job.params.value[FLOCK_BIRDS] == 120);
    ck_assert(job.params.value[FLOCK_COHESION] == 0.5);
    ck_assert(job.params.value[FLOCK_ALIGNMENT] == 0.5);
    ck_assert(job.params.value[FLOCK_SEPARATION] == 0.5);
}
END_TEST

START_TEST(verify_everything_given) {
    decode("{'v':1,'id':'Claim_7.a-b','kind':'verify','model':'flock','reply_to':'web',"
           "'ttl_ms':5000,'budget_ms':2500,'store':false,'ring':true,'traceparent':'00-ab-cd-01',"
           "'seed':4294967295,'params':{'birds':400,'weights':{'cohesion':0.25,'alignment':1,"
           "'separation':0}},'changes':[{'tick':0,'params':{'weights':{'alignment':0.75}}},"
           "{'tick':19999,'params':{'weights':{'cohesion':0.1,'separation':1}}}],"
           "'at_tick':20000,'note':'\\u00e4\\u20ac\\ud83d\\udc26','claimed':{'metrics':{"
           "'polarization':0.9,'cluster_count':3,'mean_neighbor_distance':12.5},"
           "'state_hash':'0123456789ABCDEF'}}");
    ck_assert_str_eq(job.id, "Claim_7.a-b");
    ck_assert_str_eq(job.reply_to, "web");
    ck_assert_uint_eq(job.ttl_ms, 5000);
    ck_assert_uint_eq(job.budget_ms, 2500);
    ck_assert(!job.store);
    ck_assert(job.ring);
    ck_assert_str_eq(job.traceparent, "00-ab-cd-01");
    ck_assert_uint_eq(job.seed, UINT32_MAX);
    ck_assert(job.params.value[FLOCK_BIRDS] == 400);
    ck_assert(job.params.value[FLOCK_COHESION] == 0.25);
    ck_assert(job.params.value[FLOCK_ALIGNMENT] == 1);
    ck_assert(job.params.value[FLOCK_SEPARATION] == 0);
    ck_assert_uint_eq(job.change_count, 2);
    ck_assert_uint_eq(job.change[0].tick, 0);
    ck_assert_uint_eq(job.change[0].set, 1u << FLOCK_ALIGNMENT);
    ck_assert(job.change[0].params.value[FLOCK_ALIGNMENT] == 0.75);
    ck_assert_uint_eq(job.change[1].tick, 19999);
    ck_assert_uint_eq(job.change[1].set, 1u << FLOCK_COHESION | 1u << FLOCK_SEPARATION);
    ck_assert_uint_eq(job.ticks, 20000);
    ck_assert_str_eq(job.note, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa6");
    ck_assert(job.claimed.has_metrics && job.claimed.has_hash);
    ck_assert(job.claimed.metrics.polarization == 0.9);
    ck_assert_uint_eq(job.claimed.metrics.cluster_count, 3);
    ck_assert(job.claimed.metrics.mean_neighbor_distance == 12.5);
    ck_assert_uint_eq(job.claimed.state_hash, UINT64_C(0x0123456789abcdef));
}
END_TEST

START_TEST(claimed_distance_nil_is_null) {
    decode("{'v':1,'kind':'verify','seed':1,'at_tick':1,'claimed':{'metrics':{'polarization':"
           "1.0000000000000002,'cluster_count':10,'mean_neighbor_distance':null}}}");
    ck_assert(isnan(job.claimed.metrics.mean_neighbor_distance));
    ck_assert(job.claimed.metrics.polarization > 1);
    ck_assert(!job.claimed.has_hash);
}
END_TEST

START_TEST(create_leaves_the_seed_to_the_worker) {
    decode("{'v':1,'kind':'session.create'}");
    ck_assert_int_eq(job.kind, JOB_SESSION_CREATE);
    ck_assert(!job.has_seed);
}
END_TEST

START_TEST(create_with_seed_0) {
    decode("{'v':1,'kind':'session.create','seed':0}");
    ck_assert(job.has_seed);
    ck_assert_uint_eq(job.seed, 0);
}
END_TEST

START_TEST(step_with_expect_tick) {
    decode("{'v':1,'kind':'session.step','session':'s1','ticks':1000,'expect_tick':0}");
    ck_assert_str_eq(job.session, "s1");
    ck_assert_uint_eq(job.ticks, 1000);
    ck_assert(job.has_expect_tick);
    ck_assert_uint_eq(job.expect_tick, 0);
}
END_TEST

START_TEST(params_knows_which_were_given) {
    decode("{'v':1,'kind':'session.params','session':'s1','params':{'weights':{'alignment':0.5}}}");
    ck_assert_uint_eq(job.params_set, 1u << FLOCK_ALIGNMENT);
    ck_assert(job.params.value[FLOCK_ALIGNMENT] == 0.5);
}
END_TEST

START_TEST(sweep_range) {
    decode("{'v':1,'kind':'sweep','seeds':{'first':4294957296,'count':10000},'ticks':20000}");
    ck_assert_uint_eq(job.seeds.first, 4294957296u);
    ck_assert_uint_eq(job.seeds.count, 10000);
    ck_assert_ptr_null(job.seeds.list);
}
END_TEST

START_TEST(sweep_list) {
    decode("{'v':1,'kind':'sweep','seeds':[5,4294967295,5],'ticks':1}");
    ck_assert_uint_eq(job.seeds.count, 3);
    ck_assert_uint_eq(job.seeds.list[1], UINT32_MAX);
    ck_assert_uint_eq(job.seeds.list[2], 5);
}
END_TEST

START_TEST(unknown_keys_are_ignored) {
    decode("{'v':1,'kind':'verify','seed':42,'x':[{'y':{'$bin':'00ff'}}],'at_tick':500,'ticks':0,"
           "'session':7,'params':{'colour':'red','weights':{'hunger':9}},'x':1}");
    ck_assert_uint_eq(job.ticks, 500);
    ck_assert_str_eq(job.session, "");
}
END_TEST

START_TEST(nil_is_absent) {
    decode("{'v':1,'id':null,'kind':'session.create','model':null,'seed':null,'params':null,"
           "'ttl_ms':null,'reply_to':null,'traceparent':null}");
    ck_assert_str_eq(job.id, ENTRY);
    ck_assert(!job.has_seed);
}
END_TEST

/* uint64 for 42, float32 for a weight, map32, array16, str32: the long ways to say it. */
START_TEST(forms_longer_than_needed) {
    decode("{'v':{'$raw':'cf0000000000000001'},'kind':{'$raw':'db00000006766572696679'},"
           "'seed':{'$raw':'d3000000000000002a'},'at_tick':{'$raw':'ce000001f4'},"
           "'params':{'$raw':'df00000001a777656967687473de0001a8636f686573696f6eca3e800000'},"
           "'changes':{'$raw':'dc0000'}}");
    ck_assert_uint_eq(job.seed, 42);
    ck_assert_uint_eq(job.ticks, 500);
    ck_assert(job.params.value[FLOCK_COHESION] == 0.25);
}
END_TEST

START_TEST(changes_at_one_tick_are_legal) {
    decode("{'v':1,'kind':'sweep','seeds':[1],'ticks':10,'changes':[{'tick':9,'params':{'weights':"
           "{'cohesion':1}}},{'tick':9,'params':{'weights':{'cohesion':0}}}]}");
    ck_assert_uint_eq(job.change_count, 2);
}
END_TEST

/* The canonical form of each: what the encoder writes, in its order. */
static const char *const canonical[] = {
    "{'v':1,'id':'a','kind':'verify','seed':42,'at_tick':500}",
    ("{'v':1,'id':'a','kind':'verify','reply_to':'web','ttl_ms':5000,'budget_ms':1,'traceparent':"
     "'00-1','seed':0,'params':{'birds':10,'weights':{'cohesion':0.25,'separation':1.0}},'changes':"
     "[{'tick':3,'params':{'weights':{'separation':0.5}}}],'at_tick':20000,'note':'\\u00e4\\n',"
     "'claimed':{'metrics':{'polarization':0.25,'cluster_count':7,'mean_neighbor_distance':null},"
     "'state_hash':'fedcba9876543210'},'store':false,'ring':true}"),
    "{'v':1,'id':'a','kind':'session.create'}",
    "{'v':1,'id':'a','kind':'session.create','seed':0,'params':{'weights':{'alignment':0.0}}}",
    "{'v':1,'id':'a','kind':'session.step','session':'s','ticks':1,'expect_tick':0}",
    ("{'v':1,'id':'a','kind':'session.params','session':'s','params':{'weights':{'cohesion':0.5,"
     "'alignment':0.5,'separation':0.5}}}"),
    "{'v':1,'id':'a','kind':'sweep','seeds':{'first':0,'count':1},'ticks':1}",
    "{'v':1,'id':'a','kind':'sweep','seeds':[1,2,4294967295],'params':{'birds':400},'ticks':1}",
};

START_TEST(canonical_job_comes_back) {
    struct mem_buffer again = {0};
    decode(canonical[_i]);
    ck_assert_int_eq(wire_encode_job(&job, &again), 0);
    ck_assert_uint_eq(again.size, bytes.size);
    ck_assert_mem_eq(again.data, bytes.data, bytes.size);
    mem_buffer_release(&again);
}
END_TEST

START_TEST(encode_appends) {
    decode(canonical[0]);
    size_t once = bytes.size;
    ck_assert_int_eq(wire_encode_job(&job, &bytes), 0);
    ck_assert_uint_eq(bytes.size, 2 * once);
    ck_assert_mem_eq(bytes.data, bytes.data + once, once);
}
END_TEST

/* The most that a job can hold: more than 15 keys, 1,000 changes, 10,000 seeds. */
START_TEST(largest_job_comes_back) {
    decode(canonical[7]);
    struct job full;
    job_init(&full, JOB_SWEEP, job.model);
    full.ticks = SIM_TICKS_MAX;
    full.change_count = SIM_CHANGES_MAX;
    full.change = mem_zero(full.change_count, sizeof *full.change);
    full.seeds.count = JOB_SEEDS_MAX;
    full.seeds.list = mem_zero(full.seeds.count, sizeof *full.seeds.list);
    for (uint32_t i = 0; i < full.change_count; i++)
        full.change[i] =
            (struct sim_change){i, 1u << FLOCK_COHESION | 1u << FLOCK_ALIGNMENT, {{0}}};
    for (uint32_t i = 0; i < full.seeds.count; i++)
        full.seeds.list[i] = UINT32_MAX - i;
    struct mem_buffer big = {0}, again = {0};
    ck_assert_int_eq(wire_encode_job(&full, &big), 0);
    struct job back;
    ck_assert_msg(wire_decode_job(big.data, big.size, ENTRY, &back, &fault) == 0, "%s",
                  fault.message);
    ck_assert_uint_eq(back.change_count, full.change_count);
    ck_assert_mem_eq(back.seeds.list, full.seeds.list, full.seeds.count * sizeof *full.seeds.list);
    memcpy(full.id, back.id, sizeof full.id);
    big.size = 0;
    ck_assert_int_eq(wire_encode_job(&full, &big), 0);
    ck_assert_int_eq(wire_encode_job(&back, &again), 0);
    ck_assert_uint_eq(big.size, again.size);
    ck_assert_mem_eq(big.data, again.data, big.size);
    mem_buffer_release(&big);
    mem_buffer_release(&again);
    job_release(&full);
    job_release(&back);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, verify_defaults);
    tcase_add_test(tests, verify_everything_given);
    tcase_add_test(tests, claimed_distance_nil_is_null);
    tcase_add_test(tests, create_leaves_the_seed_to_the_worker);
    tcase_add_test(tests, create_with_seed_0);
    tcase_add_test(tests, step_with_expect_tick);
    tcase_add_test(tests, params_knows_which_were_given);
    tcase_add_test(tests, sweep_range);
    tcase_add_test(tests, sweep_list);
    tcase_add_test(tests, unknown_keys_are_ignored);
    tcase_add_test(tests, nil_is_absent);
    tcase_add_test(tests, forms_longer_than_needed);
    tcase_add_test(tests, changes_at_one_tick_are_legal);
    tcase_add_loop_test(tests, canonical_job_comes_back, 0,
                        (int)(sizeof canonical / sizeof canonical[0]));
    tcase_add_test(tests, encode_appends);
    tcase_add_test(tests, largest_job_comes_back);
}

int main(void) {
    return suite_run("wire_job", add, 10);
}
