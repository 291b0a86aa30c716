/* SPDX-License-Identifier: MIT */
#include "held.h"

#include "suite.h"

#include <signal.h>
#include <string.h>

static struct held *make(const char *ref) {
    struct queue_entry entry = {.attempt = 1};
    strcpy(entry.ref, ref);
    struct held *held = held_new(&entry);
    ck_assert_ptr_nonnull(held);
    return held;
}

/* All the way of a job whose session was changed once by another. */
START_TEST(held_goes_its_way) {
    static const enum held_state way[] = {
        HELD_PREPARING, HELD_WAITING, HELD_RUNNING,   HELD_FINISHED, HELD_SENT,
        HELD_FINISHED,  HELD_SENT,    HELD_PREPARING, HELD_WAITING,  HELD_RUNNING,
        HELD_FINISHED,  HELD_SENT,    HELD_GONE};
    struct held *held = make("i1-1");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        held_set_state(held, way[i]);
        ck_assert_int_eq(held->state, way[i]);
    }
    ck_assert_str_eq(held_state_name(held->state), "gone");
    held_free(held);
}
END_TEST

static const enum held_state wrong[][3] = {
    {HELD_RUNNING, HELD_STATES},                 /* out of no line */
    {HELD_SENT, HELD_STATES},                    /* with nothing to send */
    {HELD_WAITING, HELD_PREPARING, HELD_STATES}, /* out of somebody's line */
    {HELD_GONE, HELD_FINISHED, HELD_STATES},     /* back from the dead */
};

START_TEST(held_asserts_its_arrows) {
    struct held *held = make("i1-1");
    for (size_t i = 0; wrong[_i][i] != HELD_STATES; i++)
        held_set_state(held, wrong[_i][i]);
}
END_TEST

START_TEST(held_running_is_never_dropped) {
    struct held_list list = {0};
    struct held *held = make("i1-1");
    held_list_add(&list, held);
    held_set_state(held, HELD_WAITING);
    held_set_state(held, HELD_RUNNING);
    held_list_drop(&list, held);
}
END_TEST

START_TEST(held_list_keeps_order_and_finds) {
    struct held_list list = {0};
    struct held *a = make("i1-1"), *b = make("b1-1"), *c = make("i1-2");
    held_list_add(&list, a);
    held_list_add(&list, b);
    held_list_add(&list, c);
    ck_assert_ptr_eq(held_list_find(&list, "b1-1"), b);
    ck_assert_ptr_null(held_list_find(&list, "i1-3"));
    held_list_drop(&list, b);
    ck_assert_ptr_eq(list.first, a);
    ck_assert_ptr_eq(a->after, c);
    ck_assert_ptr_eq(c->before, a);
    held_list_drop(&list, c);
    ck_assert_ptr_eq(list.last, a);
    held_list_drop(&list, a);
    ck_assert_ptr_null(list.first);
    ck_assert_ptr_null(list.last);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(held_line_is_first_in_first_out) {
    struct held_line line = {0};
    struct held *held[3] = {make("i1-1"), make("i1-2"), make("i1-3")};
    ck_assert_ptr_null(held_line_take(&line));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            held_line_add(&line, held[i]);
        ck_assert_uint_eq(line.count, 3);
        for (int i = 0; i < 3; i++)
            ck_assert_ptr_eq(held_line_take(&line), held[i]);
        ck_assert_ptr_null(held_line_take(&line));
        ck_assert_uint_eq(line.count, 0);
    }
    for (int i = 0; i < 3; i++) {
        held_set_state(held[i], HELD_GONE);
        held_free(held[i]);
    }
}
END_TEST

START_TEST(held_without_memory_is_null) {
    struct queue_entry entry = {.attempt = 1};
    mem_fail(1, 0);
    ck_assert_ptr_null(held_new(&entry));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, held_goes_its_way);
    tcase_add_loop_test_raise_signal(tests, held_asserts_its_arrows, SIGABRT, 0,
                                     (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test_raise_signal(tests, held_running_is_never_dropped, SIGABRT);
    tcase_add_test(tests, held_list_keeps_order_and_finds);
    tcase_add_test(tests, held_line_is_first_in_first_out);
    tcase_add_test(tests, held_without_memory_is_null);
}

int main(void) {
    return suite_run("held", add, 10);
}
