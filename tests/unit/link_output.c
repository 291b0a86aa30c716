/* SPDX-License-Identifier: MIT */
#include "link_output.h"

#include "mem.h"
#include "suite.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct link_output output;

static void link_output_expect(const char *bytes, size_t size) {
    ck_assert_uint_ge(output.end - output.start, size);
    ck_assert(memcmp(output.data + output.start, bytes, size) == 0);
    link_output_sent(&output, size);
}

#define EXPECT(literal) link_output_expect(literal, sizeof(literal) - 1)

START_TEST(link_output_of_commands) {
    const char *ping[] = {"PING"}, *set[] = {"SET", "k\0y", "0123456789", ""};
    const size_t size[] = {3, 3, 10, 0};
    ck_assert_int_eq(link_output_add(&output, 1, ping, NULL), 0);
    ck_assert_int_eq(link_output_add(&output, 4, set, size), 0);
    EXPECT("*1\r\n$4\r\nPING\r\n");
    EXPECT("*4\r\n$3\r\nSET\r\n$3\r\nk\0y\r\n$10\r\n0123456789\r\n$0\r\n\r\n");
    ck_assert_uint_eq(output.end, 0);
    link_output_release(&output);
}
END_TEST

/* Sent in odd pieces while more comes in: every byte once and in order. */
START_TEST(link_output_in_pieces) {
    static char sent[1 << 20], should[1 << 20];
    size_t sent_size = 0, should_size = 0;
    for (unsigned i = 0; i < 20000; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        const char *argv[] = {number};
        ck_assert_int_eq(link_output_add(&output, 1, argv, NULL), 0);
        should_size += (size_t)snprintf(should + should_size, sizeof should - should_size,
                                        "*1\r\n$%zu\r\n%s\r\n", strlen(number), number);
        size_t left = output.end - output.start, piece = i % 31 < left ? i % 31 : left;
        memcpy(sent + sent_size, output.data + output.start, piece);
        sent_size += piece;
        link_output_sent(&output, piece);
    }
    memcpy(sent + sent_size, output.data + output.start, output.end - output.start);
    sent_size += output.end - output.start;
    ck_assert_uint_eq(sent_size, should_size);
    ck_assert(memcmp(sent, should, sent_size) == 0);
    link_output_release(&output);
}
END_TEST

START_TEST(link_output_gives_a_burst_back) {
    static char big[3 << 20];
    const char *argv[] = {big};
    const size_t size[] = {sizeof big};
    ck_assert_int_eq(link_output_add(&output, 1, argv, size), 0);
    ck_assert_uint_gt(output.capacity, sizeof big);
    link_output_sent(&output, output.end);
    ck_assert_uint_eq(output.capacity, 0);
    ck_assert_int_eq(link_output_add(&output, 1, (const char *[]){"PING"}, NULL), 0);
    size_t capacity = output.capacity;
    link_output_sent(&output, output.end);
    ck_assert_uint_eq(output.capacity, capacity); /* what is usual stays */
    link_output_release(&output);
}
END_TEST

START_TEST(link_output_without_memory_adds_nothing) {
    static char big[100000];
    const char *argv[] = {"PING", big};
    const size_t size[] = {4, sizeof big}, impossible[] = {4, SIZE_MAX / 2};
    ck_assert_int_eq(link_output_add(&output, 1, argv, NULL), 0);
    size_t end = output.end;
    mem_fail(1, 0);
    ck_assert_int_eq(link_output_add(&output, 2, argv, size), ERR_NO_MEMORY);
    ck_assert_int_eq(link_output_add(&output, 2, argv, impossible), ERR_NO_MEMORY);
    ck_assert_uint_eq(output.end, end);
    EXPECT("*1\r\n$4\r\nPING\r\n");
    link_output_release(&output);
}
END_TEST

static void link_output_tests(TCase *tests) {
    tcase_add_test(tests, link_output_of_commands);
    tcase_add_test(tests, link_output_in_pieces);
    tcase_add_test(tests, link_output_gives_a_burst_back);
    tcase_add_test(tests, link_output_without_memory_adds_nothing);
}

int main(void) {
    return suite_run("link_output", link_output_tests, 30);
}
