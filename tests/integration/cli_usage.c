/* SPDX-License-Identifier: MIT */
/* What the command says to a wrong command line: exit code 2, and on standard error what to type.
 */
#include "command.h"
#include "program.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *line;
    const char *says; /* part of the message: the value, and what would do */
} usage_errors[] = {
    {"verify --birds 9", "--birds takes a whole number from 10 to 400, got '9'"},
    {"verify --birds 401", "from 10 to 400, got '401'"},
    {"verify --birds 12.5", "a whole number"},
    {"verify --at-tick 0", "--at-tick takes a whole number from 1 to 20000, got '0'"},
    {"verify --at-tick 20001", "from 1 to 20000, got '20001'"},
    {"verify --cohesion -0.1", "--cohesion takes a number from 0 to 1, got '-0.1'"},
    {"verify --alignment 1.1", "from 0 to 1, got '1.1'"},
    {"verify --separation nan", "got 'nan'"},
    {"verify --separation inf", "got 'inf'"},
    {"verify --separation 0x1", "got '0x1'"},
    {"verify --separation 0,5", "got '0,5'"},
    {"verify --separation ", "got ''"},
    {"verify --seed -1", "--seed takes a whole number from 0 to 4294967295, got '-1'"},
    {"verify --seed 4294967296", "got '4294967296'"},
    {"verify --seed 1.5", "got '1.5'"},
    {"verify --seed", "--seed needs a value"},
    {"verify --seed --json", "--seed needs a value"},
    {"verify --json=yes", "--json takes no value"},
    {"verify --budget-ms 10001", "from 1 to 10000"},
    {"verify --model fish", "no model 'fish'; --model takes one of: flock"},
    {"verify --param speed=1", "no parameter 'speed'; it has birds, cohesion"},
    {"verify --param cohesion", "cohesion=VALUE"},
    {"verify --param cohesion=2", "from 0 to 1, got '2'"},
    {"verify --change 50:1,1,1 --change 49:1,1,1 --at-tick 60", "ascend"},
    {"verify --change 500:1,1,1 --at-tick 500", "below at_tick (500), got 500"},
    {"verify --change 5", "--change takes TICK:cohesion,alignment,separation"},
    {"verify --change 5:", "--change takes TICK:"},
    {"verify --change :1,1,1", "--change takes TICK:"},
    {"verify --change 5:1,1", "--change takes TICK:"},
    {"verify --change 5:1,1,1,1", "--change takes TICK:"},
    {"verify --change 5:1,,1", "--change takes TICK:"},
    {"verify --change 5:1,1,1.5", "separation takes a number from 0 to 1, got '1.5'"},
    {"verify --change 5:birds=20", "birds cannot change after tick 0"},
    {"verify --change 5:speed=20", "no parameter 'speed'"},
    {"verify --change -1:1,1,1", "whole number from 0 to 19999"},
    {"verify --claim-hash 12", "--claim-hash takes 16 hexadecimal digits, got '12'"},
    {"verify --claim-clusters 3", "come together"},
    {"verify --claim-polarization x", "a finite number, got 'x'"},
    {"verify --claim-polarization 1 --claim-clusters 3 --claim-distance x", "or null, got 'x'"},
    {"verify --claim-polarization 1 --claim-clusters 3 --claim-distance -1", "at least 0 or null"},
    {"verify --claim-polarization -1 --claim-clusters 3 --claim-distance 1",
     "at least 0, got '-1'"},
    {"verify --claim-clusters 0", "from 1 to 400, got '0'"},
    {"verify --claim-clusters 401", "from 1 to 400, got '401'"},
    {"verify --bird 20", "no option '--bird'; did you mean '--birds'?"},
    {"verify --quux", "no option '--quux'"},
    {"verify -x", "two dashes"},
    {"verify 42", "takes no operand, got '42'"},
    {"engine --ticks 0", "--ticks takes a whole number from 1"},
    {"sweep --seeds 4..3", "--seeds takes A..B with 0 <= A <= B <= 4294967295, got '4..3'"},
    {"sweep --seeds 0..4294967296", "got '0..4294967296'"},
    {"sweep --seeds -1..3", "got '-1..3'"},
    {"sweep --seeds 0..", "got '0..'"},
    {"sweep --seeds 0...4", "got '0...4'"},
    {"sweep --seeds 0..1.5", "got '0..1.5'"},
    {"sweep --seeds ", "got ''"},
    {"sweep --ticks 20001", "--ticks takes a whole number from 1 to 20000"},
    {"sweep --ticks 5 --change 5:1,1,1", "below ticks (5)"},
    {"sweep --threads 0", "--threads takes a whole number from 1"},
    {"sweep --json", "--json goes with --out"},
    {"diff", "'diff' needs FILE: susurration diff FILE"},
    {"diff --at-tick 20001 -", "--at-tick takes a whole number from 1 to 20000"},
    {"dump --numbers octal", "--numbers takes bits, hex or decimal, got 'octal'"},
    {"dump --from 6 --at-tick 5", "--from takes a tick up to --at-tick (5), got '6'"},
    {"dump --from 20001", "--from takes a whole number from 0 to 20000"},
    {"session foo", "no command 'session foo'"},
    {"session shw x", "did you mean 'session show'?"},
    {"session step", "needs ID: susurration session step ID"},
    {"session step a b", "takes one ID, got 'a' and 'b'"},
    {"session step a\nb --redis unix:///x", "1 to 64 characters"},
    {"status", "--redis URL, or SUSURRATION_REDIS"},
    {"status --redis http://x", "redis://"},
    {"trace list --limit 0", "--limit takes a whole number from 1"},
    {"verfy", "no command 'verfy'; did you mean 'verify'?"},
    {"vreify --seed 1", "did you mean 'verify'?"},
    {"xyzzy", "no command 'xyzzy'"},
    {"help xyzzy", "no command 'xyzzy'"},
    {"", "no command ''"},
};

START_TEST(usage_error) {
    struct program program;
    program_run_line(&program, "susurration", usage_errors[_i].line);
    ck_assert_msg(program.code == 2, "%s: exit %d", usage_errors[_i].line, program.code);
    ck_assert_msg(strstr(program.err, usage_errors[_i].says) != NULL, "%s: %s",
                  usage_errors[_i].line, program.err);
    ck_assert_int_eq(strncmp(program.err, "susurration: ", 13), 0);
    ck_assert_ptr_nonnull(strstr(program.err, "--help'"));
    ck_assert_str_eq(program.out, "");
    program_release(&program);
}
END_TEST

static void usage_note(const char *note, const char *says) {
    const char *const args[] = {"verify", "--at-tick", "1", "--note", note, NULL};
    struct program program;
    program_run(&program, "susurration", args, NULL);
    ck_assert_int_eq(program.code, says ? 2 : 0);
    if (says)
        ck_assert_ptr_nonnull(strstr(program.err, says));
    program_release(&program);
}

START_TEST(usage_note_length) {
    char note[2 * 501 + 1];
    for (size_t i = 0; i < 501; i++)
        memcpy(note + 2 * i, "\xc3\xa9", 2); /* characters are counted, not bytes */
    note[2 * 501] = '\0';
    usage_note(note, "at most 500 characters, got 501");
    note[2 * 500] = '\0';
    usage_note(note, NULL);
    usage_note("\xc3(", "UTF-8");
    usage_note("", NULL);
}
END_TEST

START_TEST(usage_changes_at_most_thousand) {
    static const char *args[2 * 1001 + 2] = {"verify"};
    struct program program;
    for (size_t i = 0; i < 1001; i++) {
        args[2 * i + 1] = "--change";
        args[2 * i + 2] = "5:1,1,1";
    }
    program_run(&program, "susurration", args, NULL);
    ck_assert_int_eq(program.code, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "1000 times, not 1001"));
    program_release(&program);
    args[2 * 1000 + 1] = NULL;
    program_run(&program, "susurration", args, NULL);
    ck_assert_int_eq(program.code, 0);
    program_release(&program);
}
END_TEST

START_TEST(usage_nothing_lists_the_commands) {
    const char *const args[] = {NULL};
    struct program program;
    program_run(&program, "susurration", args, NULL);
    ck_assert_int_eq(program.code, 2);
    ck_assert_ptr_nonnull(strstr(program.out, "verify"));
    program_release(&program);
}
END_TEST

/* Each command's --help, and each of the lines that it gives as examples, where they need no Redis.
 */
static const char *const usage_helps[] = {"verify", "sweep", "engine", "dump"};

START_TEST(usage_examples_run) {
    char line[64];
    struct program help, example;
    snprintf(line, sizeof line, "%s --help", usage_helps[_i]);
    program_run_line(&help, "susurration", line);
    ck_assert_int_eq(help.code, 0);
    char *at = strstr(help.out, "\nExamples:\n");
    ck_assert_ptr_nonnull(at);
    int count = 0;
    for (char *text; (text = strsep(&at, "\n"));) {
        if (strncmp(text, "  susurration ", 14) != 0)
            continue;
        program_run_line(&example, "susurration", text + 14);
        /* An example may end with 1: a claim that is not so. */
        ck_assert_msg(example.code == 0 || example.code == 1, "%s: %s", text, example.err);
        ck_assert_uint_gt(strlen(example.out) + strlen(example.err), 0);
        program_release(&example);
        count++;
    }
    ck_assert_int_gt(count, 0);
    program_release(&help);
}
END_TEST

START_TEST(usage_every_command_has_help) {
    struct program list, help;
    program_run_line(&list, "susurration", "--help");
    ck_assert_int_eq(list.code, 0);
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        char line[64];
        ck_assert_msg(strstr(list.out, command->summary) != NULL, "%s is not listed",
                      command->name);
        snprintf(line, sizeof line, "%s --help", command->name);
        program_run_line(&help, "susurration", line);
        ck_assert_msg(help.code == 0, "%s: %s", line, help.err);
        ck_assert_ptr_nonnull(strstr(help.out, command->summary));
        snprintf(line, sizeof line, "\n  susurration %s", command->name);
        ck_assert_msg(strstr(help.out, line) != NULL, "%s has no example", command->name);
        program_release(&help);
    }
    program_release(&list);
}
END_TEST

START_TEST(usage_help_is_one_text) {
    static const char *const lines[] = {"help verify", "verify --help", "verify -h"};
    struct program first, other;
    program_run_line(&first, "susurration", lines[0]);
    ck_assert_ptr_nonnull(strstr(first.out, "1 to 20000 (500)"));
    ck_assert_ptr_nonnull(strstr(first.out, "--cohesion X"));
    for (size_t i = 1; i < sizeof lines / sizeof lines[0]; i++) {
        program_run_line(&other, "susurration", lines[i]);
        ck_assert_int_eq(other.code, 0);
        ck_assert_str_eq(first.out, other.out);
        program_release(&other);
    }
    program_release(&first);
}
END_TEST

START_TEST(usage_version) {
    struct program program;
    program_run_line(&program, "susurration", "--version");
    ck_assert_int_eq(program.code, 0);
    ck_assert_ptr_nonnull(strstr(program.out, SUSURRATION_VERSION));
    program_release(&program);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, usage_error, 0, sizeof usage_errors / sizeof usage_errors[0]);
    tcase_add_test(tests, usage_note_length);
    tcase_add_test(tests, usage_changes_at_most_thousand);
    tcase_add_test(tests, usage_nothing_lists_the_commands);
    tcase_add_loop_test(tests, usage_examples_run, 0, sizeof usage_helps / sizeof usage_helps[0]);
    tcase_add_test(tests, usage_every_command_has_help);
    tcase_add_test(tests, usage_help_is_one_text);
    tcase_add_test(tests, usage_version);
}

int main(void) {
    return suite_run("cli_usage", add, 120);
}
