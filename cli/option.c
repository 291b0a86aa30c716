/* SPDX-License-Identifier: MIT */
/* What a row of an option table accepts, with a reason that says which values would do. */
#include "option.h"

#include "field.h"
#include "text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct option option_redis[] = {
    {OPTION_ROW("redis", "URL", TEXT,
                "redis://host:port, unix:///path, redis+sentinel://host,host/master, "
                "redis+cluster://host,host"),
     .variant = "SUSURRATION_REDIS"},
    {OPTION_ROW("password-file", "FILE", TEXT, "its first line is the password for Redis")},
    {OPTION_ROW("queue", "NAME", ID, "name of the queue"), .preset = "main"},
    {OPTION_ROW("wait", "S", WHOLE, "how long to wait for a result, seconds"), .preset = "60",
     .min = 1, .max = 86400},
    {0},
};
const struct option_group option_group_redis = {"Redis", option_redis};

static const struct option option_output[] = {
    {OPTION_ROW("json", NULL, FLAG, "print JSON, numbers in full precision")},
    {OPTION_ROW("help", NULL, FLAG, "this text")},
    {0},
};
const struct option_group option_group_output = {"Output", option_output};

const struct option *option_find(const struct option *table, const char *name, size_t length) {
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static const struct field *option_field(const struct option *option, enum job_kind kind) {
    const struct field *field = field_find(kind, option->field, strlen(option->field));
    assert(field); /* a row that names no field of its command's job */
    return field;
}

bool option_range(const struct option *option, enum job_kind kind, uint64_t *min, uint64_t *max) {
    if (option->type == OPTION_WHOLE) {
        *min = option->min;
        *max = option->max;
        return true;
    }
    if (option->type != OPTION_FIELD || option_field(option, kind)->type != FIELD_UINT)
        return false;
    *min = option_field(option, kind)->min;
    *max = option_field(option, kind)->max;
    return true;
}

/* Says "--name takes EXPECTED, got VALUE". */
static bool option_refuse(const struct option *option, const char *expected, const char *value,
                          char *why, size_t why_size) {
    char shown[64];
    text_printable(value, strlen(value), shown, sizeof shown);
    (void)snprintf(why, why_size, "--%s takes %s, got '%s'", option->name, expected, shown);
    return false;
}

static bool option_check_text(const struct option *option, const struct field *field,
                              const char *value, char *why, size_t why_size) {
    long count = text_utf8_count(value, strlen(value));
    if (count < 0) {
        (void)snprintf(why, why_size, "--%s is not well-formed UTF-8", option->name);
        return false;
    }
    if ((unsigned long)count > field->max) {
        (void)snprintf(why, why_size, "--%s takes at most %u characters, got %ld", option->name,
                       field->max, count);
        return false;
    }
    return true;
}

bool option_check(const struct option *option, enum job_kind kind, const char *value, char *why,
                  size_t why_size) {
    uint64_t min, max, whole;
    double number;
    if (option_range(option, kind, &min, &max)) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
                       (unsigned long long)min, (unsigned long long)max);
        return text_to_uint(value, min, max, &whole) ||
               option_refuse(option, expected, value, why, why_size);
    }
    enum option_type type = option->type;
    if (type == OPTION_FIELD) {
        const struct field *field = option_field(option, kind);
        if (field->type == FIELD_TEXT)
            return option_check_text(option, field, value, why, why_size);
        assert(field->type == FIELD_ID);
        type = OPTION_ID;
    }
    switch (type) {
    case OPTION_NUMBER:
        return text_to_double(value, &number) ||
               option_refuse(option, "a finite number", value, why, why_size);
    case OPTION_HASH:
        return text_to_hash(value, strlen(value), &whole) ||
               option_refuse(option, "16 hexadecimal digits", value, why, why_size);
    case OPTION_ID:
        return job_id_is_legal(value, strlen(value)) ||
               option_refuse(option, "1 to 64 characters of A-Z a-z 0-9 . _ -", value, why,
                             why_size);
    default:
        return true;
    }
}
