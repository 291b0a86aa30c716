/* SPDX-License-Identifier: MIT */
#include "link_queue.h"

#include "mem.h"
#include "suite.h"

#include <check.h>

static int link_queue_slot[100000];

static void link_queue_add(struct link_queue *queue, int i) {
    ck_assert_int_eq(link_queue_reserve(queue), 0);
    link_queue_push(queue, (struct link_pending){NULL, &link_queue_slot[i], (unsigned)i});
}

static void link_queue_expect(struct link_queue *queue, int i) {
    ck_assert_uint_eq(link_queue_oldest(queue)->timeout_ms, (unsigned)i);
    ck_assert_ptr_eq(link_queue_pop(queue).context, &link_queue_slot[i]);
}

START_TEST(link_queue_keeps_the_order_while_it_grows) {
    struct link_queue queue = {0};
    int in = 0, out = 0;
    while (in < 99990) {
        for (int k = 0; k < 7; k++)
            link_queue_add(&queue, in++);
        for (int k = 0; k < 3; k++)
            link_queue_expect(&queue, out++);
    }
    ck_assert_uint_eq(queue.count, (size_t)(in - out));
    while (out < in)
        link_queue_expect(&queue, out++);
    ck_assert_uint_eq(queue.count, 0);
    link_queue_release(&queue);
}
END_TEST

START_TEST(link_queue_steady_use_does_not_allocate) {
    struct link_queue queue = {0};
    link_queue_add(&queue, 0);
    mem_fail(1, 1);
    for (int i = 1; i < 1000; i++) {
        link_queue_add(&queue, i);
        link_queue_expect(&queue, i - 1);
    }
    link_queue_release(&queue);
}
END_TEST

START_TEST(link_queue_without_memory_keeps_what_it_has) {
    struct link_queue queue = {0};
    mem_fail(1, 0);
    ck_assert_int_eq(link_queue_reserve(&queue), ERR_NO_MEMORY);
    link_queue_add(&queue, 0);
    int in = 1;
    mem_fail(1, 1);
    while (link_queue_reserve(&queue) == 0)
        link_queue_push(&queue, (struct link_pending){NULL, &link_queue_slot[in], (unsigned)in}),
            in++;
    mem_fail(0, 0);
    ck_assert_int_gt(in, 1);
    for (int out = 0; out < in; out++)
        link_queue_expect(&queue, out);
    link_queue_release(&queue);
}
END_TEST

static int link_queue_failed;
static void link_queue_on_fail(void *context, const struct link_reply *reply) {
    ck_assert_ptr_null(reply);
    ck_assert_ptr_eq(context, &link_queue_slot[link_queue_failed]);
    link_queue_failed++;
}

static void link_queue_on_fail_again(void *context, const struct link_reply *reply) {
    (void)reply;
    link_queue_failed++;
    link_queue_fail(context);
}

START_TEST(link_queue_fail_answers_each_once) {
    struct link_queue queue = {0};
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(link_queue_reserve(&queue), 0);
        link_queue_push(&queue, (struct link_pending){link_queue_on_fail, &link_queue_slot[i], 0});
    }
    link_queue_fail(&queue);
    ck_assert_int_eq(link_queue_failed, 10);
    for (int i = 0; i < 10; i++)
        link_queue_push(&queue, (struct link_pending){link_queue_on_fail_again, &queue, 0});
    link_queue_fail(&queue);
    ck_assert_int_eq(link_queue_failed, 20);
    link_queue_release(&queue);
}
END_TEST

static void link_queue_tests(TCase *tests) {
    tcase_add_test(tests, link_queue_keeps_the_order_while_it_grows);
    tcase_add_test(tests, link_queue_steady_use_does_not_allocate);
    tcase_add_test(tests, link_queue_without_memory_keeps_what_it_has);
    tcase_add_test(tests, link_queue_fail_answers_each_once);
}

int main(void) {
    return suite_run("link_queue", link_queue_tests, 30);
}
