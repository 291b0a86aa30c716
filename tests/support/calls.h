/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * The functions of functions.lua against a real Redis, in lines of text: what goes in and what
 * comes out is written as a person would. Queue "main" of a server that the program starts once;
 * each test begins with an empty one. What goes wrong in here fails the test.
 *
 *   calls_expect("complete", "result:a", "w1 i1-0 1,0,verify:ok,9 R ~", "ok");
 *
 * Arguments are parted by spaces; ~ is the empty one, and $0 to $9 are the bytes of calls_set.
 * Replies: texts as they are (unprintable bytes as .), numbers, nil, lists in [ ]; the outermost
 * list without. Errors begin with "!".
 */
#include <check.h>
#include <hiredis/hiredis.h>
#include <stddef.h>

/* Adds the server and the functions to a test case. */
void calls_fixture(TCase *tests);

/* The connection of this test. */
redisContext *calls_redis(void);

/* Bytes for $slot; copied. */
void calls_set(int slot, const void *bytes, size_t size);

/* A job as msgpack: a map of v: 1 and those of id, kind, reply_to and traceparent that are given
 * (NULL: not), into $slot. */
void calls_set_job(int slot, const char *id, const char *kind, const char *reply_to,
                   const char *traceparent);

/* FCALL susurration_v1_<function>, with the fixed keys and then those of `keys` ("result:a
 * reply:b"). The reply as a text that lasts until the test ends. */
const char *calls_function(const char *function, const char *keys, const char *args);

/* A plain command, in the same words; keys as #ids, #jobs:interactive. */
const char *calls_command(const char *line);

/* Both with the reply that is expected. In `want`, * stands for any one word. */
#define calls_expect(function, keys, args, want)                                                   \
    calls_compare(calls_function(function, keys, args), want, __FILE__, __LINE__)
#define calls_want(line, want) calls_compare(calls_command(line), want, __FILE__, __LINE__)
void calls_compare(const char *got, const char *want, const char *file, int line);

/* A line put together. Lasts until the test ends. */
const char *calls_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes an entry look as if its lease were over. */
void calls_age(const char *ref, const char *consumer);

/* What the group knows of an entry, "consumer count"; empty when it is not pending. */
const char *calls_pending(const char *ref);
