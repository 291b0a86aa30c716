/* SPDX-License-Identifier: MIT */
#include "err.h"

#include "suite.h"

#include <check.h>
#include <limits.h>

START_TEST(err_text_of_codes) {
    ck_assert_int_eq(ERR_NO_MEMORY, -1);
    ck_assert_str_eq(err_text(0), "no error");
#define ERR_CODE(code, text) ck_assert_str_eq(err_text(ERR_##code), text);
    ERR_CODES(ERR_CODE)
#undef ERR_CODE
}
END_TEST

START_TEST(err_text_of_other_numbers) {
    ck_assert_str_eq(err_text(1), "unknown error");
    ck_assert_str_eq(err_text(ERR_UNSUPPORTED - 1), "unknown error");
    ck_assert_str_eq(err_text(INT_MIN), "unknown error");
    ck_assert_str_eq(err_text(INT_MAX), "unknown error");
}
END_TEST

static void err_tests(TCase *tests) {
    tcase_add_test(tests, err_text_of_codes);
    tcase_add_test(tests, err_text_of_other_numbers);
}

int main(void) {
    return suite_run("err", err_tests, 60);
}
