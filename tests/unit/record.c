/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "suite.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t record_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const struct {
    double a, b;
    uint64_t ulps;
} record_apart[] = {
    {1, 1, 0},
    {1, 0x1.0000000000001p+0, 1},
    {1, 0x1.fffffffffffffp-1, 1},
    {-1, -0x1.0000000000001p+0, 1},
    {0x1p-1074, 0, 1},
    {0.0, -0.0, 1},
    {0x1p-1074, -0x1p-1074, 3},
    {1, 2, UINT64_C(1) << 52},
    {2, -2, (UINT64_C(1) << 63) + 1},
    {0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, UINT64_C(0xffdfffffffffffff)},
};

START_TEST(record_ulps_either_way) {
    uint64_t a = record_bits(record_apart[_i].a), b = record_bits(record_apart[_i].b), ulps;
    ck_assert(record_ulps(a, b, &ulps));
    ck_assert_uint_eq(ulps, record_apart[_i].ulps);
    ck_assert(record_ulps(b, a, &ulps));
    ck_assert_uint_eq(ulps, record_apart[_i].ulps);
}
END_TEST

START_TEST(record_ulps_of_no_number) {
    const double none[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
    uint64_t ulps = 99;
    for (int i = 0; i < 4; i++) {
        ck_assert(!record_ulps(record_bits(none[i]), record_bits(1), &ulps));
        ck_assert(!record_ulps(record_bits(1), record_bits(none[i]), &ulps));
    }
    ck_assert_uint_eq(ulps, 99);
}
END_TEST

START_TEST(record_compare_sees_what_double_does_not) {
    static struct record ours, theirs;
    struct record_difference difference;
    theirs.has_state = true;
    ours.bits[2][5] = record_bits(0.0);
    theirs.bits[2][5] = record_bits(-0.0);
    ours.bits[3][1] = theirs.bits[3][1] = record_bits((double)NAN);
    ours.bits[0][10] = 1; /* behind the birds that count */
    record_compare(&ours, &theirs, 10, &difference);
    ck_assert_uint_eq(difference.numbers, 1);
    ck_assert_uint_eq(difference.birds, 1);
    ck_assert_uint_eq(difference.bird, 5);
    ck_assert_uint_eq(difference.field, 2);
    record_compare(&ours, &theirs, 11, &difference);
    ck_assert_uint_eq(difference.numbers, 2);
    ck_assert_uint_eq(difference.birds, 2);
}
END_TEST

/* [has_state][has_hash][0: equal, 1: the hash differs, 2: the state differs, 3: both do] */
static const enum record_differs record_differs[2][2][4] = {
    {{RECORD_EQUAL, RECORD_EQUAL, RECORD_EQUAL, RECORD_EQUAL},
     {RECORD_EQUAL, RECORD_HASH, RECORD_EQUAL, RECORD_HASH}},
    {{RECORD_EQUAL, RECORD_EQUAL, RECORD_STATE, RECORD_STATE},
     {RECORD_EQUAL, RECORD_HASHING, RECORD_STATE, RECORD_STATE}},
};

START_TEST(record_compare_only_what_theirs_has) {
    static struct record ours, theirs;
    struct record_difference difference;
    int state = _i / 8, hash = _i / 4 % 2, what = _i % 4;
    theirs.has_state = state;
    theirs.has_hash = hash;
    theirs.hash = what & 1 ? 1 : 0;
    theirs.bits[0][0] = what & 2 ? 1 : 0;
    record_compare(&ours, &theirs, 10, &difference);
    ck_assert_int_eq(difference.differs, record_differs[state][hash][what]);
    ck_assert_uint_eq(difference.numbers, difference.differs == RECORD_STATE);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, record_ulps_either_way, 0,
                        sizeof record_apart / sizeof record_apart[0]);
    tcase_add_test(tests, record_ulps_of_no_number);
    tcase_add_test(tests, record_compare_sees_what_double_does_not);
    tcase_add_loop_test(tests, record_compare_only_what_theirs_has, 0, 16);
}

int main(void) {
    return suite_run("record", add, 30);
}
