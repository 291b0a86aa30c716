/* SPDX-License-Identifier: MIT */
/*
 * A job is sent with an id drawn here, so that sending it again is harmless: whenever it is unclear
 * what became of it (the link broke, no answer for a second) the same job is enqueued once more,
 * and Redis says whether it waits, runs or is done. Results come through a reply list of our own.
 */
#include "remote.h"

#include "clock.h"
#include "keys.h"
#include "mem.h"
#include "queue_load.h"
#include "report.h"
#include "text.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define REMOTE_CONNECT_MS 5000u
#define REMOTE_SLICE_MS 1000u   /* how long to wait for an answer before asking again */
#define REMOTE_EXPLAIN_MS 3000u /* how long to wait in silence */
#define REMOTE_TRIES 5u         /* of one request, when the link breaks under it */
#define REMOTE_LATER_MS 200u    /* between tries, when Redis cannot do it now */
#define REMOTE_NS_PER_MS 1000000

struct remote {
    uv_loop_t loop;
    struct link *link;
    struct queue queue;
    const struct command *command;
    char shown[256]; /* the URL, for messages */
    char reply_to[JOB_ID_MAX + 1];
    unsigned wait_s;
    bool explained;
};

bool remote_is_wanted(const struct args *args) {
    return args_text(args, "redis") != NULL;
}

void remote_draw_id(char *out) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        exit(report_infrastructure("no random numbers: %s", strerror(errno)));
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Without user, passwords and settings: messages end up in logs. */
static void remote_show_url(const char *url, char *out, size_t out_size) {
    const char *scheme = strstr(url, "://");
    const char *rest = scheme ? scheme + 3 : url;
    const char *at = memrchr(rest, '@', strcspn(rest, "/"));
    const char *where = at ? at + 1 : rest;
    (void)snprintf(out, out_size, "%.*s%.*s", (int)(rest - url), url, (int)strcspn(where, "?"),
                   where);
}

static int remote_connect(struct remote *remote, const struct args *args) {
    char why[256] = "", key[KEYS_MAX];
    (void)keys_fixed(args_text(args, "queue"), KEYS_CONFIG, key);
    struct link_options options = {
        .url = args_text(args, "redis"),
        .password_file = args_text(args, "password-file"),
        .client_name = "susurration",
        .slot_key = key,
        .connect_timeout_ms = REMOTE_CONNECT_MS,
    };
    int status = link_open(&remote->link, &remote->loop, &options, why, sizeof why);
    if (status == ERR_NO_MEMORY)
        return report_infrastructure("%s", err_text(status));
    if (status != 0)
        return report_usage(args->command, "--redis: %s", why[0] ? why : err_text(status));
    status = link_wait_up(remote->link, REMOTE_CONNECT_MS);
    if (status == 0)
        return 0;
    const char *reason = link_reason(remote->link);
    return report_infrastructure("cannot reach Redis at %s: %s", remote->shown,
                                 reason[0] ? reason : err_text(status));
}

struct remote_library {
    enum queue_need need;
};

static void remote_on_version(void *context, const struct link_reply *reply) {
    struct remote_library *library = context;
    unsigned version;
    library->need = queue_load_need(reply, &version);
}

/* Whatever became of it, the first request will tell. */
static void remote_on_loaded(void *context, const struct link_reply *reply) {
    (void)context;
    (void)reply;
}

/* So that a queue can be filled before its first worker starts. */
static int remote_prepare(struct remote *remote) {
    struct remote_library library = {QUEUE_NEED_NOTHING};
    int status = queue_version(&remote->queue, remote_on_version, &library);
    if (status == 0 && (library.need == QUEUE_NEED_LOAD || library.need == QUEUE_NEED_REPLACE))
        status =
            queue_load(&remote->queue, library.need == QUEUE_NEED_REPLACE, remote_on_loaded, NULL);
    return remote_check_sent(remote, status);
}

int remote_open(struct remote **out, const struct args *args) {
    const char *url = args_text(args, "redis");
    if (!url)
        return report_usage(
            args->command,
            "'%s' needs a Redis: --redis URL, or SUSURRATION_REDIS in the environment",
            args->command->name);
    struct remote *remote = mem_zero(1, sizeof *remote);
    if (!remote || uv_loop_init(&remote->loop) != 0) {
        free(remote);
        return report_infrastructure("out of memory");
    }
    remote_show_url(url, remote->shown, sizeof remote->shown);
    remote->command = args->command;
    remote->wait_s = (unsigned)args_whole(args, "wait");
    remote_draw_id(remote->reply_to);
    int code = remote_connect(remote, args);
    queue_init(&remote->queue, remote->link, args_text(args, "queue"), link_call);
    if (code == 0)
        code = remote_prepare(remote);
    if (code == 0)
        *out = remote;
    else
        remote_close(remote);
    return code;
}

void remote_close(struct remote *remote) {
    queue_release(&remote->queue);
    if (remote->link)
        link_close(remote->link, NULL, NULL);
    uv_run(&remote->loop, UV_RUN_DEFAULT);
    uv_loop_close(&remote->loop);
    free(remote);
}

struct queue *remote_queue(struct remote *remote) {
    return &remote->queue;
}

const char *remote_reply_to(const struct remote *remote) {
    return remote->reply_to;
}

int remote_check_sent(struct remote *remote, int status) {
    if (status == 0)
        return 0;
    const char *reason = link_reason(remote->link);
    return report_infrastructure("Redis at %s: %s%s%s", remote->shown, err_text(status),
                                 reason[0] ? ": " : "", reason);
}

static const char remote_no_functions[] =
    "the queue's functions are not loaded, and this user may not load them";

/* What to do about an answer, beside what Redis says itself. */
static const struct {
    enum queue_answer answer;
    const char *advice;
} remote_advice[] = {
    {QUEUE_ANSWER_NO_FUNCTIONS, remote_no_functions},
    {QUEUE_ANSWER_NO_GROUP, "the queue is not set up; a worker does that when it starts"},
    {QUEUE_ANSWER_DENIED, "this user may not do that; see the ACL in PROTOCOL.md"},
};

int remote_check_answer(struct remote *remote, const struct link_reply *reply) {
    enum queue_answer answer = queue_answer(reply);
    if (answer == QUEUE_ANSWER_OK)
        return 0;
    if (answer == QUEUE_ANSWER_DOWN)
        return report_infrastructure("lost the connection to Redis at %s", remote->shown);
    for (size_t i = 0; i < sizeof remote_advice / sizeof remote_advice[0]; i++)
        if (remote_advice[i].answer == answer)
            return report_infrastructure("%s (%s)", remote_advice[i].advice,
                                         queue_answer_text(reply));
    return report_infrastructure("Redis: %s", queue_answer_text(reply));
}

/* --- waiting -------------------------------------------------------------------------------------
 */

/* What the answer to a request left behind. */
struct remote_answer {
    struct remote *remote;
    struct result *result;
    struct queue_place place;
    int code;
    unsigned tries;
    bool full;               /* the queue takes no more */
    enum queue_answer lacks; /* no answer, no functions, not now: to be asked again. Else OK */
    int64_t later_ns;        /* since when it cannot be done now, ... */
    char words[160];         /* ... as Redis says, ... */
    bool explained;          /* ... and as the user was told */
    bool got;                /* *result is filled */
};

static void remote_take_result(struct remote_answer *answer, const char *bytes, size_t size) {
    if (!bytes)
        return;
    int status = wire_decode_result(bytes, size, answer->result);
    answer->got = status == 0;
    if (status != 0) {
        result_release(answer->result);
        answer->code = report_infrastructure("a result that cannot be read: %s", err_text(status));
    }
}

static bool remote_answer_is_good(struct remote_answer *answer, const struct link_reply *reply) {
    enum queue_answer kind = queue_answer(reply);
    if (kind == QUEUE_ANSWER_DOWN || kind == QUEUE_ANSWER_NO_FUNCTIONS ||
        kind == QUEUE_ANSWER_LATER) {
        answer->lacks = kind;
        (void)snprintf(answer->words, sizeof answer->words, "%s", queue_answer_text(reply));
        return false;
    }
    answer->code = remote_check_answer(answer->remote, reply);
    return answer->code == 0;
}

static void remote_on_enqueued(void *context, const struct link_reply *reply) {
    struct remote_answer *answer = context;
    answer->full = queue_answer(reply) == QUEUE_ANSWER_FULL;
    if (!answer->full && remote_answer_is_good(answer, reply) &&
        queue_read_enqueue(reply, 0, &answer->place) != 0)
        answer->code = report_infrastructure("an answer to enqueue that cannot be read");
}

static void remote_on_result(void *context, const struct link_reply *reply) {
    struct remote_answer *answer = context;
    size_t size;
    const char *bytes = link_reply_text(reply, &size);
    if (remote_answer_is_good(answer, reply))
        remote_take_result(answer, bytes, size);
}

static void remote_on_reply(void *context, const struct link_reply *reply) {
    struct remote_answer *answer = context;
    const char *bytes;
    size_t size;
    if (!remote_answer_is_good(answer, reply))
        return;
    if (queue_read_wait(reply, &bytes, &size) != 0)
        answer->code = report_infrastructure("an answer from Redis that cannot be read");
    else
        remote_take_result(answer, bytes, size);
}

/* Redis may be starting, or another one taking over: that may take as long as a result may. */
static int remote_reconnect(struct remote *remote) {
    int status = link_wait_up(remote->link, REMOTE_EXPLAIN_MS);
    if (status == ERR_TIMEOUT) {
        report_note("waiting for Redis at %s: %s", remote->shown, link_reason(remote->link));
        status = link_wait_up(remote->link, remote->wait_s * 1000);
    }
    return remote_check_sent(remote, status);
}

/* The same for what keeps Redis from doing it, whether or not the connection ended with it. */
static int remote_rest(struct remote_answer *answer) {
    struct remote *remote = answer->remote;
    int64_t now_ns = clock_now_ns();
    if (answer->later_ns == 0)
        answer->later_ns = now_ns;
    int64_t waited_ms = (now_ns - answer->later_ns) / REMOTE_NS_PER_MS;
    if (waited_ms >= (int64_t)remote->wait_s * 1000)
        return report_infrastructure("Redis: %s", answer->words);
    if (waited_ms >= REMOTE_EXPLAIN_MS && !answer->explained)
        report_note("waiting: Redis: %s", answer->words);
    answer->explained = waited_ms >= REMOTE_EXPLAIN_MS;
    if (!link_is_up(remote->link))
        return remote_reconnect(remote);
    uv_sleep(REMOTE_LATER_MS);
    return 0;
}

/*
 * After a request: where the link broke under it, Redis cannot do it now or has lost the functions
 * (it was started again, empty), puts that right. *again: the request is to be repeated.
 */
static int remote_settle(struct remote_answer *answer, int status, bool *again) {
    enum queue_answer lacks = status == ERR_DOWN ? QUEUE_ANSWER_DOWN : answer->lacks;
    answer->lacks = QUEUE_ANSWER_OK;
    *again =
        lacks == QUEUE_ANSWER_LATER || (lacks != QUEUE_ANSWER_OK && answer->tries++ < REMOTE_TRIES);
    if (lacks == QUEUE_ANSWER_OK)
        return answer->code ? answer->code : remote_check_sent(answer->remote, status);
    if (lacks == QUEUE_ANSWER_LATER)
        return remote_rest(answer);
    if (!*again && lacks == QUEUE_ANSWER_NO_FUNCTIONS)
        return report_infrastructure("%s", remote_no_functions);
    if (!*again)
        return remote_check_sent(answer->remote, ERR_DOWN);
    int code = remote_reconnect(answer->remote);
    return code == 0 && lacks == QUEUE_ANSWER_NO_FUNCTIONS ? remote_prepare(answer->remote) : code;
}

static int remote_fetch(struct remote *remote, const char *id, bool *got, struct result *result) {
    struct remote_answer answer = {.remote = remote, .result = result};
    bool again;
    int code;
    do {
        int status = queue_result(&remote->queue, id, remote_on_result, &answer);
        code = remote_settle(&answer, status, &again);
    } while (code == 0 && again);
    *got = answer.got;
    return code;
}

int remote_submit(struct remote *remote, const struct job *job, enum remote_sent *sent,
                  struct result *result) {
    struct mem_buffer bytes = {0};
    struct remote_answer answer = {.remote = remote};
    bool again, got = false;
    int code;
    *sent = REMOTE_SENT;
    if (wire_encode_job(job, &bytes) != 0) {
        mem_buffer_release(&bytes);
        return report_infrastructure("out of memory");
    }
    struct queue_job queued = {job->id, bytes.data, bytes.size};
    do {
        int status = queue_enqueue(&remote->queue, job_kind_lane(job->kind), &queued, 1,
                                   remote_on_enqueued, &answer);
        code = remote_settle(&answer, status, &again);
    } while (code == 0 && again);
    mem_buffer_release(&bytes);
    if (code == 0 && !answer.full && answer.place.state == QUEUE_STATE_DONE)
        code = remote_fetch(remote, job->id, &got, result);
    *sent = answer.full ? REMOTE_FULL : got ? REMOTE_DONE : REMOTE_SENT;
    return code;
}

int remote_next(struct remote *remote, unsigned wait_ms, bool *got, struct result *result) {
    struct remote_answer answer = {.remote = remote, .result = result};
    bool again;
    int status = queue_wait(&remote->queue, remote->reply_to, wait_ms, remote_on_reply, &answer);
    int code =
        remote_settle(&answer, status, &again); /* what was popped meanwhile is asked again */
    *got = answer.got;
    return code;
}

int remote_run(struct remote *remote, struct job *job, struct result *result) {
    int64_t start_ns = clock_now_ns();
    remote_draw_id(job->id);
    memcpy(job->reply_to, remote->reply_to, sizeof job->reply_to);
    for (;;) {
        bool got = false;
        enum remote_sent sent;
        int code = remote_submit(remote, job, &sent, result);
        if (code != 0 || sent == REMOTE_DONE)
            return code;
        if (sent == REMOTE_FULL)
            return report_infrastructure("queue %s is full; try again later, or start more workers",
                                         remote->queue.name);
        code = remote_next(remote, REMOTE_SLICE_MS, &got, result);
        if (code != 0)
            return code;
        if (got && strcmp(result->id, job->id) == 0)
            return 0;
        if (got)
            result_release(result);
        int64_t waited_ms = (clock_now_ns() - start_ns) / REMOTE_NS_PER_MS;
        if (waited_ms >= (int64_t)remote->wait_s * 1000)
            return report_infrastructure(
                "no result after %u s; the job stays in the queue as %s: 'susurration cancel %s' "
                "takes it out, --wait waits longer",
                remote->wait_s, job->id, job->id);
        if (waited_ms >= REMOTE_EXPLAIN_MS)
            code = remote_explain_wait(remote);
        if (code != 0)
            return code;
    }
}

int remote_explain_wait(struct remote *remote) {
    json_t *tree, *worker;
    size_t index, alive = 0;
    if (remote->explained)
        return 0;
    int code = remote_status(remote, &tree);
    if (code != 0)
        return code;
    json_array_foreach(json_object_get(tree, "workers"), index, worker) {
        alive += json_is_true(json_object_get(worker, "alive"));
    }
    if (json_is_true(json_object_get(tree, "paused")))
        report_note("waiting: queue %s is paused; 'susurration resume' ends that",
                    remote->queue.name);
    else if (alive == 0)
        report_note("waiting: no worker is alive on queue %s; start susurration-worker",
                    remote->queue.name);
    remote->explained = true;
    json_decref(tree);
    return 0;
}
