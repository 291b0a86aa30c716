/* SPDX-License-Identifier: MIT */
/* `susurration dump`: the scenes that everyone knows. That diff reads it is in cli_diff.c. */
#include "diff_file.h"
#include "suite.h"

#include <string.h>

START_TEST(dump_of_the_golden_scene) {
    char *dump = diff_file_dump("dump --hashes");
    ck_assert_str_eq(dump, "tick,state_hash\n500,2859c10a10b68472\n");
    free(dump);
    dump = diff_file_dump("dump --hashes --json");
    ck_assert_str_eq(dump, "{\"seed\": 42, \"birds\": 120, \"tick\": 500, "
                           "\"state_hash\": \"2859c10a10b68472\"}\n");
    free(dump);
}
END_TEST

START_TEST(dump_of_tick_0_is_the_specification) {
    char *dump = diff_file_dump("dump --from 0 --at-tick 1 --numbers decimal");
    /* x and y of the first bird: the generator's first two numbers, times 1000 and 600. */
    const char *start = "tick,bird,x,y,vx,vy\n"
                        "0,0,601.1037519201636,268.974335398525,";
    ck_assert_int_eq(strncmp(dump, start, strlen(start)), 0);
    free(dump);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, dump_of_the_golden_scene);
    tcase_add_test(tests, dump_of_tick_0_is_the_specification);
}

int main(void) {
    return suite_run("cli_dump", add, 120);
}
