/* SPDX-License-Identifier: MIT */
#pragma once
/* The main() of every libcheck program: one suite of one test case. */
#include <check.h>
#include <stdlib.h>

/* Runs the tests that `add` puts into the case; `seconds` bounds each. The program's exit status.
 */
static inline int suite_run(const char *name, void (*add)(TCase *tests), double seconds) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, seconds);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
