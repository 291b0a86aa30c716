/* SPDX-License-Identifier: MIT */
/*
 * Correctly rounded hypot: a fast evaluation with a proven error bound and, when that is too close
 * to the midpoint of two doubles, an exact comparison with that midpoint. Nothing is left to luck:
 * the comparison is exact, and a tie goes to even. A pure function, for any thread.
 *
 * Below, x >= y > 0 are the magnitudes of the arguments, 2^e <= x < 2^(e+1), and u = 2^-53: an
 * operation on doubles has a relative error of at most u. Let r be sqrt(x*x + y*y) as doubles
 * compute it, less than two ulps from the truth. The truth is r + d, d = (x^2 + y^2 - r^2)/(2r) up
 * to d^2/(2r) < 2^-100 r. So all that is needed is x^2 + y^2 - r^2 without cancellation:
 *
 * SPLIT ALL THREE AT ONE BIT. x = xh + xl with xh the nearest multiple of q = 2^(e-24), |xl| <=
 * q/2, y and r likewise. Then xh^2 - rh^2 + yh^2 is exact: all are multiples of q^2 and, r being
 * below 2^(e+1.5), less than 2^52 of them. What remains of each square is xl*(xh + x), and so on.
 * In units of 2^2e, these are at most 2^-23 for x and y and 2^-22.5 for r, with two roundings each:
 * 2^-75 + 2^-75 + 2^-74.5. Their sums round by 2^-75 and 2^-74.2, and the last sum, as small as the
 * residual, by 2^-100. Together less than 2^-72.3, which divided by 2r is less than 2^-73.3 r. The
 * code allows 2^-71 r, which leaves one pair in about 200,000 to the comparison.
 *
 * ROUNDING TEST. When r + (d - error) and r + (d + error) round to one double, that is the result,
 * because rounding is monotonic. Otherwise they round to neighbours a < b, and the truth is next to
 * m = (a + b)/2.
 *
 * COMPARISON. With h = (b - a)/2, a power of two, the sign of
 *
 *    x^2 + y^2 - (a^2 + 2ah + h^2)
 *
 * decides. Each product is an exact sum of two doubles or one; adding the eight one after the other
 * into an expansion (a sum of doubles that do not overlap, the greatest last) keeps them exact, and
 * the sign of an expansion is that of its greatest part. Zero is a tie: m has 54 bits then, as in a
 * Pythagorean triple.
 *
 * RANGE. All of this needs squares that neither overflow nor lose bits below 2^-1074: true for
 * y > 2^-450 and x < 2^510. Elsewhere
 * - y <= x * 2^-60 (also: y = 0) gives x: hypot - x <= y^2/(2x) is less than a quarter of an ulp.
 *   Of subnormals, where the product rounds, this is true for y = 0 only, or beyond 2^59.
 * - both are scaled by a power of two, which is exact after the line above. Scaling back overflows
 *   as it should. When it leads to subnormals it rounds a second time, to a multiple of 2^-1074.
 * That is harmless unless the first rounding ended halfway between two of them; then the comparison
 *   decides between these two.
 */
#include "exact.h"

#include <float.h>
#include <stdint.h>

#if FLT_EVAL_METHOD != 0
#error "doubles are computed with extra precision here (x87?): results would not be exact"
#endif
#if defined(__FAST_MATH__)
#error "-ffast-math breaks error-free transformations"
#endif

static uint64_t exact_bits(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The greatest power of two that is not greater than x: normal, positive. */
static double exact_leading_bit(double x) {
    uint64_t bits = exact_bits(x) & 0x7ff0000000000000;
    double power;
    __builtin_memcpy(&power, &bits, sizeof power);
    return power;
}

/* An exact sum of doubles that do not overlap, in ascending order of magnitude but for zeros. */
struct expansion {
    int length;
    double part[8];
};

/* Shewchuk's GROW-EXPANSION: Knuth's error-free addition, carried through all parts. */
static void expansion_add(struct expansion *sum, double term) {
    for (int i = 0; i < sum->length; i++) {
        double part = sum->part[i];
        double total = term + part;
        double part_rounded = total - term;
        sum->part[i] = (term - (total - part_rounded)) + (part - part_rounded);
        term = total;
    }
    sum->part[sum->length++] = term;
}

/* sign * x^2, sign = +-1, by Veltkamp's split and Dekker's product. */
static void expansion_add_square(struct expansion *sum, double x, double sign) {
    double shifted = 0x8000001p0 * x;
    double high = shifted - (shifted - x);
    double low = x - high;
    double square = x * x;
    double error = ((high * high - square) + 2 * high * low) + low * low;
    expansion_add(sum, sign * square);
    expansion_add(sum, sign * error);
}

/* a or b, neighbours: whichever is nearer to sqrt(x^2 + y^2), the even one at equal distance. */
static double exact_nearer(double x, double y, double a, double b) {
    double half = 0.5 * (b - a);
    struct expansion difference;
    difference.length = 0;
    expansion_add_square(&difference, x, 1);
    expansion_add_square(&difference, y, 1);
    expansion_add_square(&difference, a, -1);
    expansion_add(&difference, -2 * half * a);
    expansion_add(&difference, -half * half);
    for (int i = difference.length - 1; i >= 0; i--) {
        if (difference.part[i] != 0)
            return difference.part[i] < 0 ? a : b;
    }
    return exact_bits(a) & 1 ? b : a;
}

/* 0 < y <= x, y > 2^-450, x < 2^510 */
static double exact_hypot_in_range(double x, double y) {
    double r = exact_sqrt(x * x + y * y);
    double to_multiple = 0x1.8p28 * exact_leading_bit(x); /* adding it leaves multiples of q */
    double xh = (x + to_multiple) - to_multiple;
    double yh = (y + to_multiple) - to_multiple;
    double rh = (r + to_multiple) - to_multiple;
    double rest = ((x - xh) * (x + xh) + (y - yh) * (y + yh)) - (r - rh) * (r + rh);
    double d = 0.5 * (((xh * xh - rh * rh) + yh * yh) + rest) / r;
    double error = 0x1p-71 * r;
    double below = r + (d - error);
    double above = r + (d + error);
    return below == above ? below : exact_nearer(x, y, below, above);
}

/* Both so small that the result may be subnormal. */
static double exact_hypot_upscaled(double x, double y) {
    const double up = 0x1p700, down = 0x1p-700;
    x *= up;
    y *= up;
    double r = exact_hypot_in_range(x, y);
    if (r < DBL_MIN * up) {
        const double unit = 0x1p-1074 * up;
        double below = unit * (double)(int64_t)(r / unit);
        if (r - below == 0.5 * unit)
            r = exact_nearer(x, y, below, below + unit);
    }
    return r * down;
}

/* Everything that exact_hypot_in_range cannot take. */
static double exact_hypot_special(double x, double y) {
    const double infinity = __builtin_inf();
    if (x == infinity || y == infinity)
        return infinity;
    if (x != x || y != y)
        return __builtin_nan(""); /* x + y would have another payload on another CPU */
    if (y <= 0x1p-60 * x)
        return x;
    if (x >= 0x1p510)
        return exact_hypot_in_range(x * 0x1p-600, y * 0x1p-600) * 0x1p600;
    return exact_hypot_upscaled(x, y);
}

double exact_hypot(double x, double y) {
    x = __builtin_fabs(x);
    y = __builtin_fabs(y);
    double greater = x < y ? y : x;
    double lesser = x < y ? x : y;
    if (lesser > 0x1p-450 && greater < 0x1p510)
        return exact_hypot_in_range(greater, lesser);
    return exact_hypot_special(greater, lesser);
}
