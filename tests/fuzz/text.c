/* SPDX-License-Identifier: MIT */
/*
 * Numbers and characters. Against the libc where it has an opinion, against second, plainer
 * versions where it has none; and what one function writes the other one reads back.
 */
#include "fuzz.h"

#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What the header says a number is, letter by letter. */
static bool is_number(const char *at) {
    size_t whole, part = 0;
    at += *at == '+' || *at == '-';
    whole = strspn(at, "0123456789");
    at += whole;
    if (*at == '.') {
        part = strspn(at + 1, "0123456789");
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        size_t digits = strspn(at, "0123456789");
        at += digits;
        if (digits == 0)
            return false;
    }
    return *at == '\0';
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_number(const char *text) {
    double value = 7, libc = strtod(text, NULL); /* the C locale: nobody has set another */
    bool is_taken = text_to_double(text, &value);
    assert(is_taken == (is_number(text) && isfinite(libc)));
    assert(bits_of(value) == bits_of(is_taken ? libc : 7));
    uint64_t whole = 7;
    if (text_to_uint(text, 0, UINT64_MAX, &whole)) {
        assert(is_taken && (double)whole == value);
        uint64_t narrow;
        assert(text_to_uint(text, whole, whole, &narrow) && narrow == whole);
        assert(whole == 0 || !text_to_uint(text, 0, whole - 1, &narrow));
    } else {
        assert(whole == 7);
        if (is_taken && strlen(text) < 15 && value >= 0 && value < 0x1p53)
            assert(value != floor(value) || value == 0); /* so few digits are exact */
        if (is_taken && strlen(text) < 15 && value == 0)
            assert(strpbrk(text, "123456789")); /* what underflows is not whole */
    }
}

static void check_bits(const char *text) {
    uint64_t bits, again;
    char written[32];
    if (!text_to_bits(text, &bits))
        return;
    double value;
    memcpy(&value, &bits, sizeof value);
    text_from_bits(bits, written);
    assert(strlen(written) < sizeof written && text_to_bits(written, &again));
    assert(again == bits || (isnan(value) && strcmp(written, "nan") == 0));
    text_from_double(value, written);
    assert(strlen(written) < sizeof written);
    double back;
    if (isfinite(value))
        assert(text_to_double(written, &back) && bits_of(back) == bits);
}

static void check_hash(const uint8_t *data, size_t size) {
    uint64_t hash, again;
    char digits[17];
    if (text_to_hash((const char *)data, size, &hash)) {
        text_from_hash(hash, digits);
        assert(size == 16 && text_to_hash(digits, 16, &again) && again == hash);
    }
    if (size < sizeof hash)
        return;
    memcpy(&hash, data, sizeof hash);
    text_from_hash(hash, digits);
    assert(strspn(digits, "0123456789abcdef") == 16 && text_to_hash(digits, 16, &again));
    assert(again == hash);
}

/* By the definition of UTF-8: the code point, and whether it could have been written shorter. */
static long utf8_count(const uint8_t *at, size_t size) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    long count = 0;
    for (const uint8_t *end = at + size; at < end; count++) {
        size_t length = *at < 0x80       ? 1
                        : *at >> 5 == 6  ? 2
                        : *at >> 4 == 14 ? 3
                        : *at >> 3 == 30 ? 4
                                         : 0;
        if (length == 0 || length > (size_t)(end - at))
            return -1;
        uint32_t point = length == 1 ? *at : *at & (0x7fu >> length);
        for (size_t i = 1; i < length; i++) {
            if (at[i] >> 6 != 2)
                return -1;
            point = point << 6 | (at[i] & 63u);
        }
        if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
            return -1;
        at += length;
    }
    return count;
}

static void check_characters(const uint8_t *data, size_t size, char *text) {
    char shown[32];
    size_t room = size > 0 ? data[0] % sizeof shown : 1;
    assert(text_utf8_count((const char *)data, size) == utf8_count(data, size));
    memset(shown, 1, sizeof shown);
    text_printable((const char *)data, size, shown, room);
    assert(room == sizeof shown || shown[room] == 1);
    for (size_t i = 0; room > 0 && shown[i]; i++)
        assert(i < room && shown[i] >= ' ' && shown[i] <= '~');
    size_t length = strlen(text);
    long before = utf8_count((const uint8_t *)text, length);
    text_disarm(text);
    assert(strlen(text) <= length);
    for (const char *at = text; *at; at++) {
        assert((unsigned char)*at >= 0x20 && *at != 0x7f);
        assert(!((unsigned char)at[0] == 0xc2 && (unsigned char)at[1] >= 0x80 &&
                 (unsigned char)at[1] < 0xa0));
    }
    if (before >= 0)
        assert(utf8_count((const uint8_t *)text, strlen(text)) == before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_number(text);
    check_bits(text);
    check_hash(data, size);
    check_characters(data, size, text);
    free(text);
    return 0;
}
