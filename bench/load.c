/* SPDX-License-Identifier: MIT */
/*
 * Everything is sent without waiting for answers, as far as it can be: a benchmark that is slower
 * than what it measures measures itself. A chain is a claim, the completion of what it gave, and
 * the next claim; several of them keep Redis busy.
 */
#include "load.h"

#include "clock.h"
#include "keys.h"
#include "queue_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOAD_BATCH_MAX = QUEUE_JOBS_MAX,
    LOAD_CALLS = 4,    /* under way while filling */
    LOAD_RESULT = 200, /* bytes, as in the peers' measurements */
    LOAD_WAIT_S = 120,
    LOAD_CHAINS = 4,  /* claim and completion in turn, while emptying */
    LOAD_DRAIN = 64,  /* jobs in one of their calls */
    LOAD_BESIDE = 16, /* jobs in a call of the background, and such calls under way */
};

static void load_fail(const char *what, const char *why) {
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void load_check(int code, const char *what) {
    if (code != 0)
        load_fail(what, err_text(code));
}

static void load_on_answer(void *context, const struct link_reply *reply) {
    struct load *load = context;
    load->in_flight--;
    if (queue_answer(reply) != QUEUE_ANSWER_OK)
        load_fail("Redis", queue_answer_text(reply));
}

/* Runs the loop until fewer than `most` calls are under way. */
static void load_settle(struct load *load, size_t most) {
    while (load->in_flight >= most)
        uv_run(&load->loop, UV_RUN_ONCE);
}

static void load_command(struct load *load, link_reply_fn *done, void *context, const char *text) {
    char copy[200], *rest = NULL;
    const char *argv[16];
    size_t argc = 0;
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    load_check(link_call(load->link, done, context, 0, argc, argv, NULL), text);
}

static void load_on_ok(void *context, const struct link_reply *reply) {
    (void)context;
    if (!reply || link_reply_type(reply) == LINK_ERROR)
        load_fail("Redis", reply ? link_reply_text(reply, &(size_t){0}) : "no answer");
}

void load_open(struct load *load, const char *url) {
    struct link_options options = {.url = url, .command_timeout_ms = 600000};
    char why[200];
    *load = (struct load){.url = url, .next = 1};
    load_check(uv_loop_init(&load->loop), "loop");
    load_check(link_open(&load->link, &load->loop, &options, why, sizeof why), url);
    load_check(link_wait_up(load->link, 5000), url);
    queue_init(&load->queue, load->link, LOAD_QUEUE, link_call);
    queue_init(&load->stream, load->link, LOAD_QUEUE, link_send);
    load_command(load, load_on_ok, NULL, "FLUSHALL SYNC");
    load_check(queue_load(&load->queue, true, load_on_ok, NULL), "functions");
    load_check(queue_configure(&load->queue, "max_jobs", "10000000", NULL, NULL), "config");
    load_check(queue_configure(&load->queue, "max_bytes", "10000000000", NULL, NULL), "config");
}

void load_close(struct load *load) {
    queue_release(&load->queue);
    queue_release(&load->stream);
    link_close(load->link, NULL, NULL);
    uv_run(&load->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&load->loop);
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* A claim of 10 birds at tick 1, filled up to LOAD_JOB_BYTES by its note. */
static void load_make(uint64_t number, const char *reply_to, char id[JOB_ID_MAX + 1],
                      struct mem_buffer *bytes) {
    struct job job;
    job_init(&job, JOB_VERIFY, model_at(MODEL_FLOCK));
    (void)snprintf(job.id, sizeof job.id, "job-%010llu", (unsigned long long)number);
    (void)snprintf(job.reply_to, sizeof job.reply_to, "%s", reply_to);
    job.seed = (uint32_t)(number * 2654435761u);
    job.params.value[0] = 10;
    job.ticks = 1;
    job.store = false;
    memcpy(id, job.id, strlen(job.id) + 1);
    bytes->size = 0;
    load_check(wire_encode_job(&job, bytes), "job");
    if (bytes->size < LOAD_JOB_BYTES) {
        /* the field's name, and one byte for the length of a text of up to 31 bytes */
        size_t room = LOAD_JOB_BYTES - bytes->size, head = strlen("note") + 2;
        memset(job.note, '.', room > head ? room - head : 0);
        job.note[room > head ? room - head : 0] = '\0';
        bytes->size = 0;
        load_check(wire_encode_job(&job, bytes), "job");
    }
}

/* A batch of jobs, with their bytes. */
struct load_batch {
    struct queue_job job[LOAD_BATCH_MAX];
    char id[LOAD_BATCH_MAX][JOB_ID_MAX + 1];
    struct mem_buffer bytes[LOAD_BATCH_MAX];
};

static struct load_batch load_batch;

static void load_send_batch(struct load *load, size_t batch, const char *reply_to) {
    for (size_t i = 0; i < batch; i++) {
        load_make(load->next++, reply_to, load_batch.id[i], &load_batch.bytes[i]);
        load_batch.job[i] = (struct queue_job){load_batch.id[i], load_batch.bytes[i].data,
                                               load_batch.bytes[i].size};
    }
    load_check(
        queue_enqueue(&load->stream, JOB_INTERACTIVE, load_batch.job, batch, load_on_answer, load),
        "enqueue");
    load->in_flight++;
}

double load_fill(struct load *load, uint64_t jobs) {
    int64_t start_ns = clock_now_ns();
    for (uint64_t done = 0; done < jobs; done += LOAD_BATCH_MAX) {
        load_send_batch(load, LOAD_BATCH_MAX, "");
        load_settle(load, LOAD_CALLS);
    }
    load_settle(load, 1);
    return (double)(clock_now_ns() - start_ns) / 1e9;
}

double load_fill_bare(struct load *load, uint64_t jobs) {
    char key[KEYS_MAX], id[JOB_ID_MAX + 1];
    struct mem_buffer bytes = {0};
    int64_t start_ns = clock_now_ns();
    (void)keys_fixed(LOAD_QUEUE, KEYS_INTERACTIVE, key);
    for (uint64_t i = 0; i < jobs; i++) {
        load_make(load->next++, "", id, &bytes);
        const char *argv[] = {"XADD", key, "*", "job", (const char *)bytes.data};
        const size_t size[] = {4, strlen(key), 1, 3, bytes.size};
        load_check(link_send(load->link, load_on_answer, load, 0, 5, argv, size), "XADD");
        load->in_flight++;
        load_settle(load, LOAD_CALLS * LOAD_BATCH_MAX);
    }
    load_settle(load, 1);
    mem_buffer_release(&bytes);
    return (double)(clock_now_ns() - start_ns) / 1e9;
}

void load_add_long(struct load *load) {
    struct job job;
    struct mem_buffer bytes = {0};
    job_init(&job, JOB_VERIFY, model_at(MODEL_FLOCK));
    (void)snprintf(job.id, sizeof job.id, "long-%llu", (unsigned long long)load->next++);
    job.params.value[0] = 400;
    job.ticks = 20000;
    job.ring = true;
    load_check(wire_encode_job(&job, &bytes), "job");
    struct queue_job entry = {job.id, bytes.data, bytes.size};
    load_check(queue_enqueue(&load->queue, JOB_INTERACTIVE, &entry, 1, load_on_ok, NULL),
               "enqueue");
    mem_buffer_release(&bytes);
}

/* --- emptied by our functions ----------------------------------------------------------------- */

struct load_chain {
    struct load *load;
    char name[16];
    struct queue_entry entry[LOAD_DRAIN];
    struct queue_outcome outcome[LOAD_DRAIN];
    struct queue_completion job[LOAD_DRAIN];
};

static char load_result[LOAD_RESULT];

static void load_chain_claim(struct load_chain *chain);

static void load_chain_on_complete(void *context, const struct link_reply *reply) {
    struct load_chain *chain = context;
    enum queue_completed completed;
    if (queue_read_complete(reply, 0, &completed) != 0 || completed != QUEUE_COMPLETED_OK)
        load_fail("complete", queue_answer_text(reply));
    load_chain_claim(chain);
}

static void load_chain_on_claim(void *context, const struct link_reply *reply) {
    struct load_chain *chain = context;
    struct queue_claimed claimed;
    struct queue_given given;
    load_check(queue_read_claim(reply, &claimed), "claim");
    chain->load->in_flight -= claimed.given == 0;
    for (size_t i = 0; i < claimed.given; i++) {
        struct queue_outcome *outcome = &chain->outcome[i];
        load_check(queue_read_given(reply, i, &given), "claim");
        chain->entry[i] = given.entry;
        /* any id will do, as long as it is another for each job, and of usual length */
        (void)snprintf(outcome->id, sizeof outcome->id, "%.14s", given.job + 8);
        outcome->kind = "verify";
        outcome->status = "ok";
        outcome->job_size = given.job_size;
        outcome->result =
            (struct mem_buffer){(unsigned char *)load_result, LOAD_RESULT, LOAD_RESULT, 0};
        chain->job[i] = (struct queue_completion){&chain->entry[i], outcome};
    }
    if (claimed.given > 0)
        load_check(queue_complete(&chain->load->stream, chain->name, chain->job, claimed.given,
                                  load_chain_on_complete, chain),
                   "complete");
}

static void load_chain_claim(struct load_chain *chain) {
    struct queue_claim claim = {.worker = chain->name, .slots = LOAD_DRAIN, .lease_ms = 60000};
    load_check(queue_claim(&chain->load->stream, &claim, load_chain_on_claim, chain), "claim");
}

double load_drain(struct load *load) {
    struct load_chain *chain = calloc(LOAD_CHAINS, sizeof *chain);
    int64_t start_ns = clock_now_ns();
    if (!chain)
        load_fail("drain", err_text(ERR_NO_MEMORY));
    for (int i = 0; i < LOAD_CHAINS; i++) {
        chain[i].load = load;
        (void)snprintf(chain[i].name, sizeof chain[i].name, "chain-%d", i);
        load->in_flight++;
        load_chain_claim(&chain[i]);
    }
    load_settle(load, 1);
    free(chain);
    return (double)(clock_now_ns() - start_ns) / 1e9;
}

/* --- emptied by bare commands ----------------------------------------------------------------- */

struct load_bare {
    struct load *load;
    char lane[KEYS_MAX];
};

static void load_bare_read(struct load_bare *bare);

static void load_bare_on_deleted(void *context, const struct link_reply *reply) {
    load_on_ok(NULL, reply);
    load_bare_read(context);
}

/* For each a SET, then one XACK and one XDEL for all. */
static void load_bare_finish(struct load_bare *bare, const struct link_reply *entries) {
    struct load *load = bare->load;
    size_t count = link_reply_count(entries), size;
    const char *argv[LOAD_DRAIN + 3] = {"XACK", bare->lane, "workers"};
    for (size_t i = 0; i < count; i++) {
        const char *id = link_reply_text(link_reply_item(link_reply_item(entries, i), 0), &size);
        char key[KEYS_MAX];
        (void)keys_named(LOAD_QUEUE, KEYS_RESULT, id, key);
        const char *set[] = {"SET", key, load_result, "EX", "3600"};
        const size_t set_size[] = {3, strlen(key), LOAD_RESULT, 2, 4};
        load_check(link_send(load->link, NULL, NULL, 0, 5, set, set_size), "SET");
        argv[3 + i] = id;
    }
    load_check(link_send(load->link, NULL, NULL, 0, count + 3, argv, NULL), "XACK");
    argv[1] = "XDEL";
    argv[2] = bare->lane;
    load_check(link_send(load->link, load_bare_on_deleted, bare, 0, count + 2, argv + 1, NULL),
               "XDEL");
}

static void load_bare_on_read(void *context, const struct link_reply *reply) {
    struct load_bare *bare = context;
    load_on_ok(NULL, reply);
    if (link_reply_type(reply) == LINK_NIL)
        bare->load->in_flight--;
    else
        load_bare_finish(bare, link_reply_item(link_reply_item(reply, 0), 1));
}

static void load_bare_read(struct load_bare *bare) {
    char count[16];
    (void)snprintf(count, sizeof count, "%d", LOAD_DRAIN);
    const char *argv[] = {"XREADGROUP", "GROUP",   "workers",  "bare", "COUNT",
                          count,        "STREAMS", bare->lane, ">"};
    load_check(link_send(bare->load->link, load_bare_on_read, bare, 0, 9, argv, NULL),
               "XREADGROUP");
}

double load_drain_bare(struct load *load) {
    struct load_bare bare = {.load = load};
    char command[200];
    (void)keys_fixed(LOAD_QUEUE, KEYS_INTERACTIVE, bare.lane);
    (void)snprintf(command, sizeof command, "XGROUP CREATE %s workers 0 MKSTREAM", bare.lane);
    load_command(load, load_on_ok, NULL, command);
    int64_t start_ns = clock_now_ns();
    for (int i = 0; i < LOAD_CHAINS; i++) {
        load->in_flight++;
        load_bare_read(&bare);
    }
    load_settle(load, 1);
    return (double)(clock_now_ns() - start_ns) / 1e9;
}

/* --- watching --------------------------------------------------------------------------------- */

static void load_on_number(void *context, const struct link_reply *reply) {
    *(int64_t *)context += link_reply_integer(reply, 0);
}

uint64_t load_left(struct load *load) {
    char key[KEYS_MAX], command[200];
    int64_t left = 0;
    for (int lane = 0; lane < JOB_LANES; lane++) {
        (void)keys_fixed(LOAD_QUEUE, lane == JOB_BATCH ? KEYS_BATCH : KEYS_INTERACTIVE, key);
        (void)snprintf(command, sizeof command, "XLEN %s", key);
        load_command(load, load_on_number, &left, command);
    }
    return (uint64_t)left;
}

struct load_info {
    const char *name;
    uint64_t value;
};

static void load_on_info(void *context, const struct link_reply *reply) {
    struct load_info *info = context;
    size_t size;
    const char *text = link_reply_text(reply, &size);
    const char *at = text ? strstr(text, info->name) : NULL;
    if (!at)
        load_fail("INFO", info->name);
    info->value = strtoull(at + strlen(info->name), NULL, 10);
}

uint64_t load_info(struct load *load, const char *section, const char *name) {
    char command[64];
    struct load_info info = {.name = name};
    (void)snprintf(command, sizeof command, "INFO %s", section);
    load_command(load, load_on_info, &info, command);
    return info.value;
}

static void load_on_timer(uv_timer_t *timer) {
    (void)timer; /* the loop has turned, and that was all */
}

static void load_pause(struct load *load, unsigned ms) {
    uv_timer_t timer;
    uv_timer_init(&load->loop, &timer);
    uv_timer_start(&timer, load_on_timer, ms, 0);
    while (uv_is_active((uv_handle_t *)&timer))
        uv_run(&load->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&load->loop, UV_RUN_NOWAIT);
}

void load_wait(struct load *load, uint64_t left) {
    int64_t end_ns = clock_now_ns() + LOAD_WAIT_S * INT64_C(1000000000);
    while (load_left(load) > left) {
        if (clock_now_ns() > end_ns)
            load_fail("the queue", "is not emptied; see the worker's log");
        load_pause(load, 2);
    }
}

uint64_t load_feed(struct load *load, uint64_t waiting, size_t batch, double seconds) {
    int64_t end_ns = clock_now_ns() + (int64_t)(seconds * 1e9);
    uint64_t before = load->next;
    while (clock_now_ns() < end_ns) {
        uint64_t left = load_left(load);
        for (; left + batch <= waiting; left += batch)
            load_send_batch(load, batch, "");
        load_settle(load, 1);
    }
    return load->next - before;
}

/* --- latency ---------------------------------------------------------------------------------- */

struct load_probe {
    struct link *link;
    struct queue queue;
    int64_t sent_ns;
    double *ms;
    size_t count;
    bool waiting;
};

static void load_on_probe(void *context, const struct link_reply *reply) {
    struct load_probe *probe = context;
    const char *result;
    size_t size;
    if (queue_read_wait(reply, &result, &size) != 0 || !result)
        load_fail("latency", "a job has no result within 10 s");
    probe->ms[probe->count++] = (double)(clock_now_ns() - probe->sent_ns) / 1e6;
    probe->waiting = false;
}

static int load_compare(const void *a, const void *b) {
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* What of the background is due by now. */
static void load_background(struct load *load, double rate, int64_t start_ns, uint64_t *sent) {
    double due = rate * (double)(clock_now_ns() - start_ns) / 1e9;
    while ((double)*sent + LOAD_BESIDE <= due && load->in_flight < LOAD_BESIDE) {
        load_send_batch(load, LOAD_BESIDE, "");
        *sent += LOAD_BESIDE;
    }
}

double *load_latency(struct load *load, size_t count, unsigned every_ms, double background) {
    struct link_options options = {.url = load->url, .command_timeout_ms = 20000};
    struct load_probe probe = {.ms = calloc(count, sizeof *probe.ms)};
    char why[200];
    uv_timer_t timer;
    load_check(link_open(&probe.link, &load->loop, &options, why, sizeof why), load->url);
    load_check(link_wait_up(probe.link, 5000), load->url);
    queue_init(&probe.queue, probe.link, LOAD_QUEUE, link_send);
    uv_timer_init(&load->loop, &timer);
    uv_timer_start(&timer, load_on_timer, 1, 1);
    int64_t start_ns = clock_now_ns(), next_ns = start_ns;
    for (uint64_t sent = 0; probe.ms && probe.count < count;) {
        if (!probe.waiting && clock_now_ns() >= next_ns) {
            next_ns = clock_now_ns() + every_ms * INT64_C(1000000);
            load_check(queue_wait(&probe.queue, "probe", 10000, load_on_probe, &probe), "BLPOP");
            probe.sent_ns = clock_now_ns();
            probe.waiting = true;
            load_send_batch(load, 1, "probe");
        }
        load_background(load, background, start_ns, &sent);
        uv_run(&load->loop, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    queue_release(&probe.queue);
    link_close(probe.link, NULL, NULL);
    load_settle(load, 1);
    uv_run(&load->loop, UV_RUN_NOWAIT);
    if (probe.ms)
        qsort(probe.ms, count, sizeof *probe.ms, load_compare);
    return probe.ms;
}
