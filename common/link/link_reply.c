/* SPDX-License-Identifier: MIT */
/*
 * A link_reply is hiredis's reply under another name, so that nothing is copied and nobody else
 * includes hiredis. NULL stands for "no answer" and reads as nil, so callers may look first and ask
 * later.
 */
#include "link_reply.h"

#include "link.h"

#include <hiredis/hiredis.h>
#include <string.h>

static const redisReply *link_reply_inner(const struct link_reply *reply) {
    return (const redisReply *)(const void *)reply;
}

static const enum link_type link_reply_types[] = {
    [REDIS_REPLY_STRING] = LINK_TEXT,     [REDIS_REPLY_ARRAY] = LINK_LIST,
    [REDIS_REPLY_INTEGER] = LINK_INTEGER, [REDIS_REPLY_NIL] = LINK_NIL,
    [REDIS_REPLY_STATUS] = LINK_STATUS,   [REDIS_REPLY_ERROR] = LINK_ERROR,
};

enum link_type link_reply_type(const struct link_reply *reply) {
    const int count = (int)(sizeof link_reply_types / sizeof link_reply_types[0]);
    if (!reply)
        return LINK_NIL;
    int type = link_reply_inner(reply)->type;
    /* The types of RESP3 do not come: nobody says HELLO 3. */
    return type >= 0 && type < count ? link_reply_types[type] : LINK_NIL;
}

const char *link_reply_text(const struct link_reply *reply, size_t *size) {
    enum link_type type = link_reply_type(reply);
    bool has_text = type == LINK_TEXT || type == LINK_STATUS || type == LINK_ERROR;
    if (size)
        *size = has_text ? (size_t)link_reply_inner(reply)->len : 0;
    return has_text ? link_reply_inner(reply)->str : NULL;
}

static bool link_reply_parse(const char *text, size_t size, int64_t *value) {
    bool negative = size > 0 && *text == '-';
    size_t at = negative;
    uint64_t limit = (uint64_t)INT64_MAX + negative, read = 0;
    if (at == size)
        return false;
    for (; at < size; at++) {
        unsigned digit = (unsigned char)text[at] - (unsigned)'0';
        if (digit > 9 || read > (limit - digit) / 10)
            return false;
        read = read * 10 + digit;
    }
    *value = (int64_t)(negative ? 0 - read : read);
    return true;
}

int64_t link_reply_integer(const struct link_reply *reply, int64_t otherwise) {
    if (link_reply_type(reply) == LINK_INTEGER)
        return link_reply_inner(reply)->integer;
    size_t size;
    const char *text = link_reply_text(reply, &size);
    int64_t value = otherwise;
    if (text && link_reply_type(reply) != LINK_ERROR)
        (void)link_reply_parse(text, size, &value);
    return value;
}

size_t link_reply_count(const struct link_reply *reply) {
    return link_reply_type(reply) == LINK_LIST ? link_reply_inner(reply)->elements : 0;
}

const struct link_reply *link_reply_item(const struct link_reply *reply, size_t index) {
    if (index >= link_reply_count(reply))
        return NULL;
    return (const struct link_reply *)(const void *)link_reply_inner(reply)->element[index];
}

bool link_reply_is_error(const struct link_reply *reply, const char *code) {
    if (link_reply_type(reply) != LINK_ERROR)
        return false;
    const char *text = link_reply_inner(reply)->str;
    size_t length = strlen(code);
    return strncmp(text, code, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

/* --- the guard -------------------------------------------------------------------------------*/

#if HIREDIS_MAJOR >= 1
typedef size_t link_reply_size;
#else
typedef int link_reply_size;
#endif

/* NULL means "no memory" to hiredis, and ends the connection. */
static void *link_reply_make_list(const redisReadTask *task, link_reply_size count) {
    const redisReplyObjectFunctions *theirs = task->privdata;
    return count > LINK_REPLY_ITEMS_MAX ? NULL : theirs->createArray(task, count);
}

void link_reply_guard(redisReader *reader, redisReplyObjectFunctions *functions) {
    *functions = *reader->fn;
    functions->createArray = link_reply_make_list;
    reader->privdata = reader->fn;
    reader->fn = functions;
}
