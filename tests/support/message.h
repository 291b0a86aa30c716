/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Msgpack written as JSON, and back, so that tests show the messages they are about. What JSON
 * cannot say: {"$bin": "hex"} is a bin, {"$float": "nan"} (or "inf", "-inf") a float; and, only
 * towards msgpack, {"$str": "hex"} is a string of any bytes, {"$raw": "hex"} these very bytes,
 * {"$uint": "digits"} an integer above 2^63, {"$text": "500 x"} a string that repeats x, {"$nest":
 * "9"} lists inside each other. 1.0 becomes a float, 1 an integer. A ' may stand for
 * every ".
 */
#include "mem.h"

#include <stddef.h>

/* Appends the message. Text that is not JSON ends the test. */
void message_from_json(const char *text, struct mem_buffer *out);

/* Appends the message as JSON, two spaces a level, short lists on one line, and a newline. */
void message_to_json(const void *data, size_t size, struct mem_buffer *out);
