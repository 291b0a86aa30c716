/* SPDX-License-Identifier: MIT */
/* Words in, words out. The server is started once a program and flushed for each test, which check
 * runs in a process of its own; nothing is freed there. */
#include "calls.h"

#include "keys.h"
#include "redis_server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_WORDS_MAX = 8192, CALLS_SLOTS = 10 };

static struct redis_server calls_server;
static redisContext *calls_context;
static struct {
    char *bytes;
    size_t size;
} calls_slot[CALLS_SLOTS];

static struct calls_words {
    const char *word[CALLS_WORDS_MAX];
    size_t size[CALLS_WORDS_MAX];
    int count;
} calls_words;

/* What tests keep is chained here, so that a leak detector sees it is not lost. */
static struct calls_memory {
    struct calls_memory *next;
    char bytes[];
} * calls_kept;

static void *calls_alloc(size_t size) {
    struct calls_memory *memory = malloc(sizeof *memory + size);
    ck_assert_ptr_nonnull(memory);
    memory->next = calls_kept;
    calls_kept = memory;
    return memory->bytes;
}

const char *calls_line(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ck_assert_int_ge(size, 0);
    char *line = calls_alloc((size_t)size + 1);
    va_start(args, format);
    vsnprintf(line, (size_t)size + 1, format, args);
    va_end(args);
    return line;
}

redisContext *calls_redis(void) {
    return calls_context;
}

void calls_set(int slot, const void *bytes, size_t size) {
    ck_assert(slot >= 0 && slot < CALLS_SLOTS);
    calls_slot[slot].bytes = calls_alloc(size + 1);
    if (size > 0)
        memcpy(calls_slot[slot].bytes, bytes, size);
    calls_slot[slot].size = size;
}

static size_t calls_pack(char *out, size_t at, const char *text) {
    size_t size = strlen(text);
    ck_assert_uint_lt(size, 256);
    if (size < 32) {
        out[at++] = (char)(0xa0 + size);
    } else {
        out[at++] = (char)0xd9;
        out[at++] = (char)size;
    }
    memcpy(out + at, text, size);
    return at + size;
}

void calls_set_job(int slot, const char *id, const char *kind, const char *reply_to,
                   const char *traceparent) {
    const struct {
        const char *key, *value;
    } pair[] = {{"id", id}, {"kind", kind}, {"reply_to", reply_to}, {"traceparent", traceparent}};
    char out[1024];
    size_t at = 1;
    int pairs = 1;
    at = calls_pack(out, at, "v");
    out[at++] = 1;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        if (!pair[i].value)
            continue;
        at = calls_pack(out, at, pair[i].key);
        at = calls_pack(out, at, pair[i].value);
        pairs++;
    }
    out[0] = (char)(0x80 + pairs);
    calls_set(slot, out, at);
}

/* --- words to Redis and back ------------------------------------------------------------------ */

static void calls_add(struct calls_words *words, const char *word, size_t size) {
    ck_assert_int_lt(words->count, CALLS_WORDS_MAX);
    words->word[words->count] = word;
    words->size[words->count++] = size;
}

static void calls_add_key(struct calls_words *words, const char *name) {
    char *key = calls_alloc(KEYS_MAX + strlen(name));
    size_t tail = strlen("jobs:interactive");
    size_t prefix = keys_fixed("main", KEYS_INTERACTIVE, key) - tail;
    strcpy(key + prefix, name);
    calls_add(words, key, strlen(key));
}

static void calls_split(struct calls_words *words, const char *line, int are_keys) {
    char *copy = calls_alloc(strlen(line) + 1), *rest = copy;
    strcpy(copy, line);
    for (char *word; *rest != '\0' && (word = strsep(&rest, " "));) {
        if (are_keys)
            calls_add_key(words, word);
        else if (word[0] == '#')
            calls_add_key(words, word + 1);
        else if (word[0] == '$')
            calls_add(words, calls_slot[word[1] - '0'].bytes, calls_slot[word[1] - '0'].size);
        else
            calls_add(words, word, strcmp(word, "~") == 0 ? 0 : strlen(word));
        if (!rest)
            break;
    }
}

static void calls_print(FILE *out, const redisReply *reply, int depth) {
    if (reply->type == REDIS_REPLY_INTEGER) {
        fprintf(out, "%lld", reply->integer);
    } else if (reply->type == REDIS_REPLY_NIL) {
        fputs("nil", out);
    } else if (reply->type == REDIS_REPLY_ARRAY) {
        fputs(depth > 0 ? "[" : "", out);
        for (size_t i = 0; i < reply->elements; i++) {
            fputs(i > 0 ? " " : "", out);
            calls_print(out, reply->element[i], depth + 1);
        }
        fputs(depth > 0 ? "]" : "", out);
    } else {
        fputs(reply->type == REDIS_REPLY_ERROR ? "!" : "", out);
        for (size_t i = 0; i < (size_t)reply->len; i++)
            fputc(reply->str[i] >= ' ' && reply->str[i] <= '~' ? reply->str[i] : '.', out);
    }
}

static const char *calls_send(struct calls_words *words) {
    redisReply *reply = redisCommandArgv(calls_context, words->count, words->word, words->size);
    ck_assert_msg(reply != NULL, "no reply: %s", calls_context->errstr);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    calls_print(out, reply, 0);
    fclose(out);
    freeReplyObject(reply);
    char *kept = calls_alloc(size + 1);
    memcpy(kept, text, size + 1);
    free(text);
    return kept;
}

const char *calls_function(const char *function, const char *keys, const char *args) {
    struct calls_words *words = calls_alloc(sizeof *words);
    char name[64], count[16];
    words->count = 0;
    snprintf(name, sizeof name, "susurration_v1_%s", function);
    calls_add(words, "FCALL", 5);
    calls_add(words, name, strlen(name));
    calls_add(words, count, 0);
    for (int key = 0; key < KEYS_FIXED; key++) {
        char *fixed = calls_alloc(KEYS_MAX);
        calls_add(words, fixed, keys_fixed("main", (enum keys_fixed)key, fixed));
    }
    calls_split(words, keys, 1);
    words->size[2] = (size_t)snprintf(count, sizeof count, "%d", words->count - 3);
    calls_split(words, args, 0);
    return calls_send(words);
}

const char *calls_command(const char *line) {
    struct calls_words *words = &calls_words;
    words->count = 0;
    calls_split(words, line, 0);
    return calls_send(words);
}

/* --- what is expected ---------------------------------------------------------------------------
 */

static int calls_match(const char *got, const char *want) {
    while (*want != '\0') {
        if (*want == '*') {
            if (*got == '\0' || *got == ' ')
                return 0;
            while (*got != '\0' && *got != ' ' && *got != ']')
                got++;
            want++;
        } else if (*got++ != *want++) {
            return 0;
        }
    }
    return *got == '\0';
}

void calls_compare(const char *got, const char *want, const char *file, int line) {
    if (!calls_match(got, want))
        ck_abort_msg("%s:%d: got \"%s\", expected \"%s\"", file, line, got, want);
}

void calls_age(const char *ref, const char *consumer) {
    char line[256];
    snprintf(line, sizeof line, "XCLAIM #jobs:%s workers %s 0 %s IDLE 60000 JUSTID",
             ref[0] == 'i' ? "interactive" : "batch", consumer, ref + 1);
    calls_compare(calls_command(line), ref + 1, __FILE__, __LINE__);
}

const char *calls_pending(const char *ref) {
    char line[256], consumer[128];
    snprintf(line, sizeof line, "XPENDING #jobs:%s workers %s %s 1",
             ref[0] == 'i' ? "interactive" : "batch", ref + 1, ref + 1);
    char *out = calls_alloc(sizeof consumer);
    int count;
    if (sscanf(calls_command(line), "[%*s %127s %*d %d]", consumer, &count) != 2)
        return "";
    snprintf(out, sizeof consumer, "%.100s %d", consumer, count);
    return out;
}

/* --- fixtures -----------------------------------------------------------------------------------
 */

static void calls_start(void) {
    redis_server_start(&calls_server, false, NULL);
}

static void calls_stop(void) {
    redis_server_remove(&calls_server);
}

static void calls_load(void) {
    FILE *file = fopen("proto/functions.lua", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *code = calls_alloc(size);
    ck_assert_uint_eq(fread(code, 1, size, file), size);
    fclose(file);
    calls_set(0, code, size);
    calls_want("FUNCTION LOAD REPLACE $0", "susurration_v1");
}

static void calls_begin(void) {
    calls_context = redisConnectUnix(calls_server.path);
    ck_assert(calls_context && !calls_context->err);
    calls_want("FLUSHALL", "OK");
    calls_load();
}

void calls_fixture(TCase *tests) {
    tcase_add_unchecked_fixture(tests, calls_start, calls_stop);
    tcase_add_checked_fixture(tests, calls_begin, NULL);
}
