/* SPDX-License-Identifier: MIT */
#include "log.h"

#include "suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard error goes into a pipe for the length of a test. */
static int log_pipe[2];
static int log_stderr;
static char log_got[1 << 20];

static void log_capture(void) {
    log_stderr = dup(STDERR_FILENO);
    ck_assert_int_eq(pipe(log_pipe), 0);
    ck_assert_int_ge(fcntl(log_pipe[1], F_SETPIPE_SZ, (int)sizeof log_got), 0);
    ck_assert_int_ge(dup2(log_pipe[1], STDERR_FILENO), 0);
    close(log_pipe[1]);
}

static const char *log_captured(void) {
    ck_assert_int_ge(dup2(log_stderr, STDERR_FILENO), 0);
    size_t used = 0;
    ssize_t got;
    while ((got = read(log_pipe[0], log_got + used, sizeof log_got - 1 - used)) > 0)
        used += (size_t)got;
    log_got[used] = '\0';
    return log_got;
}

/* What stands behind the time, whose form is checked here. */
static const char *log_behind_time(const char *line) {
    static const char form[] = "time=dddd-dd-ddTdd:dd:dd.dddZ ";
    for (size_t i = 0; form[i]; i++) {
        if (form[i] == 'd' && i >= 5)
            ck_assert_msg(line[i] >= '0' && line[i] <= '9', "no digit at %zu: %s", i, line);
        else
            ck_assert_msg(line[i] == form[i], "no '%c' at %zu: %s", form[i], i, line);
    }
    return line + sizeof form - 1;
}

START_TEST(log_logfmt_line) {
    log_capture();
    LOG_WRITE(LOG_LEVEL_INFO, "job done", LOG_TEXT("job", "abc"), LOG_REAL("run_ms", 12.5),
              LOG_INT("lost", -3));
    ck_assert_str_eq(log_behind_time(log_captured()),
                     "level=info msg=\"job done\" job=abc run_ms=12.5 lost=-3\n");
}
END_TEST

START_TEST(log_milliseconds) {
    static const struct {
        long long ns;
        const char *text;
    } rows[] = {{0, "0"},           {999, "0"},           {1000, "0.001"},
                {12500000, "12.5"}, {12345678, "12.345"}, {100000, "0.1"},
                {10000, "0.01"},    {1010000, "1.01"},    {20000000000, "20000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char want[64];
        log_capture();
        LOG_WRITE(LOG_LEVEL_INFO, "x", LOG_MS("ms", rows[i].ns));
        snprintf(want, sizeof want, "level=info msg=\"x\" ms=%s\n", rows[i].text);
        ck_assert_str_eq(log_behind_time(log_captured()), want);
    }
}
END_TEST

static bool log_has_come(void) {
    struct pollfd end = {.fd = log_pipe[0], .events = POLLIN};
    return poll(&end, 1, 0) == 1;
}

START_TEST(log_gathered_lines_come_together) {
    log_capture();
    log_gather();
    log_flush();
    LOG_WRITE(LOG_LEVEL_INFO, "one", LOG_INT("n", -9223372036854775807LL - 1));
    LOG_WRITE(LOG_LEVEL_INFO, "two", LOG_INT("n", 2));
    ck_assert(!log_has_come());
    log_flush();
    ck_assert(log_has_come());
    const char *got = log_captured(), *second = strchr(got, '\n');
    ck_assert_ptr_nonnull(second);
    ck_assert_str_eq(log_behind_time(second + 1), "level=info msg=\"two\" n=2\n");
    ck_assert_ptr_nonnull(strstr(got, "msg=\"one\" n=-9223372036854775808\n"));
}
END_TEST

START_TEST(log_gathered_lines_do_not_wait_behind_a_warning) {
    log_capture();
    log_gather();
    LOG_WRITE(LOG_LEVEL_INFO, "one", LOG_INT("n", 1));
    LOG_WRITE(LOG_LEVEL_WARNING, "two", LOG_INT("n", 2));
    ck_assert(log_has_come());
    const char *got = log_captured();
    ck_assert_ptr_nonnull(strstr(got, "msg=\"one\""));
    ck_assert(strstr(got, "msg=\"one\"") < strstr(got, "msg=\"two\""));
}
END_TEST

/* More than there is room for: none is lost, and all are in order. */
START_TEST(log_gathered_lines_that_are_many) {
    char text[900];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    log_capture();
    log_gather();
    for (int i = 0; i < 200; i++)
        LOG_WRITE(LOG_LEVEL_INFO, "m", LOG_INT("n", i), LOG_TEXT("x", text));
    log_flush();
    const char *at = log_captured();
    for (int i = 0; i < 200; i++) {
        char want[40];
        snprintf(want, sizeof want, "msg=\"m\" n=%d x=", i);
        at = strstr(at, want);
        ck_assert_msg(at != NULL, "no line %d", i);
    }
}
END_TEST

START_TEST(log_logfmt_quotes_what_needs_it) {
    log_capture();
    LOG_WRITE(LOG_LEVEL_WARNING, "odd", LOG_TEXT("a", "two words"), LOG_TEXT("b", "x=1"),
              LOG_TEXT("c", "say \"no\""), LOG_TEXT("d", "a\nb\x01"), LOG_TEXT("e", "bad\xff"),
              LOG_TEXT("f", "gr\xc3\xbc n"), LOG_TEXT("g", "back\\slash"), LOG_TEXT("h", NULL),
              LOG_TEXT("i", ""), LOG_REAL("j", NAN));
    ck_assert_str_eq(log_behind_time(log_captured()),
                     "level=warning msg=\"odd\" a=\"two words\" b=\"x=1\" c=\"say \\\"no\\\"\" "
                     "d=\"a\\nb\\u0001\" e=\"bad\\ufffd\" f=\"gr\xc3\xbc n\" g=\"back\\\\slash\" "
                     "j=nan\n");
}
END_TEST

static json_t *log_json_line(const char *line) {
    json_error_t error;
    json_t *json = json_loads(line, 0, &error);
    ck_assert_msg(json != NULL, "%s in %s", error.text, line);
    ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
    return json;
}

START_TEST(log_json_line_is_json) {
    log_setup(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    log_capture();
    LOG_WRITE(LOG_LEVEL_ERROR, "it \"broke\"\n", LOG_TEXT("job", "a\tb\\\xff"),
              LOG_REAL("nothing", NAN), LOG_REAL("ms", 0.1), LOG_INT("n", 7), LOG_TEXT("gone", ""));
    json_t *json = log_json_line(log_captured());
    ck_assert_str_eq(json_string_value(json_object_get(json, "level")), "error");
    ck_assert_str_eq(json_string_value(json_object_get(json, "msg")), "it \"broke\"\n");
    ck_assert_str_eq(json_string_value(json_object_get(json, "job")), "a\tb\\\xef\xbf\xbd");
    ck_assert(json_is_null(json_object_get(json, "nothing")));
    ck_assert_double_eq(json_real_value(json_object_get(json, "ms")), 0.1);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "n")), 7);
    ck_assert_uint_eq(json_object_size(json), 7);
    json_decref(json);
}
END_TEST

START_TEST(log_long_text_is_cut_between_characters) {
    char text[3002];
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    text[3000] = '\0';
    log_setup(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    log_capture();
    LOG_WRITE(LOG_LEVEL_INFO, "long", LOG_TEXT("text", text), LOG_INT("after", 1));
    json_t *json = log_json_line(log_captured());
    const char *cut = json_string_value(json_object_get(json, "text"));
    ck_assert_uint_eq(strlen(cut), 999 + 3);
    ck_assert_str_eq(cut + 999, "...");
    ck_assert_int_eq(json_integer_value(json_object_get(json, "after")), 1);
    json_decref(json);
}
END_TEST

START_TEST(log_field_without_room_is_left_out_whole) {
    char text[901];
    memset(text, '\x01', 900); /* six bytes each in JSON */
    text[900] = '\0';
    log_setup(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    log_capture();
    LOG_WRITE(LOG_LEVEL_INFO, "full", LOG_TEXT("a", text), LOG_TEXT("b", text), LOG_INT("c", 1));
    json_t *json = log_json_line(log_captured());
    ck_assert_uint_eq(json_string_length(json_object_get(json, "a")), 900);
    ck_assert_ptr_null(json_object_get(json, "b"));
    ck_assert_int_eq(json_integer_value(json_object_get(json, "c")), 1);
    json_decref(json);
}
END_TEST

START_TEST(log_least_level) {
    log_setup(LOG_LEVEL_WARNING, LOG_FORMAT_LOGFMT);
    log_capture();
    LOG_WRITE(LOG_LEVEL_DEBUG, "no", LOG_INT("n", 1));
    LOG_WRITE(LOG_LEVEL_INFO, "no", LOG_INT("n", 2));
    LOG_WRITE(LOG_LEVEL_WARNING, "yes", LOG_INT("n", 3));
    ck_assert_str_eq(log_behind_time(log_captured()), "level=warning msg=\"yes\" n=3\n");
}
END_TEST

START_TEST(log_keeps_errno) {
    log_capture();
    close(STDERR_FILENO);
    errno = ENOENT;
    LOG_WRITE(LOG_LEVEL_ERROR, "lost", LOG_INT("n", 1));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq(log_captured(), "");
}
END_TEST

static void *log_many(void *context) {
    for (int i = 0; i < 100; i++)
        LOG_WRITE(LOG_LEVEL_INFO, "same", LOG_TEXT("thread", context));
    return NULL;
}

START_TEST(log_lines_of_threads_do_not_mix) {
    static char name[4][2] = {"a", "b", "c", "d"};
    pthread_t thread[4];
    log_capture();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, log_many, name[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    int count[4] = {0};
    for (char *at = NULL, *line = strtok_r((char *)log_captured(), "\n", &at); line;
         line = strtok_r(NULL, "\n", &at)) {
        char which = 0;
        ck_assert_int_eq(sscanf(log_behind_time(line), "level=info msg=\"same\" thread=%c", &which),
                         1);
        ck_assert(which >= 'a' && which <= 'd');
        count[which - 'a']++;
    }
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(count[i], 100);
}
END_TEST

START_TEST(log_names_are_found) {
    enum log_level level = LOG_LEVEL_INFO;
    enum log_format format = LOG_FORMAT_LOGFMT;
    ck_assert_int_eq(log_level_find("debug", &level), 0);
    ck_assert_int_eq(level, LOG_LEVEL_DEBUG);
    ck_assert_int_eq(log_level_find("error", &level), 0);
    ck_assert_int_eq(level, LOG_LEVEL_ERROR);
    ck_assert_int_eq(log_level_find("loud", &level), -1);
    ck_assert_int_eq(log_level_find("", &level), -1);
    ck_assert_int_eq(level, LOG_LEVEL_ERROR);
    ck_assert_int_eq(log_format_find("json", &format), 0);
    ck_assert_int_eq(format, LOG_FORMAT_JSON);
    ck_assert_int_eq(log_format_find("xml", &format), -1);
}
END_TEST

static void log_tests(TCase *tests) {
    tcase_add_test(tests, log_logfmt_line);
    tcase_add_test(tests, log_milliseconds);
    tcase_add_test(tests, log_gathered_lines_come_together);
    tcase_add_test(tests, log_gathered_lines_do_not_wait_behind_a_warning);
    tcase_add_test(tests, log_gathered_lines_that_are_many);
    tcase_add_test(tests, log_logfmt_quotes_what_needs_it);
    tcase_add_test(tests, log_json_line_is_json);
    tcase_add_test(tests, log_long_text_is_cut_between_characters);
    tcase_add_test(tests, log_field_without_room_is_left_out_whole);
    tcase_add_test(tests, log_least_level);
    tcase_add_test(tests, log_keeps_errno);
    tcase_add_test(tests, log_lines_of_threads_do_not_mix);
    tcase_add_test(tests, log_names_are_found);
}

int main(void) {
    return suite_run("log", log_tests, 60);
}
