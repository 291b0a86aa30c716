/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct settings settings;
static char why[256];

/* Splits at spaces, as a shell would these lines. */
static enum settings_outcome settings_from(const char *line) {
    static char text[512];
    char *argv[32] = {(char[]){"susurration-worker"}};
    int argc = 1;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    why[0] = '\0';
    return settings_read(&settings, argc, argv, 3, why, sizeof why);
}

static void settings_clean_environment(void) {
    unsetenv("SUSURRATION_REDIS");
    unsetenv("SUSURRATION_ISA");
}

START_TEST(settings_every_option_has_a_default) {
    settings_clean_environment();
    ck_assert_int_eq(settings_from(""), SETTINGS_GO);
    ck_assert_str_eq(settings.redis, "redis://127.0.0.1:6379");
    ck_assert_ptr_null(settings.password_file);
    ck_assert_str_eq(settings.queue, "main");
    ck_assert_uint_eq(settings.slots, 3);
    ck_assert_uint_eq(settings.lease_s, 15);
    ck_assert_uint_eq(settings.drain_timeout_s, 12);
    ck_assert_uint_eq(settings.prefetch, 256);
    ck_assert_str_eq(settings.admin, "127.0.0.1:9464");
    ck_assert(!settings.admin_given);
    ck_assert_ptr_null(settings.name);
    ck_assert_ptr_null(settings.isa);
    ck_assert_int_eq(settings.log_level, LOG_LEVEL_INFO);
    ck_assert_int_eq(settings.log_format, LOG_FORMAT_LOGFMT);
}
END_TEST

START_TEST(settings_every_option_is_taken) {
    ck_assert_int_eq(
        settings_from("--redis unix:///r.sock --password-file /p --queue q.1 --slots 5e0 "
                      "--lease=300 --drain-timeout 0 --prefetch 0 --admin [::1]:1 "
                      "--name n --isa scalar --log-level error --log-format json"),
        SETTINGS_GO);
    ck_assert_str_eq(settings.redis, "unix:///r.sock");
    ck_assert_str_eq(settings.password_file, "/p");
    ck_assert_str_eq(settings.queue, "q.1");
    ck_assert_uint_eq(settings.slots, 5);
    ck_assert_uint_eq(settings.lease_s, 300);
    ck_assert_uint_eq(settings.drain_timeout_s, 0);
    ck_assert_uint_eq(settings.prefetch, 0);
    ck_assert_str_eq(settings.admin, "[::1]:1");
    ck_assert(settings.admin_given);
    ck_assert_str_eq(settings.name, "n");
    ck_assert_str_eq(settings.isa, "scalar");
    ck_assert_int_eq(settings.log_level, LOG_LEVEL_ERROR);
    ck_assert_int_eq(settings.log_format, LOG_FORMAT_JSON);
}
END_TEST

START_TEST(settings_environment_stands_in) {
    setenv("SUSURRATION_REDIS", "redis://from.environment", 1);
    ck_assert_int_eq(settings_from(""), SETTINGS_GO);
    ck_assert_str_eq(settings.redis, "redis://from.environment");
    ck_assert_int_eq(settings_from("--redis redis://from.line"), SETTINGS_GO);
    ck_assert_str_eq(settings.redis, "redis://from.line");
    setenv("SUSURRATION_REDIS", "", 1);
    ck_assert_int_eq(settings_from(""), SETTINGS_GO);
    ck_assert_str_eq(settings.redis, "redis://127.0.0.1:6379");
}
END_TEST

static const struct {
    const char *line, *option, *value, *range;
} settings_bad[] = {
    {"--lease 1", "--lease", "\"1\"", "2 to 300"},
    {"--lease 301", "--lease", "\"301\"", "2 to 300"},
    {"--lease 2.5", "--lease", "\"2.5\"", "2 to 300"},
    {"--lease nan", "--lease", "\"nan\"", "2 to 300"},
    {"--slots 0", "--slots", "\"0\"", "1 to 256"},
    {"--slots -1", "--slots", "\"-1\"", "1 to 256"},
    {"--slots 257", "--slots", "\"257\"", "1 to 256"},
    {"--slots two", "--slots", "\"two\"", "1 to 256"},
    {"--drain-timeout 3601", "--drain-timeout", "\"3601\"", "0 to 3600"},
    {"--prefetch 257", "--prefetch", "\"257\"", "0 to 256"},
    {"--queue a/b", "--queue", "\"a/b\"", "A-Z a-z 0-9 . _ -"},
    {"--queue {x}", "--queue", "\"{x}\"", "1 to 64"},
    {"--name 123456789012345678901234567890123", "--name", "123\"", "1 to 32"},
    {"--log-level loud", "--log-level", "\"loud\"", "debug, info, warning or error"},
    {"--log-format xml", "--log-format", "\"xml\"", "logfmt or json"},
    {"--redis=", "--redis", "URL", "empty"},
    {"--slots", "--slots", "needs", "value"},
    {"--slot-count 3", "--slot-count", "no option", ""},
    {"-x", "-x", "no option", ""},
    {"now", "option", "\"now\"", ""},
};

START_TEST(settings_bad_value_is_named) {
    settings_clean_environment();
    ck_assert_int_eq(settings_from(settings_bad[_i].line), SETTINGS_WRONG);
    const char *parts[] = {settings_bad[_i].option, settings_bad[_i].value, settings_bad[_i].range};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(why, parts[i]), "\"%s\" is not in: %s", parts[i], why);
}
END_TEST

START_TEST(settings_help_and_version_win) {
    ck_assert_int_eq(settings_from("--slots 2 --help --lease 0"), SETTINGS_HELP);
    ck_assert_int_eq(settings_from("--version"), SETTINGS_VERSION);
}
END_TEST

START_TEST(settings_help_names_every_option) {
    char text[8192] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    settings_help(out);
    ck_assert_int_eq(fclose(out), 0);
    const char *names[] = {"--redis URL",
                           "--queue NAME",
                           "--slots N",
                           "--lease S",
                           "--drain-timeout S",
                           "--admin HOST:PORT",
                           "--password-file FILE",
                           "--help",
                           "--version",
                           "SUSURRATION_REDIS",
                           "default: 127.0.0.1:9464",
                           "Examples:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(strstr(text, names[i]), "no %s", names[i]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, settings_every_option_has_a_default);
    tcase_add_test(tests, settings_every_option_is_taken);
    tcase_add_test(tests, settings_environment_stands_in);
    tcase_add_loop_test(tests, settings_bad_value_is_named, 0,
                        (int)(sizeof settings_bad / sizeof *settings_bad));
    tcase_add_test(tests, settings_help_and_version_win);
    tcase_add_test(tests, settings_help_names_every_option);
}

int main(void) {
    return suite_run("settings", add, 10);
}
