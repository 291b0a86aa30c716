/* SPDX-License-Identifier: MIT */
#include "text.h"

#include "suite.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *text;
    double value;
} text_doubles[] = {
    {".5", 0.5},
    {"5e-05", 5e-05},
    {"5.", 5},
    {"+1.25E+2", 125},
    {"-0.1", -0.1},
    {"007", 7},
    {"0.1000000000000000055511151231257827", 0.1},
    {"1.7976931348623157e308", 1.7976931348623157e308},
    {"5e-324", 5e-324},
    {"1e-999", 0},
    {"0e999999999999999999999", 0},
};

START_TEST(text_to_double_takes) {
    double value = 99;
    ck_assert(text_to_double(text_doubles[_i].text, &value));
    ck_assert_double_eq(value, text_doubles[_i].value);
}
END_TEST

static const char *const text_not_numbers[] = {
    "",     " ",    " 1",  "1 ",    "1\n",  "1,5",  "0x10", "0x1p3", "inf",
    "-inf", "nan",  "NaN", "1e",    "1e+",  "e5",   ".",    "+",     "-",
    "+.e1", "1.2.", "--1", "1e5.0", "1e 5", "five", "1_0",  "1e+-",  "infinity",
};

START_TEST(text_to_number_rejects) {
    double real = 99;
    uint64_t whole = 99;
    ck_assert(!text_to_double(text_not_numbers[_i], &real));
    ck_assert(!text_to_uint(text_not_numbers[_i], 0, UINT64_MAX, &whole));
    ck_assert_double_eq(real, 99);
    ck_assert_uint_eq(whole, 99);
}
END_TEST

static const struct {
    const char *text;
    uint64_t bits;
} text_bits[] = {
    {"4008000000000000", UINT64_C(0x4008000000000000)},
    {"0x4008000000000000", UINT64_C(0x4008000000000000)},
    {"0XC008000000000000", UINT64_C(0xc008000000000000)},
    {"FFf8000000000000", UINT64_C(0xfff8000000000000)},
    {"1234567890123456", UINT64_C(0x1234567890123456)},
    {"0x1.8p+1", UINT64_C(0x4008000000000000)},
    {"0x1.8000000000000p1", UINT64_C(0x4008000000000000)},
    {"-0XC.P-2", UINT64_C(0xc008000000000000)},
    {"0x.8p0", UINT64_C(0x3fe0000000000000)},
    {"0x0p+0", 0},
    {"-0x0p+0", UINT64_C(0x8000000000000000)},
    {"0x0.0000000000001p-1022", 1},
    {"0x1.fffffffffffffp+1023", UINT64_C(0x7fefffffffffffff)},
    {"3", UINT64_C(0x4008000000000000)},
    {"0.1", UINT64_C(0x3fb999999999999a)},
    {"1e-7", UINT64_C(0x3e7ad7f29abcaf48)},
    {"-0", UINT64_C(0x8000000000000000)},
    {"inf", UINT64_C(0x7ff0000000000000)},
    {"-Infinity", UINT64_C(0xfff0000000000000)},
    {"NaN", UINT64_C(0x7ff8000000000000)},
};

START_TEST(text_to_bits_takes) {
    uint64_t bits = 99;
    ck_assert_msg(text_to_bits(text_bits[_i].text, &bits), "%s", text_bits[_i].text);
    ck_assert_msg(bits == text_bits[_i].bits, "%s: %016llx", text_bits[_i].text,
                  (unsigned long long)bits);
}
END_TEST

static const char *const text_no_bits[] = {
    "",
    " 3",
    "3 ",
    "0x",
    "0x1",
    "0x1.8",
    "0xp1",
    "0x.p1",
    "0x1p",
    "0x1p+",
    "0x1pf",
    "0x1.8.p1",
    "0x1p1x",
    "0x1p+1024",
    "1e309",
    "three",
    "nan(1)",
    "infinite",
    "--inf",
    "1,5",
    "0x400800000000000",
    "0y4008000000000000",
    "400800000000000g",
};

START_TEST(text_to_bits_rejects) {
    uint64_t bits = 99;
    ck_assert_msg(!text_to_bits(text_no_bits[_i], &bits), "%s", text_no_bits[_i]);
    ck_assert_uint_eq(bits, 99);
}
END_TEST

START_TEST(text_from_bits_writes) {
    static const struct {
        uint64_t bits;
        const char *text;
    } rows[] = {
        {UINT64_C(0x4008000000000000), "0x1.8p+1"},
        {UINT64_C(0xbfb999999999999a), "-0x1.999999999999ap-4"},
        {UINT64_C(0xffefffffffffffff), "-0x1.fffffffffffffp+1023"},
        {UINT64_C(0x8000000000000000), "-0x0p+0"},
        {UINT64_C(0xfff8000000000000), "nan"},
        {UINT64_C(0xfff0000000000000), "-inf"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];
        text_from_bits(rows[i].bits, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

START_TEST(text_to_double_rejects_the_infinite) {
    double value = 99;
    ck_assert(!text_to_double("1e309", &value));
    ck_assert(!text_to_double("-1e999999999999999999999", &value));
    ck_assert_double_eq(value, 99);
}
END_TEST

static const struct {
    const char *text;
    uint64_t value;
} text_uints[] = {
    {"500", 500},
    {"5e2", 500},
    {"500.0", 500},
    {"+5000e-1", 500},
    {".5e1", 5},
    {"0", 0},
    {"-0", 0},
    {"0.000", 0},
    {"0e-5", 0},
    {"0e99999999999999999999", 0},
    {"000123.4500e2", 12345},
    {"9007199254740993", 9007199254740993u},
    {"9007199254740993.0", 9007199254740993u},
    {"18446744073709551615", UINT64_MAX},
    {"1.8446744073709551615e19", UINT64_MAX},
    {"10000000000000000000", 10000000000000000000u},
};

START_TEST(text_to_uint_takes) {
    uint64_t value = 99;
    ck_assert(text_to_uint(text_uints[_i].text, 0, UINT64_MAX, &value));
    ck_assert_uint_eq(value, text_uints[_i].value);
}
END_TEST

static const char *const text_not_uints[] = {
    "1.5",
    "-1",
    "1e-1",
    "1500e-3",
    "500.00000000000000000000000000000000001",
    "18446744073709551616",
    "1e20",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "99999999999999999999999999999999",
    "1.00000000000000000000000000000000001e35",
};

START_TEST(text_to_uint_rejects) {
    uint64_t value = 99;
    ck_assert(!text_to_uint(text_not_uints[_i], 0, UINT64_MAX, &value));
    ck_assert_uint_eq(value, 99);
}
END_TEST

START_TEST(text_to_uint_range) {
    uint64_t value = 99;
    ck_assert(!text_to_uint("9", 10, 400, &value));
    ck_assert(!text_to_uint("401", 10, 400, &value));
    ck_assert_uint_eq(value, 99);
    ck_assert(text_to_uint("10", 10, 400, &value));
    ck_assert_uint_eq(value, 10);
    ck_assert(text_to_uint("400", 10, 400, &value));
    ck_assert_uint_eq(value, 400);
}
END_TEST

START_TEST(text_hash_both_ways) {
    char out[17];
    uint64_t hash = 0;
    ck_assert(text_to_hash("0123456789abcdef", 16, &hash));
    ck_assert(hash == 0x0123456789abcdefu);
    text_from_hash(hash, out);
    ck_assert_str_eq(out, "0123456789abcdef");
    ck_assert(text_to_hash("FEDCBA9876543210", 16, &hash));
    text_from_hash(hash, out);
    ck_assert_str_eq(out, "fedcba9876543210");
    text_from_hash(0, out);
    ck_assert_str_eq(out, "0000000000000000");
}
END_TEST

START_TEST(text_hash_rejects) {
    static const char *const bad[] = {"",
                                      "0123456789abcde",
                                      "0123456789abcdef0",
                                      "0123456789abcdeg",
                                      "0x23456789abcdef",
                                      " 123456789abcdef",
                                      "0123456789abcd/:"};
    uint64_t hash = 99;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert(!text_to_hash(bad[i], strlen(bad[i]), &hash));
    ck_assert_uint_eq(hash, 99);
}
END_TEST

START_TEST(text_from_double_is_short) {
    static const struct {
        double value;
        const char *text;
    } row[] = {
        {0.1, "0.1"},
        {1e-6, "1e-06"},
        {0, "0"},
        {-0.0, "-0"},
        {120, "120"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char out[32];
        text_from_double(row[i].value, out);
        ck_assert_str_eq(out, row[i].text);
    }
}
END_TEST

START_TEST(text_from_double_reads_back) {
    uint64_t bits = 42;
    for (int i = 0; i < 200000; i++) {
        double value, read = 0;
        char out[32];
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        text_from_double(value, out);
        ck_assert(text_to_double(out, &read));
        ck_assert_msg(memcmp(&value, &read, sizeof value) == 0, "%a became %s", value, out);
    }
}
END_TEST

static FILE *text_create(const char *dir, const char *name) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* localedef is everywhere, but the character maps it wants are in a package of their own. */
static void text_make_locale(const char *dir) {
    FILE *map = text_create(dir, "charmap");
    fputs("<code_set_name> ASCII\n<comment_char> %\n<escape_char> /\nCHARMAP\n", map);
    for (unsigned i = 0; i < 128; i++)
        fprintf(map, "<U%04X> /x%02x\n", i, i);
    fputs("END CHARMAP\n", map);
    fclose(map);
    FILE *source = text_create(dir, "source");
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
          source);
    fclose(source);
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && localedef -c -f ./charmap -i ./source ./comma >log 2>&1", dir);
    int result = system(command); /* warns of the categories that are missing, and exits with 1 */
    (void)result;
}

/* A locale with a decimal comma, made here: a bare system has only "C". */
START_TEST(text_numbers_ignore_the_locale) {
    char dir[] = "/tmp/susurration-locale-XXXXXX", command[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    text_make_locale(dir);
    setenv("LOCPATH", dir, 1);
    ck_assert_msg(setlocale(LC_NUMERIC, "comma") != NULL, "no locale, see %s/log", dir);
    snprintf(command, sizeof command, "rm -r %s", dir);
    ck_assert_int_eq(system(command), 0);

    char out[32];
    snprintf(out, sizeof out, "%g", 1.5);
    ck_assert_str_eq(out, "1,5"); /* so the locale is in force */
    double value = 0;
    ck_assert(text_to_double("2.5", &value));
    ck_assert_double_eq(value, 2.5);
    ck_assert(!text_to_double("2,5", &value));
    text_from_double(0.30000000000000004, out);
    ck_assert_str_eq(out, "0.30000000000000004");
    snprintf(out, sizeof out, "%g", 1.5);
    ck_assert_str_eq(out, "1,5"); /* and was left in force */
}
END_TEST

static const struct {
    const char *text;
    long count;
} text_utf8_rows[] = {
    {"", 0},
    {"claim", 5},
    {"\xc3\xa9", 1},
    {"a\xe2\x82\xac z", 4},
    {"\xf0\x9f\x90\xa6", 1},
    {"\xed\x9f\xbf\xee\x80\x80", 2}, /* next to the surrogates */
    {"\xf4\x8f\xbf\xbf", 1},         /* U+10FFFF */
    {"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xf0\x90\x80\x80", 5},
    {"\x80", -1},
    {"a\xbf", -1},
    {"\xc0\xaf", -1},         /* overlong */
    {"\xc1\xbf", -1},         /* overlong */
    {"\xe0\x9f\xbf", -1},     /* overlong */
    {"\xf0\x8f\xbf\xbf", -1}, /* overlong */
    {"\xed\xa0\x80", -1},     /* surrogate */
    {"\xed\xbf\xbf", -1},     /* surrogate */
    {"\xf4\x90\x80\x80", -1}, /* past U+10FFFF */
    {"\xf5\x80\x80\x80", -1},
    {"\xff", -1},
    {"\xc3", -1}, /* cut */
    {"\xe2\x82", -1},
    {"\xf0\x9f\x90", -1},
    {"\xc3(", -1},
    {"\xe2\x82(", -1},
    {"\xf0\x9f\x90(", -1},
};

START_TEST(text_utf8_rows_count) {
    const char *text = text_utf8_rows[_i].text;
    ck_assert_int_eq(text_utf8_count(text, strlen(text)), text_utf8_rows[_i].count);
}
END_TEST

START_TEST(text_utf8_counts_a_zero_byte) {
    ck_assert_int_eq(text_utf8_count("a\0b", 3), 3);
}
END_TEST

START_TEST(text_printable_escapes_and_cuts) {
    static const struct {
        const char *text;
        size_t size;
        const char *out;
    } row[] = {
        {"plain", 16, "plain"},
        {"a\nb\x7f\xff", 16, "a\\x0ab\\x7f\\xff"},
        {"12345", 6, "12345"},
        {"123456", 6, "12..."},
        {"1\n2345", 8, "1..."},
        {"1\n234567", 9, "1\\x0a..."},
        {"12345", 4, "..."},
        {"12345", 3, ".."},
        {"12345", 1, ""},
        {"\n\n", 9, "\\x0a\\x0a"},
        {"", 1, ""},
        {"abc\n", 7, "abc..."},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char out[16] = "untouched";
        text_printable(row[i].text, strlen(row[i].text), out, row[i].size);
        ck_assert_str_eq(out, row[i].out);
    }
    char out[2] = {'x', 'y'};
    text_printable("abc", 3, out, 0);
    ck_assert_int_eq(out[0], 'x');
}
END_TEST

START_TEST(text_disarm_leaves_nothing_that_steers) {
    static const char *const row[][2] = {
        {"plain", "plain"},
        {"two\nlines\tand\r", "two lines and "},
        {"\x1b[2J\x07\x7f", "?[2J??"},
        {"\xc2\x9b"
         "31m\xc2\x80\xc2\x9f",
         "?31m??"},
        {"\xc2\xa0\xc3\xbc \xe9\xb3\xa5", "\xc2\xa0\xc3\xbc \xe9\xb3\xa5"},
        {"\xc2", "\xc2"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[32];
        strcpy(text, row[i][0]);
        text_disarm(text);
        ck_assert_str_eq(text, row[i][1]);
    }
}
END_TEST

#define TEXT_COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void text_tests(TCase *tests) {
    tcase_add_loop_test(tests, text_to_double_takes, 0, TEXT_COUNT(text_doubles));
    tcase_add_loop_test(tests, text_to_number_rejects, 0, TEXT_COUNT(text_not_numbers));
    tcase_add_loop_test(tests, text_to_bits_takes, 0, sizeof text_bits / sizeof text_bits[0]);
    tcase_add_loop_test(tests, text_to_bits_rejects, 0,
                        sizeof text_no_bits / sizeof text_no_bits[0]);
    tcase_add_test(tests, text_from_bits_writes);
    tcase_add_test(tests, text_to_double_rejects_the_infinite);
    tcase_add_loop_test(tests, text_to_uint_takes, 0, TEXT_COUNT(text_uints));
    tcase_add_loop_test(tests, text_to_uint_rejects, 0, TEXT_COUNT(text_not_uints));
    tcase_add_test(tests, text_to_uint_range);
    tcase_add_test(tests, text_hash_both_ways);
    tcase_add_test(tests, text_hash_rejects);
    tcase_add_test(tests, text_from_double_is_short);
    tcase_add_test(tests, text_from_double_reads_back);
    tcase_add_test(tests, text_numbers_ignore_the_locale);
    tcase_add_loop_test(tests, text_utf8_rows_count, 0, TEXT_COUNT(text_utf8_rows));
    tcase_add_test(tests, text_utf8_counts_a_zero_byte);
    tcase_add_test(tests, text_printable_escapes_and_cuts);
    tcase_add_test(tests, text_disarm_leaves_nothing_that_steers);
}

int main(void) {
    return suite_run("text", text_tests, 60);
}
