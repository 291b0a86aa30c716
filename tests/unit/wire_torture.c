/* SPDX-License-Identifier: MIT */
/*
 * Every codec with every allocation failing in turn, alone and with all later ones: it must say so,
 * keep what it has releasable (the sanitizer looks for leaks), and succeed once there is memory.
 * msgpack-c's own allocations are out of reach.
 */
#include "samples.h"

#include "suite.h"

#define MOST 1000u /* allocations of one call */

static struct sample_value value;
static struct mem_buffer bytes;

static void setup(void) {
    bytes = (struct mem_buffer){0};
}

static void teardown(void) {
    sample_release(&value);
    mem_buffer_release(&bytes);
}

/* How many allocations failed until it went well. */
static unsigned torture_encode(int after) {
    for (unsigned n = 1; n <= MOST; n++) {
        struct mem_buffer out = {0};
        mem_fail(n, after);
        int answer = sample_encode(&value, &out);
        mem_fail(0, 0);
        if (answer == 0) {
            ck_assert_uint_eq(out.size, bytes.size);
            ck_assert_mem_eq(out.data, bytes.data, bytes.size);
        }
        mem_buffer_release(&out);
        if (answer == 0)
            return n - 1;
        ck_assert_int_eq(answer, ERR_NO_MEMORY);
    }
    ck_abort_msg("never succeeded");
}

static unsigned torture_decode(int after) {
    for (unsigned n = 1; n <= MOST; n++) {
        struct sample_value back;
        mem_fail(n, after);
        int answer = sample_decode(value.type, bytes.data, bytes.size, &back);
        mem_fail(0, 0);
        sample_release(&back);
        if (answer == 0)
            return n - 1;
        ck_assert_int_eq(answer, ERR_NO_MEMORY);
    }
    ck_abort_msg("never succeeded");
}

/* What the decoded struct owns was allocated, so this often it must have failed. */
static unsigned allocations(void) {
    unsigned count = 0;
    if (value.type == SAMPLE_JOB || value.type == SAMPLE_TRACE) {
        count += value.job.change_count > 0;
        count += value.job.seeds.list != NULL;
        return count;
    }
    const struct session *session = value.result.session;
    count += value.result.row != NULL;
    count += session && value.type == SAMPLE_RESULT;
    count += session && session->change_count > 0;
    return count;
}

START_TEST(codec_without_memory) {
    sample_make(&samples[_i], &value);
    ck_assert_int_eq(sample_encode(&value, &bytes), 0);
    for (int after = 0; after <= 1; after++) {
        ck_assert_uint_ge(torture_encode(after), 1);
        ck_assert_uint_eq(torture_decode(after), allocations());
    }
}
END_TEST

START_TEST(ring_without_memory) {
    static struct ring ring;
    ring.empty = true;
    for (uint32_t tick = 0; tick < 7000; tick++)
        ring_add(&ring, tick, &(struct sim_metrics){1, 2, 3});
    for (unsigned n = 1; n <= MOST; n++) {
        struct wire_ring_piece piece[2];
        int pieces;
        mem_fail(n, 0);
        int answer = wire_encode_ring(&ring, piece, &pieces);
        mem_fail(0, 0);
        for (int p = 0; p < pieces; p++)
            mem_buffer_release(&piece[p].bytes);
        if (answer == 0) {
            ck_assert_uint_gt(n, 2);
            return;
        }
        ck_assert_int_eq(answer, ERR_NO_MEMORY);
    }
    ck_abort_msg("never succeeded");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, codec_without_memory, 0, (int)sample_count);
    tcase_add_test(tests, ring_without_memory);
}

int main(void) {
    return suite_run("wire_torture", add, 30);
}
