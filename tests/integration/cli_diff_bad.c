/* SPDX-License-Identifier: MIT */
/* What `susurration diff` says to a file that no engine should have written: exit code 2, and where
 * it is wrong, with which value, and what would do. */
#include "diff_file.h"
#include "program.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIFF_HEADER "tick,bird,x,y,vx,vy\n"
#define DIFF_ROW(bird) "0," #bird ",1,2,3,2\n"
#define DIFF_NINE                                                                                  \
    DIFF_ROW(0)                                                                                    \
    DIFF_ROW(1) DIFF_ROW(2) DIFF_ROW(3) DIFF_ROW(4) DIFF_ROW(5) DIFF_ROW(6) DIFF_ROW(7) DIFF_ROW(8)

#define DIFF_TEN "[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2]]"
#define DIFF_STATE(more)                                                                           \
    "{\"tick\": 1, \"positions\": " DIFF_TEN ", \"velocities\": " DIFF_TEN more "}"

#define DIFF_AT(tick, list)                                                                        \
    "{\"at_tick\": " tick ", \"state_hash\": \"2859c10a10b68472\", \"checkpoints\": " list "}"

static const struct {
    const char *text, *says;
} diff_bad[] = {
    {"", "holds no tick to compare"},
    {"\n \r\n\t\n", "holds no tick to compare"},
    {"# nothing\n", "holds no tick to compare"},
    {"tick,state_hash\n", "holds no tick to compare"},
    {"simulated\n  seed  42\n", "holds no tick to compare"},
    {"simulated\n  hash at tick 1000\n",
     ":2: a hash stands as 'hash at tick TICK HEX', here are 4 words"},
    {"simulated\n  hash at tick 1000 2859c10a10b68472 500\n", "here are 6 words"},
    {"simulated\n  hash a tick 1000 2859c10a10b68472\n", "here are 5 words"},
    {"hello\n", ":1: the columns are tick,state_hash or tick,bird,x,y,vx,vy; here are 1, the first "
                "is 'hello'"},
    {"tick,bird,x,y,vx\n", ":1: the columns are"},
    {"state_hash\n", ":1: the columns are"},
    {"1,2,3\n", "here are 3, the first is '1'"},
    {"\x1b[31m\n", ":1: this is no text: it holds a byte \\x1b"},
    {"\xff\xfe\n", "the first is '\\xff\\xfe'"},
    {"5 2859c10a10b6847\n", ":1: state_hash takes 16 hexadecimal digits, got '2859c10a10b6847'"},
    {"5 2859c10a10b6847g\n", "got '2859c10a10b6847g'"},
    {"\n\n5 2859c10a10b68472x\n", ":3: state_hash takes"},
    {"-1 2859c10a10b68472\n", ":1: tick takes a whole number from 0 to 20000, got '-1'"},
    {"20001 2859c10a10b68472\n", "got '20001'"},
    {"1.5 2859c10a10b68472\n", "got '1.5'"},
    {"tick,state_hash\nx,2859c10a10b68472\n", ":2: tick takes a whole number"},
    {"tick,state_hash\n5\n", ":2: there is no state_hash: the line has 1 columns"},
    {"tick,state_hash\n,2859c10a10b68472\n",
     ":2: tick takes a whole number from 0 to 20000, got ''"},
    {DIFF_HEADER "0,0,1,2,3\n", ":2: there is no vy: the line has 5 columns"},
    {DIFF_HEADER "0,0,1,,3,4\n", ":2: y takes a binary64: 16 hexadecimal digits, 0x1.8p+1 or "
                                 "decimal, got ''"},
    {DIFF_HEADER "0,0,1,2,3,4000\x07\n", "a byte \\x07"},
    {DIFF_HEADER "0,0,1,2,3f,4\n", ":2: vx takes a binary64"},
    {DIFF_HEADER "0,0,1e309,2,3,4\n", ":2: x takes a binary64"},
    {DIFF_HEADER "0,0,0x1.8,2,3,4\n", "got '0x1.8'"},
    {DIFF_HEADER "0,0,1,2,3,0x4008000000000\n", ":2: vy takes"},
    {DIFF_HEADER "0,10,1,2,3,4\n", ":2: bird takes a whole number from 0 to 9, got '10'"},
    {DIFF_HEADER "0,-1,1,2,3,4\n", "got '-1'"},
    {DIFF_HEADER "0,11,1,2,3,4\n0,10,1,2,3,4\n1,30,1,2,3,4\n",
     ":2: bird takes a whole number from 0 to 9, got '11': tick 0 has birds to 11, try --birds 12"},
    {DIFF_HEADER "0,10,1,2,3,4\n0\n0,20,1,2,3,4\n", "try --birds 11"},
    {DIFF_HEADER "0,10,1,2,3,4\n0,399,1,2,3,4\n0,400\n", "try --birds 400"},
    {DIFF_HEADER "0,400,1,2,3,4\n", ":2: bird takes a whole number from 0 to 9, got '400'\n"},
    {DIFF_HEADER "0,10,1,2,3,4\n0,\x07\n", ":3: this is no text: it holds a byte \\x07"},
    {DIFF_HEADER DIFF_NINE "# the end\n\n", ":10: tick 0 has 9 of the 10 birds"},
    {DIFF_HEADER DIFF_NINE, ":10: tick 0 has 9 of the 10 birds of the claim: bird 9 is missing"},
    {DIFF_HEADER DIFF_NINE "1,0,1,2,3,2\n", ":11: tick 0 has 9 of the 10 birds"},
    {DIFF_HEADER DIFF_NINE DIFF_ROW(4), ":11: bird 4 of tick 0 stands in line 6 already"},
    {"{", ":1: this is no JSON"},
    {"{}", ":1: at_tick takes a whole number from 0 to 20000, got 'nothing'"},
    {"{\"tick\": 1.5}", "tick takes a whole number from 0 to 20000, got '1.5'"},
    {"{\"tick\": null}", "got 'null'"},
    {"{\"tick\": [1]}", "got '[...]'"},
    {"{\"tick\": 1, \"tick\": 1}", "this is no JSON: duplicate object key"},
    {"{\"tick\": 1}", "state_hash takes 16 hexadecimal digits, got 'nothing'"},
    {"{\"tick\": 1, \"state_hash\": 5}", "got '5'"},
    {"{\"tick\": 1500, \"state_hash\": \"2859c10a10b68472\", \"checkpoints\": [true]}",
     ":1: checkpoints[0] takes 16 hexadecimal digits, got 'true'"},
    {DIFF_AT("2999", "5"), ":1: checkpoints takes a list of 0 to 2 hashes, one for each 1000 ticks "
                           "up to tick 2999, got '5'"},
    {DIFF_AT("500", "\"2859c10a10b68472\""), "got '2859c10a10b68472'"},
    {DIFF_AT("500", "{}"), "a list of 0 to 0 hashes"},
    {DIFF_AT("500", "null"), "got 'null'"},
    {DIFF_AT("999", "[1]"), "a list of 0 to 0 hashes, one for each 1000 ticks up to tick 999, "
                            "got 1"},
    {DIFF_AT("1000", "[1, 2]"), "a list of 0 to 1 hashes, one for each 1000 ticks up to tick 1000, "
                                "got 2"},
    {DIFF_AT("1000", "[1]"), "checkpoints[0] takes 16 hexadecimal digits, got '1'"},
    {DIFF_AT("1000", "[\"2859c10a10b68473\"]"),
     "state_hash and checkpoints[0] are both of tick 1000, and differ"},
    {DIFF_STATE(", \"state_hash\": 5"), ":1: state_hash takes 16 hexadecimal digits, got '5'"},
    {DIFF_STATE(", \"state_hash\": null"), "got 'null'"},
    {"{\"tick\": 1, \"positions\": 5}", "positions is a list of a pair for each of the 10 birds"},
    {"{\"tick\": 1, \"positions\": [[1, 2]]}", "of the claim, here are 1\n"},
    {"{\"tick\": 1, \"positions\": [1,2,3,4,5,6,7,8,9,0]}", "positions[0] is no pair of numbers"},
    {"{\"tick\": 1, \"positions\": [[1,2],[1,2],[1,null],4,5,6,7,8,9,0]}",
     "y of bird 2 takes a binary64: 16 hexadecimal digits, 0x1.8p+1 or decimal, got 'null'"},
    {"{\"seed\": \"x\", \"tick\": 1}", "seed takes a whole number"},
};

START_TEST(diff_bad_file) {
    struct program program;
    diff_file_run(&program, "--birds 10", diff_bad[_i].text, 2);
    ck_assert_msg(strstr(program.err, diff_bad[_i].says) != NULL, "%s", program.err);
    const char *name = strstr(program.err, "/tmp/"); /* which a sentence quotes */
    size_t before = strlen("susurration: ");
    ck_assert(name == program.err + before || name == program.err + before + 1);
    ck_assert_ptr_nonnull(strstr(program.err, "Try 'susurration diff --help'."));
    ck_assert_str_eq(program.out, "");
    program_release(&program);
}
END_TEST

START_TEST(diff_ticks_must_ascend) {
    static const char *const forms[] = {" --hashes", "", " --hashes --json", " --json"};
    char line[128], text[1 << 15];
    struct program program;
    snprintf(line, sizeof line, "dump --birds 10 --from 4 --at-tick 5%s", forms[_i]);
    char *dump = diff_file_dump(line);
    /* Twice; of the second CSV without the header. */
    snprintf(text, sizeof text, "%s%s", dump, *dump == '{' ? dump : strchr(dump, '\n') + 1);
    diff_file_run(&program, "--birds 10", text, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "ticks must ascend: tick 4 stands behind tick 5"));
    program_release(&program);
    free(dump);
}
END_TEST

START_TEST(diff_of_another_number_of_birds) {
    struct program program;
    char *dump = diff_file_dump("dump --birds 20 --from 0 --at-tick 1");
    diff_file_run(&program, "--birds 19", dump, 2);
    ck_assert_ptr_nonnull(strstr(program.err,
                                 ":21: bird takes a whole number from 0 to 18, got '19': "
                                 "tick 0 has birds to 19, try --birds 20\n"));
    program_release(&program);
    diff_file_run(&program, "--birds 21", dump, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "20 of the 21 birds of the claim: bird 20 is"));
    program_release(&program);
    diff_file_run(&program, "--birds 10", dump, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":12: bird takes a whole number from 0 to 9"));
    ck_assert_ptr_nonnull(strstr(program.err, "got '10': tick 0 has birds to 19, try --birds 20"));
    program_release(&program);
    free(dump);

    diff_file_run(&program, "--birds 12", DIFF_STATE(""), 2);
    ck_assert_ptr_nonnull(strstr(program.err, "of the 12 birds of the claim, here are 10: "
                                              "try --birds 10\n"));
    program_release(&program);
}
END_TEST

START_TEST(diff_of_long_lines) {
    static char text[3 << 20];
    struct program program;
    memset(text, '1', sizeof text - 1);
    diff_file_run(&program, "", text, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":1: a line has at most 4095 bytes"));
    program_release(&program);
    memcpy(text, "{\"tick\": \"", 10);
    diff_file_run(&program, "", text, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":1: an object has at most 1048576 bytes"));
    program_release(&program);
    for (size_t i = 0; i < 100; i++)
        memcpy(text + 2 * i, "1,", 2);
    text[200] = '\0';
    diff_file_run(&program, "", text, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":1: a line has at most 32 columns"));
    program_release(&program);
    memset(text, '[', 100000);
    memcpy(text, "{\"a\":", 5);
    text[100000] = '\0';
    diff_file_run(&program, "", text, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":1: this is no JSON: maximum parsing depth"));
    program_release(&program);
}
END_TEST

START_TEST(diff_of_no_text) {
    static const char text[] = "tick,state_hash\n500,2859c10a10b68472\0\n";
    struct program program;
    char line[128];
    snprintf(line, sizeof line, "diff %s", diff_file_write(text, sizeof text - 1));
    program_run_line(&program, "susurration", line);
    ck_assert_int_eq(program.code, 2);
    ck_assert_ptr_nonnull(strstr(program.err, ":2: this is no text: it holds a byte \\x00"));
    program_release(&program);
    diff_file_remove();
}
END_TEST

/* Cut anywhere, an object is refused, and nothing else happens. */
START_TEST(diff_of_cut_json) {
    struct program program;
    char *dump = diff_file_dump("dump --birds 10 --at-tick 2 --json");
    for (size_t cut = strlen(dump) - 2; cut > 0; cut -= cut > 20 ? 19 : 1) {
        dump[cut] = '\0'; /* the first cut takes the last } */
        diff_file_run(&program, "--birds 10", dump, 2);
        ck_assert_ptr_nonnull(strstr(program.err, "this is no JSON"));
        program_release(&program);
    }
    free(dump);
}
END_TEST

START_TEST(diff_of_no_file) {
    struct program program;
    program_run_line(&program, "susurration", "diff /tmp/susurration-there-is-none");
    ck_assert_int_eq(program.code, 3);
    ck_assert_ptr_nonnull(
        strstr(program.err, "cannot open '/tmp/susurration-there-is-none': No such"));
    program_release(&program);
    program_run_line(&program, "susurration", "diff /tmp");
    ck_assert_int_eq(program.code, 3);
    ck_assert_ptr_nonnull(strstr(program.err, "cannot read '/tmp': Is a directory"));
    program_release(&program);
}
END_TEST

/* A name is a stranger's too: nothing of it steers the terminal. */
START_TEST(diff_of_a_bad_name) {
    struct program program;
    program_run(&program, "susurration", (const char *const[]){"diff", "", NULL}, NULL);
    ck_assert_int_eq(program.code, 2);
    ck_assert_ptr_nonnull(strstr(program.err, "'diff' takes the path of a file, or - for standard "
                                              "input, got ''\nTry 'susurration diff --help'."));
    program_release(&program);
    program_run(&program, "susurration",
                (const char *const[]){"diff", "/tmp/susurration\x1b[31m no\n", NULL}, NULL);
    ck_assert_int_eq(program.code, 3);
    ck_assert_str_eq(program.err, "susurration: cannot open '/tmp/susurration\\x1b[31m no\\x0a': "
                                  "No such file or directory\n");
    program_release(&program);
    char name[3000];
    memset(name, '\x07', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    program_run(&program, "susurration", (const char *const[]){"diff", name, NULL}, NULL);
    ck_assert_int_eq(program.code, 3);
    ck_assert_ptr_nonnull(strstr(program.err, "\\x07...': "));
    program_release(&program);
}
END_TEST

/* The same in NAME:LINE and on standard output. */
START_TEST(diff_shows_a_name_escaped) {
    static const char *const says[] = {"\\x09x:1: the columns are", "-\\x09x:1\n"};
    static const char *const texts[] = {"hello\n", "500,2859c10a10b68473\n"};
    struct program program;
    char name[64];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s", diff_file_write(texts[i], strlen(texts[i])));
        char link[80];
        snprintf(link, sizeof link, "%s-\tx", name);
        ck_assert_int_eq(symlink(name, link), 0);
        program_run(&program, "susurration", (const char *const[]){"diff", link, NULL}, NULL);
        ck_assert_int_eq(program.code, i == 0 ? 2 : 1);
        ck_assert_ptr_nonnull(strstr(i == 0 ? program.err : program.out, says[i]));
        ck_assert_int_eq(unlink(link), 0);
        program_release(&program);
        diff_file_remove();
    }
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, diff_bad_file, 0, sizeof diff_bad / sizeof diff_bad[0]);
    tcase_add_loop_test(tests, diff_ticks_must_ascend, 0, 4);
    tcase_add_test(tests, diff_of_another_number_of_birds);
    tcase_add_test(tests, diff_of_long_lines);
    tcase_add_test(tests, diff_of_no_text);
    tcase_add_test(tests, diff_of_cut_json);
    tcase_add_test(tests, diff_of_no_file);
    tcase_add_test(tests, diff_of_a_bad_name);
    tcase_add_test(tests, diff_shows_a_name_escaped);
}

int main(void) {
    return suite_run("cli_diff_bad", add, 120);
}
