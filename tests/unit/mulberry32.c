/* SPDX-License-Identifier: MIT */
/* The generator against the values that the specification publishes. */
#include "mulberry32.h"

#include "suite.h"

START_TEST(mulberry32_seed_42_gives_the_published_values) {
    static const double published[] = {0.6011037519201636, 0.44829055899754167, 0.8524657934904099,
                                       0.6697340414393693, 0.17481389874592423, 0.5265925421845168,
                                       0.2732279943302274, 0.6247446539346129,  0.8654746483080089,
                                       0.4723170551005751};
    struct mulberry32 prng = {42};
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        ck_assert_double_eq(mulberry32_next(&prng), published[i]);
}
END_TEST

/* Numerators over 2^32, from the definition evaluated in another language's 32-bit integers. */
static const struct {
    uint32_t seed, numerator[4];
} others[] = {
    {0, {1144304738u, 1416247u, 958946056u, 627933444u}},
    {1, {2693262067u, 11749833u, 2265367787u, 4213581821u}},
    {4294967295u, {3850105811u, 813802916u, 3073704848u, 4054706436u}},
};

START_TEST(mulberry32_other_seeds) {
    struct mulberry32 prng = {others[_i].seed};
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq(mulberry32_next(&prng), others[_i].numerator[i] / 4294967296.0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, mulberry32_seed_42_gives_the_published_values);
    tcase_add_loop_test(tests, mulberry32_other_seeds, 0, sizeof others / sizeof others[0]);
}

int main(void) {
    return suite_run("mulberry32", add, 10);
}
