/* SPDX-License-Identifier: MIT */
/* Any thread. */
#include "jot.h"

#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void jot_begin(struct jot *jot, struct mem_buffer *out) {
    *jot = (struct jot){.out = out};
}

static void jot_put(struct jot *jot, const char *text) {
    mem_buffer_add(jot->out, text, strlen(text));
}

/* What JSON may not have inside a string: the quote, the backslash, control characters. */
static size_t jot_plain_length(const char *text, size_t size) {
    size_t i = 0;
    while (i < size && (unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\')
        i++;
    return i;
}

static void jot_put_string(struct jot *jot, const char *text, size_t size) {
    char escape[8];
    jot_put(jot, "\"");
    while (size > 0) {
        size_t plain = jot_plain_length(text, size);
        mem_buffer_add(jot->out, text, plain);
        text += plain;
        size -= plain;
        if (size == 0)
            break;
        (void)snprintf(escape, sizeof escape, *text == '"' || *text == '\\' ? "\\%c" : "\\u%04x",
                       (unsigned char)*text);
        jot_put(jot, escape);
        text++;
        size--;
    }
    jot_put(jot, "\"");
}

/* What stands before every value. */
static void jot_lead(struct jot *jot, const char *key) {
    if (jot->follows)
        jot_put(jot, ",");
    jot->follows = true;
    if (!key)
        return;
    jot_put_string(jot, key, strlen(key));
    jot_put(jot, ":");
}

static void jot_open(struct jot *jot, const char *key, const char *bracket) {
    jot_lead(jot, key);
    jot_put(jot, bracket);
    jot->follows = false;
}

static void jot_close(struct jot *jot, const char *bracket) {
    jot_put(jot, bracket);
    jot->follows = true;
}

void jot_open_map(struct jot *jot, const char *key) {
    jot_open(jot, key, "{");
}

void jot_close_map(struct jot *jot) {
    jot_close(jot, "}");
}

void jot_open_list(struct jot *jot, const char *key) {
    jot_open(jot, key, "[");
}

void jot_close_list(struct jot *jot) {
    jot_close(jot, "]");
}

void jot_bytes(struct jot *jot, const char *key, const char *text, size_t size) {
    jot_lead(jot, key);
    if (text_utf8_count(text, size) >= 0)
        jot_put_string(jot, text, size);
    else
        jot_put(jot, "null");
}

void jot_text(struct jot *jot, const char *key, const char *text) {
    jot_bytes(jot, key, text, strlen(text));
}

void jot_text_or_null(struct jot *jot, const char *key, const char *text) {
    if (*text)
        jot_text(jot, key, text);
    else
        jot_null(jot, key);
}

void jot_whole(struct jot *jot, const char *key, uint64_t value) {
    char digits[24];
    jot_lead(jot, key);
    mem_buffer_add(jot->out, digits, text_from_uint(value, digits));
}

void jot_bool(struct jot *jot, const char *key, bool value) {
    jot_lead(jot, key);
    jot_put(jot, value ? "true" : "false");
}

void jot_null(struct jot *jot, const char *key) {
    jot_lead(jot, key);
    jot_put(jot, "null");
}

void jot_hash(struct jot *jot, const char *key, uint64_t hash) {
    char text[17];
    text_from_hash(hash, text);
    jot_text(jot, key, text);
}

void jot_raw(struct jot *jot, const char *key, const void *json, size_t size) {
    jot_lead(jot, key);
    mem_buffer_add(jot->out, json, size);
}

/* --- reals ---------------------------------------------------------------------------------------
 */

static void jot_put_exact(struct jot *jot, double value) {
    char text[32];
    text_from_double(value, text);
    jot_put(jot, text);
    if (!strpbrk(text, ".e"))
        jot_put(jot, ".0");
}

/* Of "12.3400" the zeros, of "12.0000" the point too, of "-0" the sign. */
static void jot_put_trimmed(struct jot *jot, char *text, size_t length) {
    if (memchr(text, '.', length)) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
    }
    bool is_zero = length == 2 && text[0] == '-' && text[1] == '0';
    mem_buffer_add(jot->out, text + is_zero, length - is_zero);
}

/*
 * printf rounds rightly and slowly. Most values, scaled, are far from the middle between two whole
 * numbers: then the error of scaling changes nothing, and whole digits do.
 */
static void jot_put_rounded(struct jot *jot, double value, int decimals) {
    static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    char text[340];
    double scaled = fabs(value) * powers[decimals], whole = floor(scaled);
    if (scaled > 1e9 || fabs(scaled - whole - 0.5) < 1e-6) {
        int length = snprintf(text, sizeof text, "%.*f", decimals, value);
        jot_put_trimmed(jot, text, (size_t)length);
        return;
    }
    uint64_t left = (uint64_t)whole + (scaled - whole > 0.5);
    bool is_negative = value < 0 && left > 0, is_part = false;
    char *end = text + sizeof text, *at = end;
    for (int i = 0; i < decimals; i++, left /= 10) {
        is_part = is_part || left % 10 > 0; /* no zeros at the end */
        if (is_part)
            *--at = (char)('0' + left % 10);
    }
    if (is_part)
        *--at = '.';
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (is_negative)
        *--at = '-';
    mem_buffer_add(jot->out, at, (size_t)(end - at));
}

void jot_real(struct jot *jot, const char *key, double value, int decimals) {
    jot_lead(jot, key);
    if (!isfinite(value))
        jot_put(jot, "null");
    else if (decimals == JOT_EXACT)
        jot_put_exact(jot, value);
    else
        jot_put_rounded(jot, value, decimals);
}
