/* SPDX-License-Identifier: MIT */
/*
 * One copy of the text is cut up and decoded in place, from the outside in: scheme, query,
 * credentials, address, database. A new kind of Redis (sentinels, a cluster) is a row of the table
 * of schemes and a function that reads what stands behind it.
 *
 * Messages quote the part that is wrong, except credentials. A password with a raw '/' or '?'
 * would end up as a "port"; so a stray '@' behind the address is caught before anything is quoted.
 */
#include "link_url.h"

#include "mem.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

enum { LINK_PORT = 6379, LINK_DB_MAX = 0x7fffffff };

struct link_url_reader {
    struct link_url *url;
    char *why;
    size_t why_size;
    bool has_db;
};

/* Says what is wrong, and is ERR_INVALID. */
#define LINK_URL_FAULT(reader, ...)                                                                \
    ((void)snprintf((reader)->why, (reader)->why_size, __VA_ARGS__), ERR_INVALID)

struct link_url_quote {
    char text[64];
};

static struct link_url_quote link_url_quote(const char *text) {
    struct link_url_quote quote;
    text_printable(text, strlen(text), quote.text, sizeof quote.text);
    return quote;
}

static int link_url_hex(char c) {
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) & 15) : -1;
}

/* In place: decoded text is never longer. */
static int link_url_decode(const struct link_url_reader *reader, char *text, const char *part) {
    char *out = text;
    for (const char *at = text; *at; at++) {
        if (*at != '%') {
            *out++ = *at;
            continue;
        }
        int high = link_url_hex(at[1]);
        int low = high < 0 ? -1 : link_url_hex(at[2]);
        if (low < 0)
            return LINK_URL_FAULT(reader, "the %s holds a %% without two hexadecimal digits", part);
        if (high == 0 && low == 0)
            return LINK_URL_FAULT(reader, "the %s holds a zero byte (%%00)", part);
        *out++ = (char)(high << 4 | low);
        at += 2;
    }
    *out = '\0';
    return 0;
}

/* Digits only: text_to_uint would also take 6379.0, which is right for a setting but not here. */
static bool link_url_digits(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    return *text && text[strspn(text, "0123456789")] == '\0' && text_to_uint(text, min, max, value);
}

static int link_url_read_credentials(struct link_url_reader *reader, char *text) {
    char *password = strchr(text, ':');
    if (password) {
        *password++ = '\0';
        if (link_url_decode(reader, password, "password") < 0)
            return ERR_INVALID;
    }
    if (link_url_decode(reader, text, "user") < 0)
        return ERR_INVALID;
    reader->url->user = *text ? text : NULL;
    /* redis://:@host has neither: an empty template variable, not an empty password. */
    reader->url->password = password && (*password || *text) ? password : NULL;
    return 0;
}

static int link_url_read_db(struct link_url_reader *reader, const char *text) {
    uint64_t db;
    if (!link_url_digits(text, 0, LINK_DB_MAX, &db))
        return LINK_URL_FAULT(reader, "database \"%s\" is not a whole number",
                              link_url_quote(text).text);
    if (reader->has_db)
        return LINK_URL_FAULT(reader, "the database is given twice");
    reader->has_db = true;
    reader->url->db = (uint32_t)db;
    return 0;
}

/* What may stand behind the ? of rediss://, besides db. */
static const struct link_url_setting {
    const char *name;
    size_t offset; /* in struct link_url, of the text */
} link_url_settings[] = {
    {"cacert", offsetof(struct link_url, cacert)},
    {"cert", offsetof(struct link_url, cert)},
    {"key", offsetof(struct link_url, key)},
    {"server_name", offsetof(struct link_url, server_name)},
};
enum { LINK_URL_SETTINGS = sizeof link_url_settings / sizeof link_url_settings[0] };

static int link_url_read_setting(struct link_url_reader *reader, const char *name, char *value) {
    struct link_url *url = reader->url;
    int i = url->transport == LINK_TLS ? 0 : LINK_URL_SETTINGS;
    while (i < LINK_URL_SETTINGS && strcmp(name, link_url_settings[i].name) != 0)
        i++;
    if (i == LINK_URL_SETTINGS)
        return LINK_URL_FAULT(reader, "\"%s\" is not known; behind the ? may stand db%s",
                              link_url_quote(name).text,
                              url->transport == LINK_TLS ? ", cacert, cert, key, server_name" : "");
    if (link_url_decode(reader, value, name) < 0)
        return ERR_INVALID;
    if (!*value)
        return LINK_URL_FAULT(reader, "%s is empty", name);
    memcpy((char *)url + link_url_settings[i].offset, &value, sizeof value);
    return 0;
}

static int link_url_read_query(struct link_url_reader *reader, char *text) {
    char *rest = NULL, nothing[1] = "";
    for (char *item = strtok_r(text, "&", &rest); item; item = strtok_r(NULL, "&", &rest)) {
        char *value = strchr(item, '=');
        if (value)
            *value++ = '\0';
        int result = strcmp(item, "db") == 0
                         ? link_url_read_db(reader, value ? value : nothing)
                         : link_url_read_setting(reader, item, value ? value : nothing);
        if (result < 0)
            return result;
    }
    return 0;
}

static int link_url_read_port(struct link_url_reader *reader, const char *text) {
    uint64_t port;
    if (!link_url_digits(text, 1, UINT16_MAX, &port))
        return LINK_URL_FAULT(reader, "port \"%s\" is not a whole number in 1 .. 65535",
                              link_url_quote(text).text);
    reader->url->port = (uint16_t)port;
    return 0;
}

/* [::1]:6379; the brackets keep the address's colons from the port's. */
static int link_url_read_bracketed(struct link_url_reader *reader, char *text) {
    char *end = strchr(text, ']');
    if (!end || (end[1] != '\0' && end[1] != ':'))
        return LINK_URL_FAULT(reader, "\"%s\" is not [address] or [address]:port",
                              link_url_quote(text).text);
    *end = '\0';
    reader->url->host = text + 1;
    return end[1] == ':' ? link_url_read_port(reader, end + 2) : 0;
}

static int link_url_read_address(struct link_url_reader *reader, char *text) {
    reader->url->port = LINK_PORT;
    if (*text == '[')
        return link_url_read_bracketed(reader, text);
    char *port = strchr(text, ':');
    if (port && strchr(port + 1, ':'))
        return LINK_URL_FAULT(reader, "an IPv6 address stands in brackets: [%s]",
                              link_url_quote(text).text);
    if (port)
        *port++ = '\0';
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")])
        return LINK_URL_FAULT(reader, "\"%s\" is not a host name", link_url_quote(text).text);
    reader->url->host = *text ? text : "127.0.0.1";
    return port ? link_url_read_port(reader, port) : 0;
}

static int link_url_read_tcp(struct link_url_reader *reader, char *text, char *query) {
    char *db = strchr(text, '/');
    if (db)
        *db++ = '\0';
    if ((db && strchr(db, '@')) || (query && strchr(query, '@')))
        return LINK_URL_FAULT(reader, "an @ behind the address; in user and password write / as "
                                      "%%2F, ? as %%3F and @ as %%40");
    char *address = strrchr(text, '@');
    if (address) {
        *address++ = '\0';
        if (link_url_read_credentials(reader, text) < 0)
            return ERR_INVALID;
    }
    struct link_url *url = reader->url;
    if (link_url_read_address(reader, address ? address : text) < 0)
        return ERR_INVALID;
    (void)snprintf(url->target, sizeof url->target, strchr(url->host, ':') ? "[%s]:%u" : "%s:%u",
                   link_url_quote(url->host).text, url->port);
    return db && *db ? link_url_read_db(reader, db) : 0;
}

static int link_url_read_unix(struct link_url_reader *reader, char *text, char *query) {
    (void)query;
    char *path = text;
    if (*text != '/') {
        char *at = strstr(text, "@/");
        if (!at)
            return LINK_URL_FAULT(reader,
                                  "the path of a socket is absolute: unix:///run/redis.sock");
        *at = '\0';
        path = at + 1;
        if (link_url_read_credentials(reader, text) < 0)
            return ERR_INVALID;
    }
    if (link_url_decode(reader, path, "path") < 0)
        return ERR_INVALID;
    struct link_url *url = reader->url;
    if (path[1] == '\0')
        return LINK_URL_FAULT(reader, "the path of the socket is empty");
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return LINK_URL_FAULT(reader, "the path of the socket is longer than %zu bytes",
                              sizeof((struct sockaddr_un *)0)->sun_path - 1);
    url->path = path;
    text_printable(path, strlen(path), url->target, sizeof url->target);
    return 0;
}

static const struct link_url_scheme {
    const char *prefix;
    enum link_transport transport;
    int (*read)(struct link_url_reader *reader, char *text, char *query);
} link_url_schemes[] = {
    {"redis://", LINK_TCP, link_url_read_tcp},
    {"rediss://", LINK_TLS, link_url_read_tcp},
    {"unix://", LINK_UNIX, link_url_read_unix},
};
enum { LINK_URL_SCHEMES = sizeof link_url_schemes / sizeof link_url_schemes[0] };

static const struct link_url_scheme *link_url_scheme(const char *text) {
    for (int i = 0; i < LINK_URL_SCHEMES; i++)
        if (strncasecmp(text, link_url_schemes[i].prefix, strlen(link_url_schemes[i].prefix)) == 0)
            return &link_url_schemes[i];
    return NULL;
}

static int link_url_read(struct link_url_reader *reader, const struct link_url_scheme *scheme,
                         char *text) {
    char *query = strchr(text, '?');
    if (query)
        *query++ = '\0';
    int result = scheme->read(reader, text, query);
    return result < 0 || !query ? result : link_url_read_query(reader, query);
}

int link_url_parse(struct link_url *url, const char *text, char *why, size_t why_size) {
    struct link_url_reader reader = {.url = url, .why = why, .why_size = why_size};
    const struct link_url_scheme *scheme = link_url_scheme(text);
    if (!scheme)
        return LINK_URL_FAULT(&reader, "the URL begins with redis://, rediss:// or unix://");
    size_t length = strlen(text) - strlen(scheme->prefix);
    char *storage = mem_alloc(length + 1);
    if (!storage) {
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    memcpy(storage, text + strlen(scheme->prefix), length + 1);
    *url = (struct link_url){.transport = scheme->transport, .storage = storage};
    int result = link_url_read(&reader, scheme, storage);
    if (result < 0)
        link_url_release(url);
    return result;
}

void link_url_release(struct link_url *url) {
    free(url->storage);
    *url = (struct link_url){0};
}
