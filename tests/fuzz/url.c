/* SPDX-License-Identifier: MIT */
/*
 * link_url_parse. What is taken has every part that its header promises, and put together again
 * from the parts it is the same. No message holds the password.
 */
#include "fuzz.h"

#include "link_url.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

static void check_words(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    assert(length < room);
    for (size_t i = 0; i < length; i++)
        assert(text[i] >= ' ' && text[i] <= '~');
}

static void check_address(const struct link_url *url, const struct link_address *address) {
    char text[LINK_ADDRESS_TEXT];
    bool is_unix = url->transport == LINK_UNIX;
    size_t length = strnlen(address->host, sizeof address->host);
    assert(length > 0 && length < sizeof address->host);
    assert(address->transport == url->transport && (is_unix || address->port >= 1));
    assert(!is_unix || (address->host[0] == '/' && address->host[1] != '\0'));
    assert(!is_unix || length < sizeof((struct sockaddr_un *)0)->sun_path);
    link_address_text(address, text);
    assert(text[0] != '\0');
    check_words(text, sizeof text);
}

static void check_url(const struct link_url *url) {
    bool is_tls = url->transport == LINK_TLS, is_sentinel = url->topology == LINK_SENTINEL;
    assert(url->count >= 1 &&
           url->count <= (url->topology == LINK_SINGLE ? 1 : LINK_URL_ADDRESSES));
    for (size_t i = 0; i < url->count; i++)
        check_address(url, &url->address[i]);
    assert(!url->user || *url->user);
    assert(is_tls || (!url->cacert && !url->cert && !url->key && !url->server_name));
    assert(!url->master == !is_sentinel && (!url->master || *url->master));
    assert(is_sentinel || (!url->sentinel_user && !url->sentinel_password));
    assert(!url->sentinel_user || url->sentinel_password);
    assert(url->topology != LINK_CLUSTER || url->db == 0);
}

/* Every byte percent-encoded. */
static char *encoded(char *out, const char *text) {
    for (; *text; text++, out += 3)
        (void)snprintf(out, 4, "%%%02x", (unsigned char)*text);
    return out;
}

static char *written(char *out, const struct link_url *url) {
    static const char *const topology[] = {"", "+sentinel", "+cluster"};
    static const char *const scheme[] = {"redis", "rediss", "unix"};
    out += sprintf(out, "%s%s://", scheme[url->transport], topology[url->topology]);
    if (url->user)
        out = encoded(out, url->user);
    if (url->password)
        out = encoded(stpcpy(out, ":"), url->password);
    if (url->user || url->password)
        out = stpcpy(out, "@");
    for (size_t i = 0; i < url->count; i++) {
        const struct link_address *address = &url->address[i];
        bool is_name = address->host[strspn(address->host, NAME)] == '\0';
        out = stpcpy(out, i > 0 ? "," : "");
        if (address->transport == LINK_UNIX)
            out = encoded(stpcpy(out, "/"), address->host + 1);
        else
            out += sprintf(out, is_name ? "%s:%u" : "[%s]:%u", address->host, address->port);
    }
    if (url->master)
        out = encoded(stpcpy(out, "/"), url->master);
    out += sprintf(out, "?db=%u", url->db);
    const char *const name[] = {"cacert",      "cert",          "key",
                                "server_name", "sentinel_user", "sentinel_password"};
    const char *const value[] = {url->cacert,      url->cert,          url->key,
                                 url->server_name, url->sentinel_user, url->sentinel_password};
    for (int i = 0; i < 6; i++)
        if (value[i])
            out = encoded(out + sprintf(out, "&%s=", name[i]), value[i]);
    return out;
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_again(const struct link_url *url, size_t size) {
    char why[200];
    struct link_url again;
    char *text = malloc(3 * size + 1000);
    assert(text);
    (void)written(text, url);
    assert(link_url_parse(&again, text, why, sizeof why) == 0);
    check_url(&again);
    assert(again.transport == url->transport && again.topology == url->topology);
    assert(again.db == url->db && again.count == url->count);
    for (size_t i = 0; i < url->count; i++)
        assert(link_address_is(&again.address[i], &url->address[i]));
    assert(is_same(again.user, url->user) && is_same(again.password, url->password));
    assert(is_same(again.master, url->master) && is_same(again.server_name, url->server_name));
    assert(is_same(again.sentinel_user, url->sentinel_user));
    assert(is_same(again.sentinel_password, url->sentinel_password));
    assert(is_same(again.cacert, url->cacert) && is_same(again.cert, url->cert));
    assert(is_same(again.key, url->key));
    link_url_release(&again);
    free(text);
}

/* With a password put in front of what stands there, a message must not tell it. */
static void check_secret(const char *text) {
    static const char secret[] = "hunter2SECRET";
    char why[200] = "", *with = malloc(strlen(text) + 40);
    struct link_url url = {0};
    assert(with);
    if (strstr(text, secret)) /* it is no secret any more */
        goto out;
    (void)sprintf(with, "redis://u:%s@%s", secret, text);
    if (link_url_parse(&url, with, why, sizeof why) == 0) {
        for (size_t i = 0; i < url.count; i++)
            assert(!strstr(url.address[i].host, secret));
        link_url_release(&url);
    }
    assert(!strstr(why, secret));
out:
    free(with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char why[200] = "", *text = malloc(size + 1);
    struct link_url url;
    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    int code = link_url_parse(&url, text, why, sizeof why);
    assert(code == 0 || code == ERR_INVALID);
    check_words(why, sizeof why);
    assert((code == 0) == (why[0] == '\0'));
    if (code == 0) {
        check_url(&url);
        check_again(&url, size);
        link_url_release(&url);
    }
    check_secret(text);
    free(text);
    return 0;
}
