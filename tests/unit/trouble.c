/* SPDX-License-Identifier: MIT */
/* What is told of an outage, and when it is over. Answers are made by hand. */
#include "trouble.h"

#include "err.h"
#include "suite.h"

#include <hiredis/hiredis.h>
#include <string.h>

static struct meter meter;
static struct trouble trouble;
static int missing, over;
static char text[500];

static void on_missing(void *context) {
    (void)context;
    missing++;
}

static void on_over(void *context) {
    (void)context;
    over++;
}

static void setup(void) {
    meter = (struct meter){0};
    trouble = (struct trouble){.meter = &meter,
                               .worker = "w",
                               .missing = on_missing,
                               .over = on_over,
                               .kinds = 1u << TROUBLE_LINK};
    missing = over = 0;
}

static void refuse(enum trouble_kind kind, const char *why) {
    redisReply reply = {.type = REDIS_REPLY_ERROR, .str = (char *)(uintptr_t)why};
    reply.len = strlen(why);
    trouble_answered(&trouble, kind, ERR_REFUSED, (const struct link_reply *)&reply);
}

static void serve(enum trouble_kind kind) {
    redisReply reply = {.type = REDIS_REPLY_ARRAY};
    trouble_answered(&trouble, kind, 0, (const struct link_reply *)&reply);
}

static const char *what(void) {
    return trouble_text(&trouble, text, sizeof text) ? text : "";
}

/* As a start goes: until a beat was answered nobody knows whether Redis takes what is written. */
static void connect_well(void) {
    trouble_begin(&trouble, TROUBLE_BEAT, NULL);
    trouble_end(&trouble, TROUBLE_LINK);
    ck_assert_str_eq(what(), "Redis has not answered yet");
    serve(TROUBLE_BEAT);
}

START_TEST(trouble_is_over_when_all_kinds_are) {
    connect_well();
    ck_assert_str_eq(what(), "");
    ck_assert_int_eq(over, 1);
    refuse(TROUBLE_CLAIM, "MISCONF no");
    refuse(TROUBLE_BEAT, "MISCONF no");
    ck_assert_str_eq(what(), "Redis refuses requests: MISCONF no");
    serve(TROUBLE_CLAIM);
    serve(TROUBLE_DELIVER); /* which was well all the time */
    ck_assert_str_ne(what(), "");
    ck_assert_int_eq(over, 1);
    serve(TROUBLE_BEAT);
    ck_assert_str_eq(what(), "");
    ck_assert_int_eq(over, 2);
    ck_assert_uint_eq(meter.refused, 2);
}
END_TEST

START_TEST(trouble_tells_each_reason_once) {
    connect_well();
    for (int i = 0; i < 100; i++) {
        refuse(TROUBLE_BEAT, "ERR a");
        refuse(TROUBLE_CLAIM, "ERR b");
        trouble_begin(&trouble, TROUBLE_LINK, "c");
        trouble_end(&trouble, TROUBLE_LINK);
    }
    ck_assert_uint_eq(trouble.told_count, 3);
    serve(TROUBLE_BEAT);
    serve(TROUBLE_CLAIM);
    ck_assert_uint_eq(trouble.told_count, 0); /* so that it is told when it comes again */
    refuse(TROUBLE_BEAT, "ERR a");
    ck_assert_uint_eq(trouble.told_count, 1);
}
END_TEST

START_TEST(trouble_with_many_reasons) {
    char why[32];
    connect_well();
    for (int i = 0; i < 3 * TROUBLE_TOLD; i++) {
        (void)snprintf(why, sizeof why, "ERR %d", i);
        refuse(TROUBLE_READ, why);
        ck_assert_ptr_nonnull(strstr(what(), why));
    }
    serve(TROUBLE_READ);
    ck_assert_str_eq(what(), "");
}
END_TEST

START_TEST(trouble_without_an_answer_is_the_links) {
    connect_well();
    trouble_answered(&trouble, TROUBLE_BEAT, ERR_DOWN, NULL);
    ck_assert_str_eq(what(), "");
}
END_TEST

START_TEST(trouble_of_an_unknown_answer) {
    redisReply reply = {.type = REDIS_REPLY_STATUS, .str = (char *)(uintptr_t) "OK", .len = 2};
    connect_well();
    trouble_answered(&trouble, TROUBLE_CLAIM, ERR_PROTOCOL, (const struct link_reply *)&reply);
    ck_assert_str_eq(what(), "Redis refuses requests: an answer that the protocol does not know");
}
END_TEST

START_TEST(trouble_with_rights_says_where_they_are) {
    connect_well();
    refuse(TROUBLE_DELIVER, "NOPERM this user");
    ck_assert_ptr_nonnull(strstr(what(), "NOPERM this user; PROTOCOL.md, Rights"));
}
END_TEST

START_TEST(trouble_with_functions_calls_for_them) {
    connect_well();
    refuse(TROUBLE_DELIVER, "ERR Function not found");
    ck_assert_int_eq(missing, 1);
}
END_TEST

/* The job whose session could not be read is another's by now, and there is no other. */
START_TEST(trouble_that_nobody_meets_any_more_is_over) {
    connect_well();
    refuse(TROUBLE_SESSION, "BUSY");
    serve(TROUBLE_BEAT);
    ck_assert_str_ne(what(), "");
    trouble.last_ns[TROUBLE_SESSION] -= INT64_C(60000000000);
    serve(TROUBLE_BEAT);
    ck_assert_str_eq(what(), "");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, trouble_is_over_when_all_kinds_are);
    tcase_add_test(tests, trouble_tells_each_reason_once);
    tcase_add_test(tests, trouble_with_many_reasons);
    tcase_add_test(tests, trouble_without_an_answer_is_the_links);
    tcase_add_test(tests, trouble_of_an_unknown_answer);
    tcase_add_test(tests, trouble_with_rights_says_where_they_are);
    tcase_add_test(tests, trouble_with_functions_calls_for_them);
    tcase_add_test(tests, trouble_that_nobody_meets_any_more_is_over);
}

int main(void) {
    return suite_run("trouble", add, 20);
}
