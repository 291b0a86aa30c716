/* SPDX-License-Identifier: MIT */
/*
 * Single-threaded, so that a test sees a definite order: the same loop runs both ends. A client's
 * input is kept whole until it ends; tests send little.
 */
#include "fake_redis.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAKE_INPUT_MAX = 1 << 16, FAKE_COMMAND_MAX = 128 };

struct fake_client {
    union fake_socket socket;
    struct fake_redis *fake;
    size_t size; /* of input */
    char input[FAKE_INPUT_MAX];
};

static const struct fake_rule fake_healthy[] = {
    {"INFO", "=# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"},
    {"PING", "+PONG\r\n"},
    {NULL, NULL},
};

static void fake_client_on_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void fake_client_end(struct fake_client *client) {
    if (!uv_is_closing(&client->socket.handle))
        uv_close(&client->socket.handle, fake_client_on_closed);
}

static void fake_client_say(struct fake_client *client, const char *reply) {
    if (!reply) {
        fake_client_end(client);
        return;
    }
    char raw[512];
    int size = *reply == '='
                   ? snprintf(raw, sizeof raw, "$%zu\r\n%s\r\n", strlen(reply + 1), reply + 1)
                   : snprintf(raw, sizeof raw, "%s", reply);
    ck_assert_int_lt(size, (int)sizeof raw);
    uv_buf_t buffer = uv_buf_init(raw, (unsigned)size);
    if (size > 0)
        (void)uv_try_write(&client->socket.stream, &buffer, 1);
}

static bool fake_is(const char *command, const char *words) {
    size_t length = strlen(words);
    return strncmp(words, command, length) == 0 &&
           (command[length] == ' ' || command[length] == '\0');
}

static const struct fake_rule *fake_find(const struct fake_rule *rules, const char *command) {
    for (; rules && rules->command; rules++)
        if (fake_is(command, rules->command))
            return rules;
    return NULL;
}

static void fake_client_answer(struct fake_client *client, const char *command) {
    const struct fake_rule *rule = fake_find(client->fake->rules, command);
    if (!rule)
        rule = fake_find(fake_healthy, command);
    client->fake->commands++;
    client->fake->counted += client->fake->count && fake_is(command, client->fake->count);
    fake_client_say(client, rule ? rule->reply : "+OK\r\n");
}

/* A number behind `mark` and up to \r\n; *at then stands behind it. False: not all there yet. */
static bool fake_read_number(const char **at, const char *end, char mark, size_t *number) {
    const char *line = memchr(*at, '\n', (size_t)(end - *at));
    if (!line)
        return false;
    ck_assert_int_eq(**at, mark);
    *number = strtoul(*at + 1, NULL, 10);
    *at = line + 1;
    return true;
}

/* One command from the front of the input, its words parted by spaces; how many bytes it took, 0:
 * not all there yet. */
static size_t fake_client_next(struct fake_client *client, char command[FAKE_COMMAND_MAX]) {
    const char *at = client->input, *end = client->input + client->size;
    size_t words, size, used = 0;
    if (!fake_read_number(&at, end, '*', &words))
        return 0;
    for (size_t i = 0; i < words; i++) {
        if (at == end || !fake_read_number(&at, end, '$', &size) || (size_t)(end - at) < size + 2)
            return 0;
        if (used < FAKE_COMMAND_MAX)
            used += (size_t)snprintf(command + used, FAKE_COMMAND_MAX - used, "%s%.*s",
                                     i > 0 ? " " : "", (int)size, at);
        at += size + 2;
    }
    return (size_t)(at - client->input);
}

static void fake_client_on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer) {
    (void)buffer;
    struct fake_client *client = stream->data;
    if (got < 0) {
        fake_client_end(client);
        return;
    }
    client->size += (size_t)got;
    char command[FAKE_COMMAND_MAX];
    size_t taken;
    while (!uv_is_closing((uv_handle_t *)stream) && client->size > 0 &&
           (taken = fake_client_next(client, command)) > 0) {
        client->size -= taken;
        memmove(client->input, client->input + taken, client->size);
        fake_client_answer(client, command);
    }
}

static void fake_client_on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)suggested;
    struct fake_client *client = handle->data;
    *buffer = uv_buf_init(client->input + client->size, (unsigned)(FAKE_INPUT_MAX - client->size));
}

static void fake_redis_on_connection(uv_stream_t *listener, int status) {
    struct fake_redis *fake = listener->data;
    struct fake_client *client = calloc(1, sizeof *client);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_nonnull(client);
    client->fake = fake;
    if (fake->port > 0)
        uv_tcp_init(listener->loop, &client->socket.tcp);
    else
        uv_pipe_init(listener->loop, &client->socket.pipe, 0);
    client->socket.handle.data = client;
    ck_assert_int_eq(uv_accept(listener, &client->socket.stream), 0);
    uv_read_start(&client->socket.stream, fake_client_on_room, fake_client_on_read);
    fake->connections++;
    if (fake->welcome)
        fake_client_say(client, fake->welcome);
}

static void fake_redis_listen(struct fake_redis *fake) {
    fake->listener.handle.data = fake;
    ck_assert_int_eq(uv_listen(&fake->listener.stream, 16, fake_redis_on_connection), 0);
}

void fake_redis_start(struct fake_redis *fake, uv_loop_t *loop) {
    *fake = (struct fake_redis){.dir = "/tmp/susurration-fake-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(fake->dir));
    (void)snprintf(fake->url, sizeof fake->url, "unix://%s/redis.sock", fake->dir);
    uv_pipe_init(loop, &fake->listener.pipe, 0);
    ck_assert_int_eq(uv_pipe_bind(&fake->listener.pipe, fake->url + strlen("unix://")), 0);
    fake_redis_listen(fake);
}

void fake_redis_start_tcp(struct fake_redis *fake, uv_loop_t *loop) {
    struct sockaddr_in address;
    int size = sizeof address;
    *fake = (struct fake_redis){.url = ""};
    uv_tcp_init(loop, &fake->listener.tcp);
    uv_ip4_addr("127.0.0.1", 0, &address);
    ck_assert_int_eq(uv_tcp_bind(&fake->listener.tcp, (struct sockaddr *)&address, 0), 0);
    ck_assert_int_eq(uv_tcp_getsockname(&fake->listener.tcp, (struct sockaddr *)&address, &size),
                     0);
    fake->port = ntohs(address.sin_port);
    (void)snprintf(fake->url, sizeof fake->url, "redis://127.0.0.1:%d", fake->port);
    fake_redis_listen(fake);
}

static void fake_redis_on_closed(uv_handle_t *handle) {
    ((struct fake_redis *)handle->data)->closed = 1;
}

void fake_redis_stop(struct fake_redis *fake) {
    if (uv_is_closing(&fake->listener.handle))
        return;
    uv_close(&fake->listener.handle, fake_redis_on_closed);
    if (fake->port > 0)
        return;
    (void)unlink(fake->url + strlen("unix://"));
    ck_assert_int_eq(rmdir(fake->dir), 0);
}
