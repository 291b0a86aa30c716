/* SPDX-License-Identifier: MIT */
#include "client.h"

#include "message.h"
#include "wire.h"
#include "worker_process.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 6000, TRY_MS = 5 };

void client_join_at(struct client *client, const char *url) {
    *client = (struct client){0};
    link_probe_open(&client->probe,
                    &(struct link_options){.url = url, .slot_key = "flock:{main}:config"});
    link_probe_until(&client->probe, &client->probe.ups, 1);
    queue_init(&client->queue, client->probe.link, "main", link_call);
}

void client_join(struct client *client, const struct redis_server *server) {
    client_join_at(client, server->url);
}

void client_open(struct client *client, const struct redis_server *server) {
    client_join(client, server);
    ck_assert_str_eq(client_ask(client, "FLUSHALL"), "OK");
}

void client_close(struct client *client) {
    queue_release(&client->queue);
    link_probe_close(&client->probe);
}

static void client_take_entry(void *context, const struct link_reply *reply) {
    struct client *client = context;
    size_t size;
    const char *id = link_reply_text(reply, &size);
    ck_assert_msg(link_reply_type(reply) == LINK_TEXT, "%s", id ? id : "no answer");
    (void)snprintf(client->entry, sizeof client->entry, "%s", id);
}

static const char *const client_lanes[JOB_LANES] = {
    [JOB_INTERACTIVE] = "flock:{main}:jobs:interactive",
    [JOB_BATCH] = "flock:{main}:jobs:batch",
};

const char *client_add(struct client *client, enum job_lane lane, const char *json) {
    struct mem_buffer job = {0};
    message_from_json(json, &job);
    const char *argv[] = {"XADD", client_lanes[lane], "*", "job",
                          job.data ? (const char *)job.data : ""};
    size_t size[] = {4, strlen(argv[1]), 1, 3, job.size};
    ck_assert_int_eq(link_call(client->probe.link, client_take_entry, client, 0, 5, argv, size), 0);
    mem_buffer_release(&job);
    return client->entry;
}

void client_flood(struct client *client, enum job_lane lane, const char *json, unsigned count) {
    static const char script[] =
        "for i=1,ARGV[1] do redis.call('XADD',KEYS[1],'*','job',ARGV[2]) end return 'OK'";
    struct mem_buffer job = {0};
    struct link_answers answers = {0};
    char times[16];
    message_from_json(json, &job);
    (void)snprintf(times, sizeof times, "%u", count);
    const char *argv[] = {"EVAL", script, "1", client_lanes[lane], times, (const char *)job.data};
    size_t size[] = {4, sizeof script - 1, 1, strlen(argv[3]), strlen(times), job.size};
    ck_assert_int_eq(
        link_call(client->probe.link, link_answers_take, &answers, 30000, 6, argv, size), 0);
    ck_assert_str_eq(answers.text, "OK");
    mem_buffer_release(&job);
}

struct client_got {
    struct result *result;
    bool is_there;
};

static void client_take_result(void *context, const struct link_reply *reply) {
    struct client_got *got = context;
    size_t size;
    const char *bytes = link_reply_text(reply, &size);
    if (link_reply_type(reply) != LINK_TEXT)
        return;
    ck_assert_int_eq(wire_decode_result(bytes, size, got->result), 0);
    got->is_there = true;
}

void client_result(struct client *client, const char *id, struct result *result) {
    struct client_got got = {result, false};
    for (int i = 0; i < TRIES && !got.is_there; i++) {
        if (i > 0)
            worker_process_pause(TRY_MS);
        ck_assert_int_eq(queue_result(&client->queue, id, client_take_result, &got), 0);
    }
    ck_assert_msg(got.is_there, "no result of %s", id);
    ck_assert_str_eq(result->id, id);
}

void client_expect(struct client *client, const char *id, enum result_status status) {
    struct result result;
    client_result(client, id, &result);
    ck_assert_msg(result.status == status, "%s: %s: %s", id, result_status_name(result.status),
                  result.fault.message);
    result_release(&result);
}

void client_run(struct client *client, enum job_lane lane, const char *json, const char *id,
                struct result *result) {
    client_add(client, lane, json);
    client_result(client, id, result);
}

const char *client_ask(struct client *client, const char *format, ...) {
    char command[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    ck_assert(size > 0 && (size_t)size < sizeof command);
    return link_probe_ask(&client->probe, command);
}

void client_until(struct client *client, const char *want, const char *command) {
    const char *got = "";
    for (int i = 0; i < TRIES; i++) {
        got = client_ask(client, "%s", command);
        if (strcmp(got, want) == 0)
            return;
        worker_process_pause(TRY_MS);
    }
    ck_abort_msg("%s: \"%s\", and not \"%s\"", command, got, want);
}

struct client_bytes {
    unsigned char *out;
    size_t size, room;
};

static void client_take_bytes(void *context, const struct link_reply *reply) {
    struct client_bytes *bytes = context;
    const char *text = link_reply_text(reply, &bytes->size);
    ck_assert_uint_le(bytes->size, bytes->room);
    if (text)
        memcpy(bytes->out, text, bytes->size);
}

size_t client_ring(struct client *client, const char *id, size_t offset, size_t size,
                   unsigned char *out) {
    struct client_bytes bytes = {out, 0, size};
    ck_assert_int_eq(queue_ring(&client->queue, id, offset, size, client_take_bytes, &bytes), 0);
    return bytes.size;
}
