/* SPDX-License-Identifier: MIT */
/* A session's body: the state bit for bit, and every sort of damage to it. */
#include "wire.h"

#include "message.h"
#include "samples.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static struct sample_value value;
static struct session *session; /* of value */
static struct session back;
static struct mem_buffer bytes;

/* Seed 42, ten birds, a change at tick 0, ten ticks. */
static void setup(void) {
    const struct sample *sample = samples;
    while (strcmp(sample->name, "session_changed_and_stepped") != 0)
        sample++;
    sample_make(sample, &value);
    session = value.result.session;
    bytes = (struct mem_buffer){0};
    memset(&back, 0xff, sizeof back);
    back.change = NULL;
}

static void teardown(void) {
    sample_release(&value);
    session_release(&back);
    mem_buffer_release(&bytes);
}

static int decode(void) {
    return wire_decode_session(bytes.data, bytes.size, &back);
}

START_TEST(session_comes_back_bit_for_bit) {
    session->sim.x[3] = -0.0;
    session->sim.y[4] = 0x1.8p-1040; /* subnormal */
    session->sim.x[5] = 1000.0;      /* a tiny negative, wrapped */
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    ck_assert_int_eq(decode(), 0);
    ck_assert_str_eq(back.id, session->id);
    ck_assert_uint_eq(back.seed, 42);
    ck_assert_ptr_eq(back.sim.model, session->sim.model);
    ck_assert_uint_eq(back.sim.tick, 10);
    ck_assert_uint_eq(back.sim.count, 10);
    ck_assert_mem_eq(&back.sim.params, &session->sim.params, sizeof back.sim.params);
    ck_assert_mem_eq(&back.start, &session->start, sizeof back.start);
    ck_assert_uint_eq(back.change_count, 1);
    ck_assert_uint_eq(back.change[0].set, session->change[0].set);
    ck_assert(back.metrics.polarization == session->metrics.polarization);
    size_t size = session->sim.count * sizeof(double);
    ck_assert_mem_eq(back.sim.x, session->sim.x, size);
    ck_assert_mem_eq(back.sim.y, session->sim.y, size);
    ck_assert_mem_eq(back.sim.vx, session->sim.vx, size);
    ck_assert_mem_eq(back.sim.vy, session->sim.vy, size);
    ck_assert_uint_eq(sim_hash(&back.sim), sim_hash(&session->sim));
}
END_TEST

START_TEST(largest_session_comes_back) {
    struct sim_params params = session->start;
    params.value[0] = SIM_AGENTS_MAX;
    session->start = params;
    sim_init(&session->sim, session->sim.model, 1, &params);
    session->sim.tick = UINT32_MAX;
    session->change = mem_resize(session->change, SIM_CHANGES_MAX * sizeof *session->change);
    session->change_count = SIM_CHANGES_MAX;
    for (uint32_t i = 0; i < SIM_CHANGES_MAX; i++)
        session->change[i] =
            (struct sim_change){UINT32_MAX - 2 * (SIM_CHANGES_MAX - 1 - i), 14, session->start};
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    ck_assert_int_eq(decode(), 0);
    ck_assert_uint_eq(back.sim.count, SIM_AGENTS_MAX);
    ck_assert_uint_eq(back.change_count, SIM_CHANGES_MAX);
    ck_assert_uint_eq(back.change[SIM_CHANGES_MAX - 1].tick, UINT32_MAX);
}
END_TEST

START_TEST(truncated_session) {
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    for (size_t size = bytes.size; size-- > 0;) {
        bytes.size = size;
        ck_assert_int_eq(decode(), ERR_PROTOCOL);
        session_release(&back);
    }
}
END_TEST

/* Any one bit of the state. */
START_TEST(flipped_bit_is_noticed) {
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    const char *x = memmem(bytes.data, bytes.size, "\xa1x\x9a", 3);
    ck_assert_ptr_nonnull(x);
    size_t start = (size_t)((const unsigned char *)x - bytes.data) + 3;
    for (size_t i = start; i < bytes.size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes.data[i] ^= (unsigned char)(1u << bit);
            ck_assert_msg(decode() == ERR_PROTOCOL, "byte %zu, bit %u", i, bit);
            session_release(&back);
            bytes.data[i] ^= (unsigned char)(1u << bit);
        }
    }
}
END_TEST

/* One byte changed, anywhere: never a crash, and what is accepted is legal. */
START_TEST(damaged_anywhere) {
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char before = bytes.data[i];
        for (unsigned byte = 0; byte < 256; byte += 5) {
            bytes.data[i] = (unsigned char)byte;
            if (decode() == 0) {
                ck_assert_uint_eq(back.sim.count, 10);
                ck_assert(back.sim.model->is_legal(&back.sim));
            }
            session_release(&back);
        }
        bytes.data[i] = before;
    }
}
END_TEST

/* States with a true hash that no flock can be in: engines would compute addresses from them. */
START_TEST(impossible_states) {
    static const struct {
        size_t member;
        double value;
    } bad[] = {
        {offsetof(struct sim, x), -1e-300},     {offsetof(struct sim, x), 1000.0000000000001},
        {offsetof(struct sim, x), 1e300},       {offsetof(struct sim, y), -5},
        {offsetof(struct sim, y), 600.0000001}, {offsetof(struct sim, vx), 5},
        {offsetof(struct sim, vx), -1e200},     {offsetof(struct sim, vy), 4.3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double *place = (double *)((char *)&session->sim + bad[i].member);
        double before = *place;
        *place = bad[i].value;
        bytes.size = 0;
        ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
        ck_assert_msg(decode() == ERR_PROTOCOL, "case %zu", i);
        session_release(&back);
        *place = before;
    }
    session->sim.vx[2] = session->sim.vy[2] = 0; /* slower than any bird */
    bytes.size = 0;
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    ck_assert_int_eq(decode(), ERR_PROTOCOL);
}
END_TEST

START_TEST(state_that_is_not_finite) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        session->sim.x[9] = bad[i];
        bytes.size = 0;
        ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
        ck_assert_int_eq(decode(), ERR_PROTOCOL);
        session_release(&back);
    }
}
END_TEST

static void break_order(void) {
    session->change = mem_resize(session->change, 2 * sizeof *session->change);
    session->change[1] = session->change[0];
    session->change_count = 2;
}

static void break_future(void) {
    session->change[0].tick = 11;
}

static void break_params(void) {
    session->sim.params.value[1] = 0.75;
}

static void break_start(void) {
    session->start.value[2] = 0.75; /* which no change touches */
}

static void break_count(void) {
    session->sim.count = 9;
}

static void break_birds(void) {
    session->sim.params.value[0] = 401;
    session->start.value[0] = 401;
}

static void break_id(void) {
    session->id[0] = '\n';
}

START_TEST(contradictions) {
    static void (*const breaks[])(void) = {break_order, break_future, break_params, break_start,
                                           break_count, break_birds,  break_id};
    breaks[_i]();
    ck_assert_int_eq(wire_encode_session(session, &bytes), 0);
    ck_assert_int_eq(decode(), ERR_PROTOCOL);
}
END_TEST

START_TEST(not_a_session) {
#define HEAD "'id':'a','seed':1,'tick':0,"
    static const char *const bad[] = {
        "[]",
        "{}",
        "{'v':1}",
        "{'$raw':'81a17801'}",
        "{'v':2," HEAD "'model':'flock'}",
        "{'v':1," HEAD "'model':'herd'}",
        "{'v':1," HEAD "'model':'flock','params':{'birds':10}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        mem_buffer_release(&bytes);
        message_from_json(bad[i], &bytes);
        ck_assert_msg(decode() == ERR_PROTOCOL, "%s", bad[i]);
        session_release(&back);
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, session_comes_back_bit_for_bit);
    tcase_add_test(tests, largest_session_comes_back);
    tcase_add_test(tests, truncated_session);
    tcase_add_test(tests, flipped_bit_is_noticed);
    tcase_add_test(tests, damaged_anywhere);
    tcase_add_test(tests, impossible_states);
    tcase_add_test(tests, state_that_is_not_finite);
    tcase_add_loop_test(tests, contradictions, 0, 7);
    tcase_add_test(tests, not_a_session);
}

int main(void) {
    return suite_run("wire_session", add, 60);
}
