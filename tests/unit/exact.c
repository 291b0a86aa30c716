/* SPDX-License-Identifier: MIT */
/* exact_sin and exact_cos against MPFR, which rounds correctly too: every bit must agree. */
#include "exact.h"

#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>

#include "doubles.h"
#include "exact_table.h"
#include "suite.h"

enum { CONSTANT_BITS = 600 };

/* MPFR with the precision and the exponents of binary64, so that subnormals round once. */
struct oracle {
    mpfr_t x, sin, cos;
};

static void oracle_open(struct oracle *oracle) {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_inits2(53, oracle->x, oracle->sin, oracle->cos, (mpfr_ptr)0);
}

static void oracle_close(struct oracle *oracle) {
    mpfr_clears(oracle->x, oracle->sin, oracle->cos, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void assert_same(const char *function, double x, double ours, double oracle) {
    if (bits_of(ours) != bits_of(oracle))
        ck_abort_msg("%s(%a) is %a and not %a", function, x, ours, oracle);
}

static void assert_exact(struct oracle *oracle, double x) {
    mpfr_set_d(oracle->x, x, MPFR_RNDN);
    int sin_inexact = mpfr_sin(oracle->sin, oracle->x, MPFR_RNDN);
    mpfr_subnormalize(oracle->sin, sin_inexact, MPFR_RNDN);
    mpfr_cos(oracle->cos, oracle->x, MPFR_RNDN);
    assert_same("sin", x, exact_sin(x), mpfr_get_d(oracle->sin, MPFR_RNDN));
    assert_same("cos", x, exact_cos(x), mpfr_get_d(oracle->cos, MPFR_RNDN));
}

/* As the flock makes it: the generator gives k/2^32. */
static double angle_of(uint32_t k) {
    return k / 4294967296.0 * 2 * EXACT_PI;
}

/* 2^20 angles, one in each of as many equal parts of the circle. */
START_TEST(angle_all_over_the_circle) {
    struct oracle oracle;
    oracle_open(&oracle);
    uint64_t state = 1;
    for (uint32_t part = 0; part < 1 << 20; part++)
        assert_exact(&oracle, angle_of(part << 12 | (uint32_t)(next_random(&state) >> 52)));
    oracle_close(&oracle);
}
END_TEST

/* Multiples of pi/4, where the reduction cancels most, and both ends. */
START_TEST(angle_next_to_an_eighth_turn) {
    struct oracle oracle;
    oracle_open(&oracle);
    for (uint32_t eighth = 0; eighth < 8; eighth++) {
        for (uint32_t offset = 0; offset < 2000; offset++) {
            assert_exact(&oracle, angle_of((eighth << 29) + offset));
            assert_exact(&oracle, angle_of((eighth << 29) - 1 - offset));
        }
    }
    oracle_close(&oracle);
}
END_TEST

/* Neighbouring doubles of the multiples of pi/64 (the table's nodes) and of pi/128 (the borders).
 */
START_TEST(angle_next_to_a_table_node) {
    struct oracle oracle;
    oracle_open(&oracle);
    for (int node = 0; node <= 256; node++) {
        uint64_t bits = bits_of(node * (EXACT_PI / 128));
        for (uint64_t offset = 0; offset < 100; offset++) {
            if (double_of(bits + offset) <= 2 * EXACT_PI)
                assert_exact(&oracle, double_of(bits + offset));
            if (bits > offset)
                assert_exact(&oracle, double_of(bits - offset));
        }
    }
    oracle_close(&oracle);
}
END_TEST

/* Any double of the range; most of these are tiny. */
START_TEST(angle_of_any_exponent) {
    struct oracle oracle;
    oracle_open(&oracle);
    uint64_t state = 2, end = bits_of(2 * EXACT_PI);
    for (int i = 0; i < 100000; i++)
        assert_exact(&oracle, double_of(next_random(&state) % (end + 1)));
    oracle_close(&oracle);
}
END_TEST

/* 2^-40 to 8: where the result stops to be x or 1, and where the reduction starts. */
START_TEST(angle_that_is_small) {
    struct oracle oracle;
    oracle_open(&oracle);
    uint64_t state = 3, start = bits_of(0x1p-40), end = bits_of(2 * EXACT_PI);
    for (int i = 0; i < 200000; i++)
        assert_exact(&oracle, double_of(start + next_random(&state) % (end - start + 1)));
    for (int exponent = -40; exponent < 3; exponent++) {
        for (uint64_t offset = 0; offset < 1000; offset++) {
            assert_exact(&oracle, double_of(bits_of(ldexp(1, exponent)) + offset));
            assert_exact(&oracle, double_of(bits_of(ldexp(1, exponent)) - 1 - offset));
        }
    }
    oracle_close(&oracle);
}
END_TEST

START_TEST(angle_that_is_subnormal) {
    struct oracle oracle;
    oracle_open(&oracle);
    uint64_t state = 4;
    for (uint64_t bits = 0; bits < 1000; bits++)
        assert_exact(&oracle, double_of(bits));
    for (int i = 0; i < 1000; i++)
        assert_exact(&oracle, double_of(next_random(&state) >> 12));
    oracle_close(&oracle);
}
END_TEST

/* x - x^3/6 is halfway between two doubles for these x, and only x^5/120 decides: 2^-111 of x. */
START_TEST(angle_whose_cube_makes_a_midpoint) {
    struct oracle oracle;
    oracle_open(&oracle);
    for (int exponent = -27; exponent < -12; exponent++) {
        for (uint64_t mantissa = 3; mantissa < 3 << 12; mantissa += 3) {
            assert_exact(&oracle, ldexp((double)mantissa, exponent));
            assert_exact(&oracle, ldexp((double)mantissa, exponent - 12));
        }
    }
    oracle_close(&oracle);
}
END_TEST

START_TEST(angle_of_pi_is_not_zero) {
    ck_assert(exact_sin(EXACT_PI) == 1.2246467991473532e-16);
    ck_assert(exact_sin(2 * EXACT_PI) == -2.4492935982947064e-16);
    ck_assert(exact_cos(EXACT_PI / 2) == 6.123233995736766e-17);
    ck_assert(exact_cos(3 * EXACT_PI / 2) == -1.8369701987210297e-16);
    ck_assert(exact_sin(EXACT_PI / 2) == 1);
    ck_assert(exact_cos(EXACT_PI) == -1);
}
END_TEST

START_TEST(angle_of_zero_keeps_its_sign) {
    ck_assert(bits_of(exact_sin(0.0)) == bits_of(0.0));
    ck_assert(bits_of(exact_sin(-0.0)) == bits_of(-0.0));
    ck_assert(exact_cos(0.0) == 1);
    ck_assert(exact_cos(-0.0) == 1);
}
END_TEST

START_TEST(angle_out_of_range_is_nan) {
    const double outside[] = {
        -DBL_TRUE_MIN, -1, double_of(bits_of(2 * EXACT_PI) + 1), 7, 1e9, DBL_MAX, INFINITY,
        -INFINITY,     NAN};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_same("sin", outside[i], exact_sin(outside[i]), NAN);
        assert_same("cos", outside[i], exact_cos(outside[i]), NAN);
    }
}
END_TEST

/* value rounded to a multiple of 2^exponent, which is then taken off it. */
static double take_multiple(mpfr_t value, int exponent, mpfr_rnd_t rounding) {
    mpfr_t part;
    mpfr_init2(part, CONSTANT_BITS);
    mpfr_mul_2si(part, value, -exponent, MPFR_RNDN);
    mpfr_rint(part, part, rounding);
    mpfr_mul_2si(part, part, exponent, MPFR_RNDN);
    mpfr_sub(value, value, part, MPFR_RNDN);
    double result = mpfr_get_d(part, MPFR_RNDN);
    mpfr_clear(part);
    return result;
}

START_TEST(table_of_sines_is_right) {
    mpfr_t value;
    mpfr_init2(value, CONSTANT_BITS);
    for (unsigned long j = 0; j <= 32; j++) {
        mpfr_const_pi(value, MPFR_RNDN);
        mpfr_mul_ui(value, value, j, MPFR_RNDN);
        mpfr_div_ui(value, value, 64, MPFR_RNDN);
        mpfr_sin(value, value, MPFR_RNDN);
        double head = take_multiple(value, -26, MPFR_RNDN);
        assert_same("head of node", (double)j, exact_sines[j].head, head);
        /* What 600 bits leave of the exact nodes 0 and 1 is 0. */
        double tail = j % 32 == 0 ? 0 : mpfr_get_d(value, MPFR_RNDN);
        assert_same("tail of node", (double)j, exact_sines[j].tail, tail);
    }
    mpfr_clear(value);
    mpfr_free_cache();
}
END_TEST

START_TEST(table_of_steps_is_right) {
    mpfr_t value;
    mpfr_init2(value, CONSTANT_BITS);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_div_ui(value, value, 64, MPFR_RNDN);
    mpfr_t inverse;
    mpfr_init2(inverse, CONSTANT_BITS);
    mpfr_ui_div(inverse, 1, value, MPFR_RNDN);
    ck_assert(exact_steps_per_radian == mpfr_get_d(inverse, MPFR_RNDN));
    ck_assert(exact_step_1 == take_multiple(value, -40, MPFR_RNDD));
    ck_assert(exact_step_2 == take_multiple(value, -80, MPFR_RNDD));
    ck_assert(exact_step_3 == mpfr_get_d(value, MPFR_RNDN));
    mpfr_clears(value, inverse, (mpfr_ptr)0);
    mpfr_free_cache();
}
END_TEST

START_TEST(table_of_half_pi_is_right) {
    mpfr_t value;
    mpfr_init2(value, CONSTANT_BITS);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_div_ui(value, value, 2, MPFR_RNDN);
    for (int i = 8; i >= 0; i--) {
        double limb = ldexp(take_multiple(value, 32 * (i - 8), MPFR_RNDD), -32 * (i - 8));
        ck_assert_msg((double)exact_half_pi[i] == limb, "limb %d is %" PRIx32, i, exact_half_pi[i]);
    }
    mpfr_clear(value);
    mpfr_free_cache();
}
END_TEST

static void exact_tests(TCase *tests) {
    tcase_add_test(tests, angle_all_over_the_circle);
    tcase_add_test(tests, angle_next_to_an_eighth_turn);
    tcase_add_test(tests, angle_next_to_a_table_node);
    tcase_add_test(tests, angle_of_any_exponent);
    tcase_add_test(tests, angle_that_is_small);
    tcase_add_test(tests, angle_that_is_subnormal);
    tcase_add_test(tests, angle_whose_cube_makes_a_midpoint);
    tcase_add_test(tests, angle_of_pi_is_not_zero);
    tcase_add_test(tests, angle_of_zero_keeps_its_sign);
    tcase_add_test(tests, angle_out_of_range_is_nan);
    tcase_add_test(tests, table_of_sines_is_right);
    tcase_add_test(tests, table_of_steps_is_right);
    tcase_add_test(tests, table_of_half_pi_is_right);
}

int main(void) {
    return suite_run("exact", exact_tests, 120);
}
