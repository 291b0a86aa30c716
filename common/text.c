/* SPDX-License-Identifier: MIT */
/*
 * Numbers and characters, strictly. strtod and printf follow the locale of the process, which a
 * library may have changed behind our back ("0,5"), and strtod forgives more than we want (leading
 * space, hexadecimal, "inf"). So the form is checked here, character by character, and only then
 * the libc converts, in a "C" locale of our own. Whole numbers never pass through a double, which
 * would round above 2^53. Any thread.
 */
#include "text.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_once_t text_once = PTHREAD_ONCE_INIT;
static locale_t text_locale;

static void text_locale_make(void) {
    text_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    assert(text_locale); /* "C" is built into the libc */
}

static locale_t text_c_locale(void) {
    pthread_once(&text_once, text_locale_make);
    return text_locale;
}

static bool text_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* [+-] digits [. digits] [e [+-] digits], with at least one digit in front of the e. */
struct text_number {
    bool negative;
    const char *digits;     /* the first digit or the point */
    const char *end;        /* behind the last one */
    long long point_digits; /* how many stand behind the point */
    long long exponent;     /* held at the limit below */
};

/* Past this no double and no uint64_t is left, whatever the digits (a text of 10^9 of them aside).
 */
enum { TEXT_EXPONENT_LIMIT = 1000000000 };

static const char *text_scan_exponent(const char *at, long long *exponent) {
    bool negative = *at == '-';
    if (*at == '+' || *at == '-')
        at++;
    if (!text_is_digit(*at))
        return NULL;
    long long value = 0;
    for (; text_is_digit(*at); at++)
        if (value < TEXT_EXPONENT_LIMIT)
            value = value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at;
}

static bool text_scan(const char *at, struct text_number *number) {
    *number = (struct text_number){.negative = *at == '-'};
    if (*at == '+' || *at == '-')
        at++;
    number->digits = at;
    bool point = false;
    long long count = 0;
    for (; text_is_digit(*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        count++;
        number->point_digits += point;
    }
    number->end = at;
    if (count == 0)
        return false;
    if (*at == 'e' || *at == 'E')
        at = text_scan_exponent(at + 1, &number->exponent);
    return at && *at == '\0';
}

bool text_to_double(const char *text, double *value) {
    struct text_number number;
    if (!text_scan(text, &number))
        return false;
    double read = strtod_l(text, NULL, text_c_locale());
    if (!isfinite(read))
        return false;
    *value = read;
    return true;
}

static bool text_times_ten(uint64_t *value, unsigned plus) {
    if (*value > (UINT64_MAX - plus) / 10)
        return false;
    *value = *value * 10 + plus;
    return true;
}

/* Zeros are held back until a digit follows, so that those at the end can meet the exponent. */
static bool text_whole(const struct text_number *number, uint64_t *value) {
    uint64_t whole = 0;
    long long zeros = 0;
    for (const char *at = number->digits; at < number->end; at++) {
        if (*at == '.')
            continue;
        if (*at == '0') {
            zeros += whole > 0;
            continue;
        }
        for (; zeros > 0; zeros--)
            if (!text_times_ten(&whole, 0))
                return false;
        if (!text_times_ten(&whole, (unsigned)(*at - '0')))
            return false;
    }
    long long tens = number->exponent + zeros - number->point_digits;
    for (; whole > 0 && tens > 0; tens--)
        if (!text_times_ten(&whole, 0))
            return false;
    *value = whole;
    return whole == 0 || (tens == 0 && !number->negative);
}

bool text_to_uint(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    struct text_number number;
    uint64_t whole;
    if (!text_scan(text, &number) || !text_whole(&number, &whole) || whole < min || whole > max)
        return false;
    *value = whole;
    return true;
}

static int text_hex_digit(char c) {
    if (text_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool text_to_hash(const char *text, size_t length, uint64_t *hash) {
    if (length != 16)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = text_hex_digit(text[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    *hash = value;
    return true;
}

size_t text_from_uint(uint64_t value, char *out) {
    char digits[20];
    size_t count = 0, size;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    for (size = 0; count > 0; size++)
        out[size] = digits[--count];
    out[size] = '\0';
    return size;
}

void text_from_hash(uint64_t hash, char *out) {
    for (int i = 0; i < 16; i++)
        out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15u];
    out[16] = '\0';
}

void text_from_double(double value, char *out) {
    locale_t before = uselocale(text_c_locale());
    /*
     * DBL_DIG digits survive a trip through a normal double, so a shorter text is found at 15, with
     * its zeros dropped; a subnormal has fewer bits, and needs the search from 1.
     */
    int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : DBL_DIG;
    do
        (void)snprintf(out, 32, "%.*g", digits, value);
    while (++digits <= DBL_DECIMAL_DIG && isfinite(value) && strtod(out, NULL) != value);
    uselocale(before);
    if (isnan(value))
        memcpy(out, "nan", sizeof "nan"); /* libc writes "-nan" for some of them */
}

static const char *text_skip_digits(const char *at) {
    while (text_hex_digit(*at) >= 0)
        at++;
    return at;
}

/* [+-] 0x digits [. digits] p [+-] digits: what strtod takes, with an exponent that must be there.
 */
static bool text_is_hexadecimal(const char *at) {
    long long exponent;
    if (*at == '+' || *at == '-')
        at++;
    if (at[0] != '0' || (at[1] != 'x' && at[1] != 'X'))
        return false;
    const char *digits = at + 2;
    at = text_skip_digits(digits);
    long count = at - digits;
    if (*at == '.') {
        digits = at + 1;
        at = text_skip_digits(digits);
        count += at - digits;
    }
    if (count == 0 || (*at != 'p' && *at != 'P'))
        return false;
    at = text_scan_exponent(at + 1, &exponent);
    return at && *at == '\0';
}

/* The words for what is no finite number. */
static bool text_is_special(const char *at) {
    if (*at == '+' || *at == '-')
        at++;
    return strcasecmp(at, "nan") == 0 || strcasecmp(at, "inf") == 0 ||
           strcasecmp(at, "infinity") == 0;
}

bool text_to_bits(const char *text, uint64_t *bits) {
    size_t length = strlen(text);
    size_t prefix =
        length == 18 && (strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0) ? 2 : 0;
    double value;
    if (text_to_hash(text + prefix, length - prefix, bits))
        return true;
    if (!text_to_double(text, &value)) {
        bool special = text_is_special(text);
        if (!special && !text_is_hexadecimal(text))
            return false;
        value = strtod_l(text, NULL, text_c_locale());
        if (!special && !isfinite(value))
            return false;
    }
    memcpy(bits, &value, sizeof *bits);
    return true;
}

void text_from_bits(uint64_t bits, char *out) {
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
        text_from_double(value, out);
        return;
    }
    locale_t before = uselocale(text_c_locale());
    (void)snprintf(out, 32, "%a", value);
    uselocale(before);
}

/* The length of a sequence by its first byte, and the range of the byte behind it (RFC 3629, 4). */
struct text_utf8_row {
    unsigned char first, last;
    unsigned char length;
    unsigned char second_min, second_max;
};

static const struct text_utf8_row text_utf8_table[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* The length of the well-formed character at `at`, of which `left` bytes are there; 0: it is none.
 */
static size_t text_utf8_length(const unsigned char *at, size_t left) {
    const struct text_utf8_row *row = text_utf8_table;
    const struct text_utf8_row *end = row + sizeof text_utf8_table / sizeof text_utf8_table[0];
    while (row < end && (*at < row->first || *at > row->last))
        row++;
    if (row == end || row->length > left)
        return 0;
    if (row->length > 1 && (at[1] < row->second_min || at[1] > row->second_max))
        return 0;
    for (size_t i = 2; i < row->length; i++)
        if ((at[i] & 0xc0u) != 0x80u)
            return 0;
    return row->length;
}

long text_utf8_count(const char *text, size_t length) {
    const unsigned char *bytes = (const unsigned char *)text;
    long count = 0;
    for (size_t at = 0; at < length; count++) {
        size_t step = text_utf8_length(bytes + at, length - at);
        if (step == 0)
            return -1;
        at += step;
    }
    return count;
}

static size_t text_piece(unsigned char byte, char *piece) {
    static const char digits[] = "0123456789abcdef";
    if (byte >= 0x20 && byte <= 0x7e) {
        piece[0] = (char)byte;
        return 1;
    }
    piece[0] = '\\';
    piece[1] = 'x';
    piece[2] = digits[byte >> 4];
    piece[3] = digits[byte & 15u];
    return 4;
}

void text_printable(const char *text, size_t length, char *out, size_t out_size) {
    if (out_size == 0)
        return;
    const size_t room = out_size - 1, dots = room < 3 ? room : 3;
    size_t used = 0, keep = 0; /* keep: what may stay if the dots must follow it */
    for (size_t i = 0; i < length; i++) {
        char piece[4];
        size_t size = text_piece((unsigned char)text[i], piece);
        if (size > room - used) {
            memcpy(out + keep, "...", dots);
            used = keep + dots;
            break;
        }
        memcpy(out + used, piece, size);
        used += size;
        if (used <= room - dots)
            keep = used;
    }
    out[used] = '\0';
}

void text_disarm(char *text) {
    char *out = text;
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)at[0], next = (unsigned char)at[1];
        bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0; /* U+0080 to U+009F */
        at += is_c1;
        if (byte == '\n' || byte == '\r' || byte == '\t')
            *out++ = ' ';
        else
            *out++ = is_c1 || byte < 0x20 || byte == 0x7f ? '?' : *at;
    }
    *out = '\0';
}
