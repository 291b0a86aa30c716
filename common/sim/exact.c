/* SPDX-License-Identifier: MIT */
/*
 * Correctly rounded sine and cosine: first a fast evaluation with a proven error bound, which
 * settles all but one argument in about 3,600; then, for those, 256-bit integers. Pure
 * functions, for any thread.
 *
 * u = 2^-53 below: an operation on doubles has a relative error of at most u.
 *
 * ONE FUNCTION. cos(x) = sin(x + pi/2), so both are "sin(x + quarter*pi/2)". With k the integer
 * next to x*64/pi and r = x - k*pi/64, |r| <= pi/128 + 2^-40, the quadrant (k >> 5) + quarter and
 * j = k & 31, the result is +-sin(j*pi/64 + r) in even quadrants and +-cos(j*pi/64 + r) =
 * +-sin((32 - j)*pi/64 - r) in odd ones. So all that is left is sin(j*pi/64 + r) for j = 0..32.
 *
 * REDUCTION. k <= 128, so k*step_1 and k*step_2 are exact. t = x - k*step_1 is exact: both are
 * multiples of 2^-58 (of x's ulp, for the smallest x with k > 0) and |t| < 2^-5. Then rh + rl is
 * t - k*step_2 without error, minus k*step_3, which brings at most 2^-126 of rounding and of what
 * the three steps lack of pi/64. No double of the range is closer to a multiple of pi/2 than 2^-54,
 * so next to those (where the result is small) r has a relative error of at most 2^-72.
 *
 * NEXT TO A ZERO (j = 0). sin(r) = rh + (rl + rh^3*P(rh^2)), P the Taylor polynomial. Relative to
 * the result: the cubic term's seven roundings 7u*r^2/6, what it lacks of rl u*r^2/2, together less
 * than 2^-52 * r^2; the polynomial stops at r^9, and r^10/11! < 2^-78 and r itself 2^-72: less than
 * 2^-70 together.
 *
 * ELSEWHERE. Split r = r1 + r2 with r1 a multiple of 2^-27, and r1^2/2 = u1 + u2 likewise (r1 has
 * 22 bits, so its square is exact). With s = sin(j*pi/64), c = cos(j*pi/64), each head + tail,
 *
 *    sin r = r1 + w,       w = r2 + (sin r - r)
 *    cos r = 1 - u1 + v,   v = (cos r - 1 + r^2/2) - (u2 + r2*(r1 + r2/2))
 *
 *    result = [s_head + (c_head*r1 - s_head*u1)]                    multiples of 2^-53, exact
 *           + c*w + (s*v + (c_tail*r1 + (s_tail - s_tail*u1)))      below 2^-18
 *
 * Everything in the bracket is a multiple of 2^-53 and at most 1: no rounding at all. In the second
 * line c*w dominates, |w| < r^3/6 + 2^-28 < 2^-18.6: nine roundings, 9u * 2^-18.6 < 2^-68.4;
 * evaluating the cube at rh instead of r, 2^-70.7; the first Taylor term left out of the cosine,
 * r^10/10!, 2^-75; everything else below 2^-76. With the rounding of lo +- error in the test,
 * 2^-71.6, that is less than 2^-68; the code allows 2^-67. The result here is at least sin(pi/128).
 *
 * ROUNDING TEST. The true value lies between hi + (lo - error) and hi + (lo + error). Rounding is
 * monotonic: when both round to one double, that is the correctly rounded result.
 *
 * SMALL ARGUMENTS. Below 2^-27 x^3/6 and x^2/2 are less than a quarter of an ulp of x and of 1, so
 * the results are x and 1. That keeps all of the above far from underflow.
 *
 * OTHERWISE INTEGERS. x is reduced by pi/2 and put into the Taylor series of sine or cosine, all in
 * integers of 2^-256. Each of at most 34 terms and the reduction err by a few units: less than
 * 2^-245 in all. The smallest result is 2^-54, so the relative error is below 2^-191. No sine or
 * cosine of a double but 0 is a double or halfway between two (they are transcendental). The
 * closest to a midpoint of the 2^58 results may be expected 2^-112 of itself away; results
 * constructed to be close (x - x^3/6 a midpoint) are not closer than the next term, 2^-113. So
 * 2^-191 decides, by a wide margin. For the 2^32 angles that the generator can make, nothing is
 * left to expectation: all of them can be compared to MPFR.
 */
#include "exact.h"

#include <float.h>
#include <stdint.h>

#include "exact_table.h"

#if FLT_EVAL_METHOD != 0
#error "doubles are computed with extra precision here (x87?): results would not be exact"
#endif
#if defined(__FAST_MATH__)
#error "-ffast-math breaks error-free transformations"
#endif

/* A number of 288 bits in units of 2^-256: limb[8] is the integer part. */
enum { FIXED_LIMBS = 9 };
struct fixed {
    uint32_t limb[FIXED_LIMBS];
};

/* 2^-27 <= x < 8, exactly. */
static struct fixed fixed_from_double(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
    uint32_t position = (uint32_t)(bits >> 52) - 1075 + 256; /* of the lowest bit, 177 to 206 */
    uint32_t limb = position / 32, shift = position % 32;
    uint64_t low = (mantissa & 0xffffffff) << shift;
    uint64_t high = ((mantissa >> 32) << shift) + (low >> 32);
    struct fixed result = {{0}};
    result.limb[limb] = (uint32_t)low;
    result.limb[limb + 1] = (uint32_t)high;
    result.limb[limb + 2] = (uint32_t)(high >> 32);
    return result;
}

static void fixed_add(struct fixed *a, const struct fixed *b) {
    uint64_t carry = 0;
    for (int i = 0; i < FIXED_LIMBS; i++) {
        carry += (uint64_t)a->limb[i] + b->limb[i];
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Modulo 2^32. Tells whether the difference is below 0. */
static int fixed_subtract(struct fixed *a, const struct fixed *b) {
    uint64_t borrow = 0;
    for (int i = 0; i < FIXED_LIMBS; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (int)borrow;
}

/* Rounded down; the product must be below 2^32. */
static struct fixed fixed_multiply(const struct fixed *a, const struct fixed *b) {
    uint32_t product[2 * FIXED_LIMBS] = {0};
    for (int i = 0; i < FIXED_LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < FIXED_LIMBS; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i + FIXED_LIMBS] = (uint32_t)carry;
    }
    struct fixed result;
    __builtin_memcpy(result.limb, product + FIXED_LIMBS - 1, sizeof result.limb);
    return result;
}

/* Rounded down. Returns 0 when nothing is left. */
static int fixed_divide(struct fixed *a, uint32_t divisor) {
    uint64_t remainder = 0;
    uint32_t left = 0;
    for (int i = FIXED_LIMBS - 1; i >= 0; i--) {
        remainder = remainder << 32 | a->limb[i];
        a->limb[i] = (uint32_t)(remainder / divisor);
        remainder %= divisor;
        left |= a->limb[i];
    }
    return left != 0;
}

/* To the nearest double; 2^-64 <= a. */
static double fixed_to_double(const struct fixed *a) {
    int top = FIXED_LIMBS - 1;
    while (a->limb[top] == 0)
        top--;
    uint64_t high = (uint64_t)a->limb[top] << 32 | a->limb[top - 1];
    uint32_t low = a->limb[top - 2];
    uint64_t exponent = (uint64_t)(1023 + 32 * (top - FIXED_LIMBS)); /* biased, of high's bit 0 */
    for (; !(high >> 63); exponent--) {
        high = high << 1 | low >> 31;
        low <<= 1;
    }
    uint64_t mantissa = (high >> 11) + (high >> 10 & 1);
    uint64_t bits = (exponent + 11) << 52;
    double unit;
    __builtin_memcpy(&unit, &bits, sizeof unit);
    return (double)mantissa * unit;
}

/* sin(x + quarter*pi/2) by the Taylor series of sine or cosine. */
static double exact_evaluate_slowly(double x, uint32_t quarter) {
    struct fixed half_pi, r = fixed_from_double(x);
    __builtin_memcpy(half_pi.limb, exact_half_pi, sizeof half_pi.limb);
    for (struct fixed less = r; fixed_subtract(&less, &half_pi) == 0; quarter++)
        r = less;

    const struct fixed square = fixed_multiply(&r, &r), one = {.limb[FIXED_LIMBS - 1] = 1};
    uint32_t n = quarter & 1 ? 0 : 1; /* the term is r^n/n! */
    struct fixed term = n ? r : one, sum = term;
    for (int negative = 1;; negative = !negative, n += 2) {
        term = fixed_multiply(&term, &square);
        if (!fixed_divide(&term, (n + 1) * (n + 2)))
            break;
        if (negative)
            (void)fixed_subtract(&sum, &term); /* may pass below 0 on the way */
        else
            fixed_add(&sum, &term);
    }
    double magnitude = fixed_to_double(&sum);
    return quarter & 2 ? -magnitude : magnitude;
}

/* An angle within pi/128 of 0: high + low, |low| at most half an ulp of high. */
struct angle {
    double high, low;
};

/* x - k*pi/64 */
static struct angle exact_reduce(double x, double k) {
    double t = x - k * exact_step_1;
    double b = -(k * exact_step_2);
    double high = t + b;
    double t_rounded = high - b;
    double error = (t - t_rounded) + (b - (high - t_rounded));
    return (struct angle){high, error - k * exact_step_3};
}

/* sin r - r */
static double exact_sine_rest(double r, double square) {
    return square * r *
           (-0x1.5555555555555p-3 +
            square * (0x1.1111111111111p-7 +
                      square * (-0x1.a01a01a01a01ap-13 + square * 0x1.71de3a556c734p-19)));
}

/* cos r - 1 + r^2/2 */
static double exact_cosine_rest(double square) {
    return square * square *
           (0x1.5555555555555p-5 +
            square * (-0x1.6c16c16c16c17p-10 + square * 0x1.a01a01a01a01ap-16));
}

/* The sum of hi and lo is what is returned, error the bound of its distance to the true value. */
struct estimate {
    double hi, lo, error;
};

static struct estimate exact_next_to_zero(struct angle r) {
    double square = r.high * r.high;
    double magnitude = __builtin_fabs(r.high);
    return (struct estimate){r.high, r.low + exact_sine_rest(r.high, square),
                             magnitude * (square * 0x1p-51 + 0x1p-70)};
}

/* sin(j*pi/64 + r); the essay has the derivation and the names. */
static struct estimate exact_elsewhere(uint32_t j, struct angle r) {
    const double to_multiple = 0x1.8p25; /* adding it leaves multiples of 2^-27 */
    double square = r.high * r.high;
    double r1 = (r.high + to_multiple) - to_multiple;
    double r2 = (r.high - r1) + r.low;
    double half_square = 0.5 * r1 * r1;
    double u1 = (half_square + to_multiple) - to_multiple;
    double u2 = half_square - u1;
    double w = r2 + exact_sine_rest(r.high, square);
    double v = exact_cosine_rest(square) - (u2 + r2 * (r1 + 0.5 * r2));
    const struct exact_sine s = exact_sines[j], c = exact_sines[32 - j];
    double hi = s.head + (c.head * r1 - s.head * u1);
    double lo =
        (c.head + c.tail) * w + ((s.head + s.tail) * v + (c.tail * r1 + (s.tail - s.tail * u1)));
    return (struct estimate){hi, lo, 0x1p-67};
}

/* sin(x + quarter*pi/2) */
static double exact_evaluate(double x, uint32_t quarter) {
    if (!(x >= 0 && x <= 2 * EXACT_PI))
        return __builtin_nan("");
    if (x < 0x1p-27)
        return quarter ? 1.0 : x;
    int k = (int)(x * exact_steps_per_radian + 0.5);
    struct angle r = exact_reduce(x, k);
    uint32_t quadrant = ((uint32_t)k >> 5) + quarter;
    uint32_t j = (uint32_t)k & 31;
    if (quadrant & 1) {
        j = 32 - j;
        r = (struct angle){-r.high, -r.low};
    }
    struct estimate e = j == 0 ? exact_next_to_zero(r) : exact_elsewhere(j, r);
    double below = e.hi + (e.lo - e.error);
    double above = e.hi + (e.lo + e.error);
    if (below != above)
        return exact_evaluate_slowly(x, quarter);
    return quadrant & 2 ? -below : below;
}

double exact_sin(double x) {
    return exact_evaluate(x, 0);
}

double exact_cos(double x) {
    return exact_evaluate(x, 1);
}
