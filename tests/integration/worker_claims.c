/* SPDX-License-Identifier: MIT */
/* What comes to a worker, and what it gives back so that it does not lie there: claims that went
 * wrong on the way, and jobs that were claimed ahead in vain. */
#include "clock.h"
#include "suite.h"
#include "worker_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The reader's connection: its number, and the worker's name, with which its own begins. */
struct reader {
    char id[24], worker[80];
};

static void take_reader(void *context, const struct link_reply *reply) {
    struct reader *reader = context;
    const char *at = link_reply_text(reply, NULL), *end;
    for (; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *name = strstr(at, " name="), *read = strstr(at, ":read ");
        if (!read || strcspn(at, "\n") < (size_t)(read - at))
            continue;
        name += strlen(" name=");
        end = strchr(at, ' ');
        (void)snprintf(reader->id, sizeof reader->id, "%.*s", (int)(end - at - 3), at + 3);
        (void)snprintf(reader->worker, sizeof reader->worker, "%.*s", (int)(read - name), name);
    }
}

static void find_reader(struct reader *reader) {
    const char *argv[] = {"CLIENT", "LIST"};
    *reader = (struct reader){{0}, {0}};
    ck_assert_int_eq(link_call(client.probe.link, take_reader, reader, 0, 2, argv, NULL), 0);
    ck_assert_str_ne(reader->id, "");
}

/* Redis has given an entry to the reader's connection, which broke before the answer was here. With
 * a lease of five minutes only the worker itself can find that out. */
START_TEST(worker_hands_back_what_its_reader_lost) {
    struct reader reader;
    client_ask(&client, "HSET flock:{main}:config paused 1"); /* so it never reads by itself */
    client_ask(&client, "XGROUP CREATE flock:{main}:jobs:interactive workers 0 MKSTREAM");
    worker_process_start(&worker, &server, "--lease 300");
    find_reader(&reader);
    client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    ck_assert_str_eq(client_ask(&client,
                                "XREADGROUP GROUP workers %s COUNT 1 STREAMS "
                                "flock:{main}:jobs:interactive >",
                                reader.worker),
                     "(list of 1)");
    ck_assert_str_eq(client_ask(&client, "CLIENT KILL ID %s", reader.id), "1");
    client_until(&client, "(list of 1)",
                 "XPENDING flock:{main}:jobs:interactive workers - + 9 released");
    client_ask(&client, "HDEL flock:{main}:config paused");
    client_expect(&client, "a", RESULT_OK);
    worker_process_stop(&worker);
}
END_TEST

static void run_short_jobs(const char *prefix, int count) {
    char job[200], id[32];
    for (int i = 0; i < count; i++) {
        (void)snprintf(job, sizeof job, "{'v':1,'id':'%s-%d'," SHORT_JOB "}", prefix, i);
        client_add(&client, JOB_BATCH, job);
    }
    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "%s-%d", prefix, i);
        client_expect(&client, id, RESULT_OK);
    }
}

/* One long job in front of many short ones, after others so short that the worker claims ahead. How
 * many it has handed back by the time that it holds nothing ahead, while the long one still runs.
 */
static int yield_behind_long_job(const char *worker_name, int round) {
    char job[200], id[16], prefix[16], long_ref[sizeof client.entry + 1];
    (void)snprintf(prefix, sizeof prefix, "before%d", round);
    run_short_jobs(prefix, 100);
    client_ask(&client, "HSET flock:{main}:config paused 1");
    (void)snprintf(id, sizeof id, "long%d", round);
    (void)snprintf(job, sizeof job, "{'v':1,'id':'%s'," LONG_JOB "}", id);
    (void)snprintf(long_ref, sizeof long_ref, "b%s", client_add(&client, JOB_BATCH, job));
    for (int i = 0; i < 20; i++) {
        (void)snprintf(job, sizeof job, "{'v':1,'id':'behind%d-%d'," SHORT_JOB "}", round, i);
        client_add(&client, JOB_BATCH, job);
    }
    client_ask(&client, "HDEL flock:{main}:config paused");
    client_until(&client, "1", "HLEN flock:{main}:running");
    (void)snprintf(job, sizeof job, "XPENDING flock:{main}:jobs:batch workers - + 99 %s:next",
                   worker_name);
    client_until(&client, "(list of 0)", job);
    ck_assert_str_eq(client_ask(&client, "EXISTS flock:{main}:result:%s", id), "0");
    client_ask(&client, "SADD flock:{main}:cancelled %s", long_ref);
    int yielded = atoi(client_ask(&client, "HGET flock:{main}:stats released"));
    client_expect(&client, id, RESULT_CANCELLED);
    (void)snprintf(id, sizeof id, "behind%d-19", round);
    client_expect(&client, id, RESULT_OK);
    return yielded;
}

/* Jobs claimed ahead do not lie behind one that turns out long: other workers may have places. */
START_TEST(worker_yields_what_it_claimed_ahead) {
    enum { ROUNDS = 10 };
    struct reader reader;
    int yielded = 0;
    worker_process_start(&worker, &server, "--slots 1");
    find_reader(&reader);
    /* again, because on a busy machine no run may have been short enough */
    for (int round = 0; yielded == 0 && round < ROUNDS; round++)
        yielded = yield_behind_long_job(reader.worker, round);
    ck_assert_int_gt(yielded, 0);
    worker_process_stop(&worker);
}
END_TEST

/* Takes `count` jobs as a worker of that name, which then is no more. */
static void take_as(const char *name, int count) {
    char command[200];
    (void)snprintf(command, sizeof command,
                   "XREADGROUP GROUP workers %s COUNT %d STREAMS flock:{main}:jobs:interactive >",
                   name, count);
    client_ask(&client, "XGROUP CREATE flock:{main}:jobs:interactive workers 0 MKSTREAM");
    ck_assert_str_eq(client_ask(&client, "%s", command), "(list of 1)");
}

/* Within the time that a client waits, while a look at lost jobs comes once in two minutes. */
START_TEST(worker_soon_takes_what_was_handed_back) {
    worker_process_start(&worker, &server, "--slots 1 --lease 300");
    worker_process_signal(&worker, SIGTSTP);
    worker_process_expect(&worker, "msg=\"quiet\"", "");
    const char *entry = client_add(&client, JOB_INTERACTIVE, "{'v':1,'id':'a'," SHORT_JOB "}");
    take_as("other", 1);
    worker_process_signal(&worker, SIGCONT);
    worker_process_expect(&worker, "msg=\"running\"", "");
    worker_process_pause(500); /* by now it has found the queue empty, and reads */
    client_ask(&client,
               "XCLAIM flock:{main}:jobs:interactive workers released 0 %s TIME 0 RETRYCOUNT 0",
               entry);
    client_expect(&client, "a", RESULT_OK);
    worker_process_stop(&worker);
}
END_TEST

/* What a dead worker had claimed ahead is taken over in one go, and not a place at a time. */
START_TEST(worker_takes_over_all_of_a_dead_worker) {
    enum { JOBS = 30 };
    char job[200], id[16];
    char entry[JOBS][64];
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(job, sizeof job, "{'v':1,'id':'j%d'," SHORT_JOB "}", i);
        (void)snprintf(entry[i], sizeof entry[i], "%s", client_add(&client, JOB_INTERACTIVE, job));
    }
    take_as("dead:next", JOBS);
    for (int i = 0; i < JOBS; i++)
        client_ask(&client,
                   "XCLAIM flock:{main}:jobs:interactive workers dead:next 0 %s IDLE 400000 JUSTID",
                   entry[i]);
    worker_process_start(&worker, &server, "--slots 1 --lease 300");
    int64_t start_ns = clock_now_ns();
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(id, sizeof id, "j%d", i);
        client_expect(&client, id, RESULT_OK);
    }
    ck_assert_int_lt(clock_now_ns() - start_ns, 10 * INT64_C(1000000000)); /* one a second: 29 */
    worker_process_stop(&worker);
}
END_TEST

static void add(TCase *tests) {
    worker_fixture(tests, NULL);
    tcase_add_test(tests, worker_hands_back_what_its_reader_lost);
    tcase_add_test(tests, worker_yields_what_it_claimed_ahead);
    tcase_add_test(tests, worker_soon_takes_what_was_handed_back);
    tcase_add_test(tests, worker_takes_over_all_of_a_dead_worker);
}

int main(void) {
    return suite_run("worker_claims", add, 60);
}
