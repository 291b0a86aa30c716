/* SPDX-License-Identifier: MIT */
/*
 * Answers of Redis, from their bytes: through hiredis's reader, fed piece by piece as a socket
 * would, into every function that takes one apart. Whatever Redis (or what stands in its place)
 * says, what a reader gives is what its header promises.
 */
#include "fuzz.h"

#include "link_greet.h"
#include "link_referral.h"
#include "link_reply.h"
#include "queue_load.h"
#include "queue_work.h"
#include "text.h"

#include <hiredis/hiredis.h>
#include <string.h>

/* So many items are looked at, those behind the last one included. */
static size_t most(const struct link_reply *reply) {
    enum { MOST = 40, BEYOND = 3 };
    size_t count = link_reply_count(reply) + BEYOND;
    return count < MOST ? count : MOST;
}

static void check_words(const char *text) {
    for (; *text; text++)
        assert(*text >= ' ' && *text <= '~');
}

static void check_tree(const struct link_reply *reply, int depth) {
    size_t size = SIZE_MAX;
    const char *text = link_reply_text(reply, &size);
    assert(depth <= 16);
    assert(text ? text[size] == '\0' : size == 0);
    (void)link_reply_integer(reply, -1);
    assert(!link_reply_item(reply, link_reply_count(reply)));
    for (size_t i = 0; i < link_reply_count(reply) && i < most(reply); i++)
        check_tree(link_reply_item(reply, i), depth + 1);
}

static void check_place(const struct queue_place *place) {
    assert(place->state < QUEUE_STATES);
    assert(strnlen(place->ref, sizeof place->ref) <= QUEUE_REF_MAX);
}

static void check_entry(const struct queue_entry *entry) {
    char *end = NULL;
    assert(entry->lane < JOB_LANES);
    assert(entry->ref[0] == (entry->lane == JOB_BATCH ? 'b' : 'i'));
    assert(strnlen(entry->ref, sizeof entry->ref) <= QUEUE_REF_MAX);
    assert(strtoull(queue_entry_id(entry), &end, 10) == entry->ms && *end == '-');
    assert(strtoull(end + 1, &end, 10) == entry->seq && *end == '\0');
    assert(entry->attempt <= INT32_MAX);
    assert(queue_entry_compare(entry, entry) == 0);
}

static void check_given(const struct queue_given *given) {
    check_entry(&given->entry);
    assert(given->how < QUEUE_HOWS && given->entry.attempt >= 1);
    assert(given->job ? given->job[given->job_size] == '\0' : given->job_size == 0);
}

static void check_jobs(const struct link_reply *reply) {
    struct queue_place place;
    enum queue_cancelled cancelled;
    enum queue_completed completed;
    const char *text;
    uint64_t revision;
    size_t size;
    for (size_t i = 0; i < most(reply); i++) {
        if (queue_read_enqueue(reply, i, &place) == 0)
            check_place(&place);
        if (queue_read_requeue(reply, i, &place) == 0)
            check_place(&place);
        if (queue_read_complete(reply, i, &completed) == 0)
            assert(completed < QUEUE_COMPLETEDS);
    }
    if (queue_read_find(reply, &place, &text, &size) == 0) {
        check_place(&place);
        assert(text ? text[size] == '\0' : size == 0);
    }
    if (queue_read_cancel(reply, &cancelled) == 0)
        assert(queue_cancel_name(cancelled));
    if (queue_read_wait(reply, &text, &size) == 0)
        assert(text ? text[size] == '\0' : size == 0);
    if (queue_read_session(reply, &revision, &text, &size) == 0)
        assert(text ? text[size] == '\0' && revision > 0 : size == 0 && revision == 0);
}

static void check_claim(const struct link_reply *reply) {
    struct queue_claimed claimed;
    struct queue_given given;
    enum queue_verdict verdict;
    if (queue_read_claim(reply, &claimed) != 0)
        return;
    assert(claimed.server_ms >= 0 && claimed.given <= link_reply_count(reply) / 4);
    for (size_t i = 0; i < most(reply); i++)
        if (queue_read_given(reply, i, &given) == 0) {
            assert(i < claimed.given);
            check_given(&given);
        }
    for (size_t i = 0; i < most(link_reply_item(reply, 2)); i++)
        if (queue_read_verdict(reply, i, &verdict) == 0)
            assert(verdict < QUEUE_VERDICTS);
}

static void check_worker(const struct link_reply *reply) {
    static struct queue queue;
    struct queue_given given[JOB_LANES];
    struct queue_entry entry = {.attempt = 0};
    struct queue_stop stop;
    int64_t server_ms;
    size_t count;
    queue_init(&queue, NULL, "main", NULL);
    if (queue_read_watch(&queue, reply, given, &count) == 0) {
        assert(count <= JOB_LANES);
        for (size_t i = 0; i < count; i++)
            check_given(&given[i]);
    }
    for (size_t i = 0; i < most(reply); i++)
        if (queue_read_holding(reply, i, JOB_BATCH, &entry) == 0)
            check_entry(&entry);
    if (queue_read_beat(reply, &server_ms, &count) != 0)
        return;
    assert(server_ms >= 0 && count <= link_reply_count(reply) / 2);
    for (size_t i = 0; i < most(reply); i++)
        if (queue_read_stop(reply, i, &stop) == 0)
            assert(stop.ref && i < count);
}

static void check_operator(const struct link_reply *reply) {
    unsigned version = 0;
    if (queue_read_version(reply, &version) == 0)
        assert(version >= 1 && version <= INT32_MAX);
    (void)queue_load_need(reply, &version);
    (void)queue_load_was_there(reply);
    assert(queue_answer_text(reply));
    assert((queue_answer(reply) == QUEUE_ANSWER_OK) == (link_reply_type(reply) != LINK_ERROR));
    const struct link_reply *lane = queue_read_status(reply, "interactive");
    (void)link_reply_integer(queue_read_status(lane, "waiting"), 0);
    (void)queue_read_status(reply, "workers");
}

static void check_greeting(const struct link_reply *reply) {
    for (int step = 0; step < LINK_GREET_STEPS; step++) {
        char why[200] = "";
        int verdict = link_greet_judge((enum link_greet_step)step, reply, why, sizeof why);
        assert(verdict == 0 || verdict == ERR_DOWN || verdict == ERR_AUTH ||
               verdict == ERR_REFUSED || verdict == ERR_UNSUPPORTED ||
               verdict == LINK_GREET_ELSEWHERE);
        assert(memchr(why, '\0', sizeof why));
        check_words(why);
    }
    assert(!link_greet_is_useless(reply) || link_reply_type(reply) == LINK_ERROR);
}

static void check_address(const struct link_address *address) {
    char text[LINK_ADDRESS_TEXT];
    size_t length = strnlen(address->host, sizeof address->host);
    assert(length > 0 && length < sizeof address->host && address->port >= 1);
    link_address_text(address, text);
    assert(memchr(text, '\0', sizeof text));
    check_words(text);
}

static void check_referral(const struct link_reply *reply) {
    enum { NODES = 4 };
    struct link_address node[NODES], to = {.port = 0};
    const struct link_address from = {.transport = LINK_TLS, .port = 1, .host = "h"};
    int code = link_referral_is_moved(reply) ? link_referral_read_moved(reply, &from, &to) : 1;
    assert(code == 0 || code == ERR_PROTOCOL || (code == 1 && !link_referral_is_moved(reply)));
    if (code == 0)
        check_address(&to);
    code = link_referral_read_master(reply, &from, &to);
    assert(code == 0 || code == ERR_PROTOCOL || code == ERR_REFUSED);
    if (code == 0)
        check_address(&to);
    size_t count = link_referral_read_nodes(reply, 7, &from, node, NODES);
    assert(count <= NODES);
    for (size_t i = 0; i < count; i++)
        check_address(&node[i]);
}

static void check_reply(const struct link_reply *reply) {
    check_tree(reply, 0);
    check_jobs(reply);
    check_claim(reply);
    check_worker(reply);
    check_operator(reply);
    check_greeting(reply);
    check_referral(reply);
}

/* The first byte says how large the pieces are in which the others come. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    redisReplyObjectFunctions functions;
    redisReader *reader = redisReaderCreate();
    assert(reader);
    link_reply_guard(reader, &functions);
    size_t piece = size > 0 ? data[0] + 1u : 1;
    for (size_t at = 1; at < size; at += piece) {
        size_t left = size - at;
        void *reply = NULL;
        int result = redisReaderFeed(reader, (const char *)data + at, left < piece ? left : piece);
        while (result == REDIS_OK && (result = redisReaderGetReply(reader, &reply)) == REDIS_OK &&
               reply) {
            check_reply(reply);
            freeReplyObject(reply);
        }
        if (result != REDIS_OK)
            break;
    }
    redisReaderFree(reader);
    return 0;
}
