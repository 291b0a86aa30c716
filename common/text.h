/* SPDX-License-Identifier: MIT */
#pragma once
/* Numbers and characters as people and protocols write them, read strictly and in the C locale. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The whole of a terminated string as a number: what strtod takes in the C locale (".5", "5e-05"),
 * but finite, without surrounding space and not hexadecimal. False leaves *value alone.
 */
bool text_to_double(const char *text, double *value);

/* The same, and whole, and in min .. max. "500", "5e2" and "500.0" are all five hundred. */
bool text_to_uint(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* In decimal, terminated; its length. out holds 21 bytes. Faster than printf, for what is written
 * for every job. */
size_t text_from_uint(uint64_t value, char *out);

/* Exactly 16 hexadecimal digits (either case) <-> 64 bits; written in lower case. out holds 17
 * bytes. */
bool text_to_hash(const char *text, size_t length, uint64_t *hash);
void text_from_hash(uint64_t hash, char *out);

/*
 * The decimal text of fewest digits that reads back as the same binary64 ("0.1", "1e-06", "-0");
 * out holds 32 bytes. "nan", "inf" and "-inf" are what the others give, and text_to_double rejects
 * them: where the format has no such number (JSON), the caller asks isfinite first.
 */
void text_from_double(double value, char *out);

/*
 * The 64 bits of a binary64, from any text that says which it is: what text_to_double takes; what
 * C99's %a writes ("0x1.8p+1"); the bits themselves as 16 hexadecimal digits, with or without 0x;
 * nan and inf, as other languages write them. 16 digits are bits, never a decimal number.
 */
bool text_to_bits(const char *text, uint64_t *bits);

/* What %a writes: every bit of it, whatever the locale; out holds 32 bytes. */
void text_from_bits(uint64_t bits, char *out);

/* The number of characters of well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms), or
 * -1. */
long text_utf8_count(const char *text, size_t length);

/* Bytes as printable ASCII for a message: others as \xNN, cut with "..." at the end. Terminated. */
void text_printable(const char *text, size_t length, char *out, size_t out_size);

/*
 * In place, for a terminal: of a stranger's UTF-8, what could steer it (C0 and C1 controls, DEL)
 * becomes '?', line ends and tabs a space.
 */
void text_disarm(char *text);
