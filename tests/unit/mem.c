/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include "suite.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int mem_try(void) {
    void *block = mem_alloc(8);
    free(block);
    return block != NULL;
}

START_TEST(mem_alloc_without_failures) {
    for (int i = 0; i < 10; i++)
        ck_assert(mem_try());
}
END_TEST

START_TEST(mem_alloc_of_nothing_is_not_null) {
    void *a = mem_alloc(0), *b = mem_zero(0, 8), *c = mem_resize(NULL, 0);
    ck_assert(a && b && c);
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(mem_zero_is_zero_and_checks_the_product) {
    unsigned char *block = mem_zero(100, 10);
    ck_assert_ptr_nonnull(block);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(block[i], 0);
    free(block);
    volatile size_t huge = SIZE_MAX / 2;
    ck_assert_ptr_null(mem_zero(huge, 3));
}
END_TEST

START_TEST(mem_fail_once) {
    mem_fail(3, 0);
    ck_assert(mem_try() && mem_try());
    ck_assert_uint_eq(mem_failures(), 0);
    ck_assert(!mem_try());
    ck_assert(mem_try() && mem_try());
    ck_assert_uint_eq(mem_failures(), 1);
}
END_TEST

START_TEST(mem_fail_from_then_on) {
    mem_fail(2, 1);
    ck_assert(mem_try());
    for (int i = 0; i < 5; i++)
        ck_assert(!mem_try());
    ck_assert_ptr_null(mem_zero(1, 1));
    ck_assert_ptr_null(mem_resize(NULL, 1));
    ck_assert_uint_eq(mem_failures(), 7);
    mem_fail(0, 0);
    ck_assert(mem_try());
    ck_assert_uint_eq(mem_failures(), 0);
}
END_TEST

START_TEST(mem_buffer_keeps_what_was_added) {
    struct mem_buffer buffer = {0};
    for (int i = 0; i < 100000; i++) {
        unsigned char bytes[3] = {(unsigned char)i, (unsigned char)(i >> 8), 7};
        mem_buffer_add(&buffer, bytes, sizeof bytes);
    }
    mem_buffer_add(&buffer, NULL, 0);
    ck_assert(!buffer.failed);
    ck_assert_uint_eq(buffer.size, 300000);
    for (size_t i = 0; i < 100000; i++) {
        ck_assert_uint_eq(buffer.data[3 * i], i & 255);
        ck_assert_uint_eq(buffer.data[3 * i + 1], i >> 8 & 255);
        ck_assert_uint_eq(buffer.data[3 * i + 2], 7);
    }
    mem_buffer_release(&buffer);
    ck_assert_ptr_null(buffer.data);
    ck_assert_uint_eq(buffer.capacity, 0);
}
END_TEST

START_TEST(mem_buffer_failure_sticks) {
    struct mem_buffer buffer = {0};
    char bytes[200] = "first";
    mem_buffer_add(&buffer, bytes, sizeof bytes);
    mem_fail(1, 0);
    mem_buffer_add(&buffer, bytes, sizeof bytes);
    ck_assert(buffer.failed);
    mem_buffer_add(&buffer, "x", 1);
    ck_assert(buffer.failed);
    ck_assert_uint_eq(buffer.size, sizeof bytes);
    ck_assert_str_eq((char *)buffer.data, "first");
    mem_buffer_release(&buffer);
    ck_assert(!buffer.failed);
}
END_TEST

START_TEST(mem_buffer_refuses_an_impossible_size) {
    struct mem_buffer buffer = {0};
    mem_buffer_add(&buffer, "x", 1);
    mem_buffer_add(&buffer, "x", SIZE_MAX - 1);
    ck_assert(buffer.failed);
    ck_assert_uint_eq(buffer.size, 1);
    mem_buffer_release(&buffer);
}
END_TEST

static void mem_tests(TCase *tests) {
    tcase_add_test(tests, mem_alloc_without_failures);
    tcase_add_test(tests, mem_alloc_of_nothing_is_not_null);
    tcase_add_test(tests, mem_zero_is_zero_and_checks_the_product);
    tcase_add_test(tests, mem_fail_once);
    tcase_add_test(tests, mem_fail_from_then_on);
    tcase_add_test(tests, mem_buffer_keeps_what_was_added);
    tcase_add_test(tests, mem_buffer_failure_sticks);
    tcase_add_test(tests, mem_buffer_refuses_an_impossible_size);
}

int main(void) {
    return suite_run("mem", mem_tests, 60);
}
