/* SPDX-License-Identifier: MIT */
#include "fpu.h"

#include "suite.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

START_TEST(fpu_default_is_exact) {
    ck_assert(fpu_is_exact());
    ck_assert_int_eq(fpu_prepare(), 0);
}
END_TEST

START_TEST(fpu_rounding_is_seen_and_set_right) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    ck_assert_int_eq(fesetround(modes[_i]), 0);
    bool exact = fpu_is_exact();
    int prepared = fpu_prepare();
    bool exact_then = fpu_is_exact();
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert(!exact);
    ck_assert_int_eq(prepared, 0);
    ck_assert(exact_then);
    ck_assert_int_eq(mode, FE_TONEAREST);
}
END_TEST

#if defined(__SSE2__)
START_TEST(fpu_flushed_denormals_are_seen_and_set_right) {
    static const unsigned flags[] = {0x8000, 0x0040, 0x8040};
    _mm_setcsr(_mm_getcsr() | flags[_i]);
    bool exact = fpu_is_exact();
    int prepared = fpu_prepare();
    ck_assert(!exact);
    ck_assert_int_eq(prepared, 0);
    ck_assert(fpu_is_exact());
    ck_assert_uint_eq(_mm_getcsr() & 0x8040u, 0);
}
END_TEST
#endif

static void add(TCase *tests) {
    tcase_add_test(tests, fpu_default_is_exact);
    tcase_add_loop_test(tests, fpu_rounding_is_seen_and_set_right, 0, 3);
#if defined(__SSE2__)
    tcase_add_loop_test(tests, fpu_flushed_denormals_are_seen_and_set_right, 0, 3);
#endif
}

int main(void) {
    return suite_run("fpu", add, 10);
}
