/* SPDX-License-Identifier: MIT */
/*
 * What people write is read strictly, and messages quote what is wrong with it. What servers tell
 * is not ours to judge: a host that does not exist shows when it is dialled.
 */
#include "link_address.h"

#include "text.h"

#include <stdio.h>
#include <string.h>

static const char link_address_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

/* Says what is wrong with the text, in words around a %s, and is ERR_INVALID. */
#define LINK_ADDRESS_FAULT(why, why_size, text, words)                                             \
    ((void)snprintf(why, why_size, words, link_address_quote(text).text), ERR_INVALID)

struct link_address_quote link_address_quote(const char *text) {
    struct link_address_quote quote;
    text_printable(text, strlen(text), quote.text, sizeof quote.text);
    return quote;
}

/* Digits only: text_to_uint would also take 6379.0, which is right for a setting but not here. */
static int link_address_read_port(struct link_address *address, const char *text, char *why,
                                  size_t why_size) {
    uint64_t port;
    if (!*text || text[strspn(text, "0123456789")] || !text_to_uint(text, 1, UINT16_MAX, &port))
        return LINK_ADDRESS_FAULT(why, why_size, text,
                                  "port \"%s\" is not a whole number in 1 .. 65535");
    address->port = (uint16_t)port;
    return 0;
}

int link_address_read(struct link_address *address, const char *text, uint16_t port, char *why,
                      size_t why_size) {
    bool bracketed = *text == '['; /* the brackets keep the address's colons from the port's */
    const char *host = text + bracketed;
    size_t size = strcspn(host, bracketed ? "]" : ":");
    const char *rest = host + size;
    if (bracketed && (size == 0 || *rest != ']' || (rest[1] && rest[1] != ':')))
        return LINK_ADDRESS_FAULT(why, why_size, text, "\"%s\" is not [address] or [address]:port");
    rest += bracketed;
    if (!bracketed && *rest && strchr(rest + 1, ':'))
        return LINK_ADDRESS_FAULT(why, why_size, text, "an IPv6 address stands in brackets: [%s]");
    if (!bracketed && strspn(host, link_address_letters) < size)
        return LINK_ADDRESS_FAULT(why, why_size, text, "\"%s\" is not a host name");
    if (!link_address_set_host(address, size ? host : "127.0.0.1", size ? size : 9))
        return LINK_ADDRESS_FAULT(why, why_size, text, "the host \"%s\" is too long");
    address->port = port;
    return *rest ? link_address_read_port(address, rest + 1, why, why_size) : 0;
}

bool link_address_set_host(struct link_address *address, const char *host, size_t size) {
    if (size == 0 || size >= sizeof address->host || memchr(host, '\0', size))
        return false;
    memcpy(address->host, host, size);
    address->host[size] = '\0';
    return true;
}

bool link_address_is(const struct link_address *a, const struct link_address *b) {
    return a->transport == b->transport && a->port == b->port && strcmp(a->host, b->host) == 0;
}

void link_address_text(const struct link_address *address, char out[LINK_ADDRESS_TEXT]) {
    if (address->transport == LINK_UNIX)
        text_printable(address->host, strlen(address->host), out, LINK_ADDRESS_TEXT);
    else
        (void)snprintf(out, LINK_ADDRESS_TEXT, strchr(address->host, ':') ? "[%s]:%u" : "%s:%u",
                       link_address_quote(address->host).text, address->port);
}
