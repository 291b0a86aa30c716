/* SPDX-License-Identifier: MIT */
/*
 * exact_hypot against MPFR, which rounds correctly too: every bit must agree. Random legs come
 * close to a midpoint only by 2^-20 or so of an ulp; the cases at a midpoint or 2^-53 of an ulp
 * next to one are constructed.
 */
#include "exact.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "doubles.h"
#include "suite.h"

/* MPFR with the precision and the exponents of binary64, so that subnormals round once. */
static mpfr_t oracle_x, oracle_y, oracle_result;

static void oracle_open(void) {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_inits2(53, oracle_x, oracle_y, oracle_result, (mpfr_ptr)0);
}

static void oracle_close(void) {
    mpfr_clears(oracle_x, oracle_y, oracle_result, (mpfr_ptr)0);
    mpfr_free_cache();
}

static double oracle_hypot(double x, double y) {
    mpfr_set_d(oracle_x, x, MPFR_RNDN);
    mpfr_set_d(oracle_y, y, MPFR_RNDN);
    int inexact = mpfr_hypot(oracle_result, oracle_x, oracle_y, MPFR_RNDN);
    mpfr_subnormalize(oracle_result, inexact, MPFR_RNDN);
    return mpfr_get_d(oracle_result, MPFR_RNDN);
}

static void assert_exact(double x, double y) {
    double ours = exact_hypot(x, y), oracle = oracle_hypot(x, y);
    if (bits_of(ours) != bits_of(oracle))
        ck_abort_msg("hypot(%a, %a) is %a and not %a", x, y, ours, oracle);
    if (bits_of(exact_hypot(-y, x)) != bits_of(ours))
        ck_abort_msg("hypot(%a, %a) depends on order or signs", x, y);
}

/* Each leg moved by up to `reach` ulps. */
static void assert_exact_around(double x, double y, int reach) {
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++)
            assert_exact(double_of(bits_of(x) + (uint64_t)i), double_of(bits_of(y) + (uint64_t)j));
    }
}

/* At several scales; the legs are exact there. */
static void assert_exact_scaled(double x, double y) {
    static const int scales[] = {0, -44, -200, -500, -900, 400, 500, 900};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        assert_exact(ldexp(x, scales[i]), ldexp(y, scales[i]));
}

/* What the flock asks for: deltas on the torus. */
START_TEST(pair_of_the_field) {
    uint64_t state = 1;
    for (int i = 0; i < 1 << 20; i++)
        assert_exact(next_fraction(&state) * 500, next_fraction(&state) * 300);
}
END_TEST

START_TEST(pair_of_speeds) {
    uint64_t state = 2;
    for (int i = 0; i < 200000; i++)
        assert_exact(next_fraction(&state) * 4.2, next_fraction(&state) * 4.2);
}
END_TEST

START_TEST(pair_of_any_exponents) {
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++)
        assert_exact(next_finite(&state), next_finite(&state));
}
END_TEST

/* Any exponent, but the lesser leg counts: 0 to 60 binary places below the greater. */
START_TEST(pair_of_similar_exponents) {
    uint64_t state = 4;
    for (int i = 0; i < 400000; i++) {
        double x = next_finite(&state);
        double ratio = ldexp(1 + next_fraction(&state), -(int)(next_random(&state) % 61));
        assert_exact(x, x * ratio);
    }
}
END_TEST

/* y^2/(2x) is about half an ulp of x for y/x near 2^-26, and less than any rest at 2^-60. */
START_TEST(pair_with_a_tiny_leg) {
    uint64_t state = 5;
    for (int exponent = -62; exponent <= -22; exponent++) {
        for (int i = 0; i < 5000; i++) {
            double x = 1 + next_fraction(&state);
            assert_exact(x, ldexp(1 + next_fraction(&state), exponent));
        }
    }
}
END_TEST

/* y^2 = ulp*x leads to x + ulp/2 less ulp^2/(8x), which is 2^-55 of an ulp; y^2 = 3*ulp*x likewise.
 */
START_TEST(pair_with_a_tiny_leg_at_a_midpoint) {
    uint64_t state = 6;
    for (int i = 0; i < 20000; i++) {
        double x = 1 + next_fraction(&state);
        assert_exact_around(x, sqrt(x * 0x1p-52), 4);
        assert_exact_around(x, sqrt(x * 3 * 0x1p-52), 4);
    }
    assert_exact_around(1, 0x1p-26, 20);
    assert_exact_around(0x1.fffffffffffffp0, 0x1p-26, 20);
}
END_TEST

START_TEST(pair_of_equal_legs) {
    uint64_t state = 7;
    for (int i = 0; i < 100000; i++) {
        double x = next_finite(&state);
        assert_exact(x, x);
        assert_exact(x, double_of(bits_of(x) ^ 1));
        assert_exact(x, double_of(bits_of(x) ^ 2));
    }
}
END_TEST

/*
 * Multiples of m^2 - n^2, 2mn and m^2 + n^2, the latter odd and of 54 bits: the result is a tie.
 * Primitive triples have a hypotenuse of 4i + 1, whose tie goes down; three times that goes up.
 */
START_TEST(triple_at_a_midpoint) {
    uint64_t state = 8;
    int ties = 0, upwards = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t multiple = i % 2 ? 3 : 1;
        double scale = 1 / sqrt((double)multiple);
        uint64_t m =
            (uint64_t)((0x5000000 + next_fraction(&state) * 0x2000000) * scale) & ~(uint64_t)1;
        uint64_t n = (uint64_t)((0x2000000 + next_fraction(&state) * 0x2000000) * scale) | 1;
        uint64_t a = multiple * (m * m - n * n), b = multiple * 2 * m * n;
        uint64_t c = multiple * (m * m + n * n);
        if (c >> 53 != 1 || a >> 53 != 0 || b >> 53 != 0)
            continue;
        double x = (double)a, y = (double)b;
        ties++;
        upwards += exact_hypot(x, y) > (double)(c - 1);
        assert_exact_scaled(x, y);
        assert_exact_around(x, y, 1);
        for (int k = 1; k <= 2; k++) {
            assert_exact_scaled(x + k, y);
            assert_exact_scaled(x - k, y);
            assert_exact_scaled(x, y + k);
            assert_exact_scaled(x, y - k);
        }
    }
    /* Ties there were, and to even goes up as often as down. */
    ck_assert_int_gt(ties, 1000);
    ck_assert_int_gt(upwards, ties / 3);
    ck_assert_int_lt(upwards, ties * 2 / 3);
}
END_TEST

/* Triples of fewer bits: the result is exact. */
START_TEST(triple_that_is_exact) {
    for (uint64_t m = 2; m < 300; m++) {
        for (uint64_t n = 1; n < m; n++) {
            double x = (double)(m * m - n * n), y = (double)(2 * m * n);
            ck_assert(exact_hypot(x, y) == (double)(m * m + n * n));
            assert_exact(x, y);
        }
    }
    ck_assert(exact_hypot(3, 4) == 5);
    ck_assert(exact_hypot(54, 72) == 90);
    ck_assert(exact_hypot(-0x3p-1074, 0x4p-1074) == 0x5p-1074);
    ck_assert(exact_hypot(0x3p1020, -0x4p1020) == 0x5p1020);
}
END_TEST

/*
 * Integer legs whose x^2 + y^2 is (n + 1/2)^2 - 1/4 or + 3/4: as close to a midpoint as integers
 * come. With D = 2n + 1 - 2x a divisor, (2n + 1)^2 - (2x)^2 = 4y^2 + rest, rest = 1 or -3, gives x
 * and n from y. As subnormals, with n + 1/2 halfway between multiples of 2^-1074, and everywhere
 * else when n has 53 bits.
 */
static void assert_exact_beside_midpoint(uint64_t y, int64_t rest, uint64_t divisor) {
    uint64_t product = 4 * y * y + (uint64_t)rest;
    if (product % divisor != 0 || product / divisor <= divisor)
        return;
    uint64_t x = (product / divisor - divisor) / 4, n = (product / divisor + divisor - 2) / 4;
    ck_assert(x * x + y * y == n * n + n + (rest < 0)); /* modulo 2^64 */
    if (n >> 53 != 0)
        return;
    double expected = (double)(rest < 0 ? n + 1 : n);
    assert_exact((double)x, (double)y);
    if (n >> 52 == 0)
        ck_assert(exact_hypot((double)x * 0x1p-1074, (double)y * 0x1p-1074) ==
                  expected * 0x1p-1074);
    else
        ck_assert(exact_hypot((double)x, (double)y) == expected);
    assert_exact((double)x * 0x1p-1074, (double)y * 0x1p-1074);
    assert_exact_scaled((double)x, (double)y);
}

START_TEST(integers_beside_a_midpoint) {
    uint64_t state = 9;
    for (uint64_t divisor = 1; divisor < 100; divisor += 2) {
        for (int bits = 4; bits < 31; bits++) {
            uint64_t y = next_random(&state) >> (64 - bits);
            for (uint64_t i = 0; i < 2 * divisor; i++) {
                assert_exact_beside_midpoint(y + i, 1, divisor);
                assert_exact_beside_midpoint(y + i + 1, -3, divisor);
            }
        }
    }
}
END_TEST

/* Every y next to the circle: the flock asks whether the distance is below 28 and below 90. */
static void assert_exact_on_circle(double radius) {
    uint64_t state = 10;
    for (int i = 0; i < 30000; i++) {
        double x = next_fraction(&state) * radius;
        double y = sqrt((radius - x) * (radius + x));
        assert_exact_around(x, y, 1);
        assert_exact(x, double_of(bits_of(y) + 2));
        assert_exact(x, double_of(bits_of(y) - 2));
    }
}

START_TEST(pair_at_separation_distance) {
    assert_exact_on_circle(28);
}
END_TEST

START_TEST(pair_at_perception_distance) {
    assert_exact_on_circle(90);
}
END_TEST

START_TEST(pair_of_subnormals) {
    uint64_t state = 11;
    for (uint64_t x = 0; x < 300; x++) {
        for (uint64_t y = 0; y <= x; y++)
            assert_exact(double_of(x), double_of(y));
    }
    for (int i = 0; i < 200000; i++) {
        uint64_t x = next_random(&state) >> (12 + next_random(&state) % 52);
        uint64_t y = next_random(&state) >> (12 + next_random(&state) % 52);
        assert_exact(double_of(x), double_of(y));
    }
}
END_TEST

/* Where results stop to be subnormal, and where legs change between scaled and not. */
START_TEST(pair_at_a_border_of_range) {
    static const int exponents[] = {-1074, -1073, -1022, -1021, -961, -451, -450,
                                    -449,  -391,  -390,  509,   510,  1022, 1023};
    uint64_t state = 12;
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        for (int places = 0; places < 64; places++) {
            double x = ldexp(1, exponents[i]), y = ldexp(1, exponents[i] - places);
            assert_exact(x, y);
            for (int k = 0; k < 200; k++)
                assert_exact(x * (0.75 + next_fraction(&state) / 2),
                             y * (0.75 + next_fraction(&state) / 2));
        }
    }
}
END_TEST

START_TEST(pair_that_overflows) {
    ck_assert(exact_hypot(DBL_MAX, DBL_MAX) == INFINITY);
    ck_assert(exact_hypot(-DBL_MAX, 0) == DBL_MAX);
    ck_assert(exact_hypot(DBL_MAX, 0x1p970) == DBL_MAX);
    uint64_t state = 13;
    double edge = DBL_MAX * sqrt(0.5);
    assert_exact_around(edge, edge, 20);
    for (int i = 0; i < 100000; i++) {
        double x = DBL_MAX * next_fraction(&state);
        assert_exact(x, sqrt(1 - x / DBL_MAX) * sqrt(1 + x / DBL_MAX) * DBL_MAX);
    }
    /* y^2 = ulp*x is a little less than DBL_MAX and half an ulp, which is where overflow starts. */
    uint64_t bits = bits_of(sqrt(0x1p-53) * DBL_MAX);
    for (uint64_t offset = 0; offset < 40; offset++)
        assert_exact(DBL_MAX, double_of(bits - 20 + offset));
}
END_TEST

START_TEST(pair_with_zero) {
    ck_assert(bits_of(exact_hypot(0.0, 0.0)) == 0);
    ck_assert(bits_of(exact_hypot(-0.0, -0.0)) == 0);
    ck_assert(bits_of(exact_hypot(-0.0, 0.0)) == 0);
    uint64_t state = 14;
    for (int i = 0; i < 1000; i++) {
        double x = next_finite(&state);
        ck_assert(exact_hypot(-x, -0.0) == x);
        ck_assert(exact_hypot(0, x) == x);
    }
    ck_assert(exact_hypot(DBL_TRUE_MIN, 0) == DBL_TRUE_MIN);
}
END_TEST

START_TEST(pair_that_is_not_finite) {
    ck_assert(exact_hypot(INFINITY, NAN) == INFINITY);
    ck_assert(exact_hypot(NAN, -INFINITY) == INFINITY);
    ck_assert(exact_hypot(-INFINITY, 1) == INFINITY);
    ck_assert(exact_hypot(0, INFINITY) == INFINITY);
    const double nans[] = {NAN, -NAN, double_of(0x7ff80000deadbeef)};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++) {
        ck_assert(bits_of(exact_hypot(nans[i], 1)) == bits_of(NAN));
        ck_assert(bits_of(exact_hypot(0, nans[i])) == bits_of(NAN));
        ck_assert(bits_of(exact_hypot(nans[i], nans[i])) == bits_of(NAN));
    }
}
END_TEST

static void exact_hypot_tests(TCase *tests) {
    tcase_add_unchecked_fixture(tests, oracle_open, oracle_close);
    tcase_add_test(tests, pair_of_the_field);
    tcase_add_test(tests, pair_of_speeds);
    tcase_add_test(tests, pair_of_any_exponents);
    tcase_add_test(tests, pair_of_similar_exponents);
    tcase_add_test(tests, pair_with_a_tiny_leg);
    tcase_add_test(tests, pair_with_a_tiny_leg_at_a_midpoint);
    tcase_add_test(tests, pair_of_equal_legs);
    tcase_add_test(tests, triple_at_a_midpoint);
    tcase_add_test(tests, triple_that_is_exact);
    tcase_add_test(tests, integers_beside_a_midpoint);
    tcase_add_test(tests, pair_at_separation_distance);
    tcase_add_test(tests, pair_at_perception_distance);
    tcase_add_test(tests, pair_of_subnormals);
    tcase_add_test(tests, pair_at_a_border_of_range);
    tcase_add_test(tests, pair_that_overflows);
    tcase_add_test(tests, pair_with_zero);
    tcase_add_test(tests, pair_that_is_not_finite);
}

int main(void) {
    return suite_run("exact_hypot", exact_hypot_tests, 120);
}
