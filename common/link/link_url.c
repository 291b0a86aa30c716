/* SPDX-License-Identifier: MIT */
/*
 * One copy of the text is cut up and decoded in place, from the outside in: scheme, query,
 * credentials, addresses, database. A kind of Redis is a row of the table of schemes and a function
 * that reads what stands behind it.
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

enum { LINK_PORT = 6379, LINK_SENTINEL_PORT = 26379, LINK_DB_MAX = 0x7fffffff };

struct link_url_reader {
    struct link_url *url;
    char *why;
    size_t why_size;
    bool has_db;
};

/* Says what is wrong, and is ERR_INVALID. */
#define LINK_URL_FAULT(reader, ...)                                                                \
    ((void)snprintf((reader)->why, (reader)->why_size, __VA_ARGS__), ERR_INVALID)

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
    /* Digits only: text_to_uint would also take 1.0, which is right for a setting but not here. */
    if (!*text || text[strspn(text, "0123456789")] || !text_to_uint(text, 0, LINK_DB_MAX, &db))
        return LINK_URL_FAULT(reader, "database \"%s\" is not a whole number",
                              link_address_quote(text).text);
    if (reader->has_db)
        return LINK_URL_FAULT(reader, "the database is given twice");
    reader->has_db = true;
    reader->url->db = (uint32_t)db;
    return 0;
}

/* What may stand behind the ?, besides db. */
static const struct link_url_setting {
    const char *name;
    size_t offset;     /* in struct link_url, of the text */
    bool is_sentinels; /* else of TLS */
} link_url_settings[] = {
    {"sentinel_user", offsetof(struct link_url, sentinel_user), true},
    {"sentinel_password", offsetof(struct link_url, sentinel_password), true},
    {"cacert", offsetof(struct link_url, cacert), false},
    {"cert", offsetof(struct link_url, cert), false},
    {"key", offsetof(struct link_url, key), false},
    {"server_name", offsetof(struct link_url, server_name), false},
};
enum { LINK_URL_SETTINGS = sizeof link_url_settings / sizeof link_url_settings[0] };

static bool link_url_takes(const struct link_url *url, const struct link_url_setting *setting) {
    return setting->is_sentinels ? url->topology == LINK_SENTINEL : url->transport == LINK_TLS;
}

static int link_url_unknown(const struct link_url_reader *reader, const char *name) {
    char known[128] = "db";
    size_t used = 2;
    for (int i = 0; i < LINK_URL_SETTINGS; i++)
        if (link_url_takes(reader->url, &link_url_settings[i]))
            used += (size_t)snprintf(known + used, sizeof known - used, ", %s",
                                     link_url_settings[i].name);
    return LINK_URL_FAULT(reader, "\"%s\" is not known; behind the ? may stand %s",
                          link_address_quote(name).text, known);
}

static int link_url_read_setting(struct link_url_reader *reader, const char *name, char *value) {
    int i = 0;
    while (i < LINK_URL_SETTINGS && (strcmp(name, link_url_settings[i].name) != 0 ||
                                     !link_url_takes(reader->url, &link_url_settings[i])))
        i++;
    if (i == LINK_URL_SETTINGS)
        return link_url_unknown(reader, name);
    if (link_url_decode(reader, value, name) < 0)
        return ERR_INVALID;
    if (!*value)
        return LINK_URL_FAULT(reader, "%s is empty", name);
    memcpy((char *)reader->url + link_url_settings[i].offset, &value, sizeof value);
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

static int link_url_read_address(struct link_url_reader *reader, const char *text) {
    struct link_url *url = reader->url;
    if (url->count == LINK_URL_ADDRESSES)
        return LINK_URL_FAULT(reader, "more than %d addresses", LINK_URL_ADDRESSES);
    struct link_address *address = &url->address[url->count++];
    uint16_t port = url->topology == LINK_SENTINEL ? LINK_SENTINEL_PORT : LINK_PORT;
    address->transport = url->transport;
    return link_address_read(address, text, port, reader->why, reader->why_size);
}

/* Commas part them where several may stand. */
static int link_url_read_addresses(struct link_url_reader *reader, char *text) {
    const char *comma = reader->url->topology == LINK_SINGLE ? "" : ",";
    bool alone = !strpbrk(text, comma);
    for (char *item; (item = strsep(&text, comma));) {
        if (!*item && !alone)
            return LINK_URL_FAULT(reader, "an address is missing beside a comma");
        if (link_url_read_address(reader, item) < 0)
            return ERR_INVALID;
    }
    return 0;
}

/* Reads the credentials; *addresses and *path are what stands behind them, path NULL: nothing. */
static int link_url_split(struct link_url_reader *reader, char *text, const char *query,
                          char **addresses, char **path) {
    *path = strchr(text, '/');
    if (*path)
        *(*path)++ = '\0';
    if ((*path && strchr(*path, '@')) || (query && strchr(query, '@')))
        return LINK_URL_FAULT(reader, "an @ behind the address; in user and password write / as "
                                      "%%2F, ? as %%3F and @ as %%40");
    *addresses = text;
    char *at = strrchr(text, '@');
    if (!at)
        return 0;
    *at = '\0';
    *addresses = at + 1;
    return link_url_read_credentials(reader, text);
}

static int link_url_read_tcp(struct link_url_reader *reader, char *text, char *query) {
    char *addresses, *db;
    if (link_url_split(reader, text, query, &addresses, &db) < 0 ||
        link_url_read_addresses(reader, addresses) < 0)
        return ERR_INVALID;
    return db && *db ? link_url_read_db(reader, db) : 0;
}

static int link_url_read_sentinel(struct link_url_reader *reader, char *text, char *query) {
    char *addresses, *master;
    if (link_url_split(reader, text, query, &addresses, &master) < 0 ||
        link_url_read_addresses(reader, addresses) < 0)
        return ERR_INVALID;
    char *db = master ? strchr(master, '/') : NULL;
    if (db)
        *db++ = '\0';
    if (!master || !*master)
        return LINK_URL_FAULT(reader, "behind the sentinels stands what they call the master: "
                                      "redis+sentinel://host:port/MASTER");
    reader->url->master = master;
    if (link_url_decode(reader, master, "master's name") < 0)
        return ERR_INVALID;
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
    size_t room = sizeof((struct sockaddr_un *)0)->sun_path;
    if (path[1] == '\0')
        return LINK_URL_FAULT(reader, "the path of the socket is empty");
    if (strlen(path) >= room)
        return LINK_URL_FAULT(reader, "the path of the socket is longer than %zu bytes", room - 1);
    struct link_address *address = &url->address[url->count++];
    address->transport = LINK_UNIX;
    memcpy(address->host, path, strlen(path) + 1);
    return 0;
}

static const struct link_url_scheme {
    const char *prefix;
    enum link_transport transport;
    enum link_topology topology;
    int (*read)(struct link_url_reader *reader, char *text, char *query);
} link_url_schemes[] = {
    {"redis://", LINK_TCP, LINK_SINGLE, link_url_read_tcp},
    {"rediss://", LINK_TLS, LINK_SINGLE, link_url_read_tcp},
    {"unix://", LINK_UNIX, LINK_SINGLE, link_url_read_unix},
    {"redis+sentinel://", LINK_TCP, LINK_SENTINEL, link_url_read_sentinel},
    {"rediss+sentinel://", LINK_TLS, LINK_SENTINEL, link_url_read_sentinel},
    {"redis+cluster://", LINK_TCP, LINK_CLUSTER, link_url_read_tcp},
    {"rediss+cluster://", LINK_TLS, LINK_CLUSTER, link_url_read_tcp},
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
    if (result == 0 && query)
        result = link_url_read_query(reader, query);
    if (result < 0)
        return result;
    const struct link_url *url = reader->url;
    if (url->topology == LINK_CLUSTER && url->db != 0)
        return LINK_URL_FAULT(reader, "a Redis Cluster has no database but 0");
    if (url->sentinel_user && !url->sentinel_password)
        return LINK_URL_FAULT(reader, "a sentinel_user without a sentinel_password");
    return 0;
}

int link_url_parse(struct link_url *url, const char *text, char *why, size_t why_size) {
    struct link_url_reader reader = {.url = url, .why = why, .why_size = why_size};
    const struct link_url_scheme *scheme = link_url_scheme(text);
    if (!scheme)
        return LINK_URL_FAULT(&reader,
                              "the URL begins with redis+sentinel://, redis+cluster://, redis://, "
                              "rediss:// or unix://");
    size_t length = strlen(text) - strlen(scheme->prefix);
    char *storage = mem_alloc(length + 1);
    if (!storage) {
        (void)snprintf(why, why_size, "%s", err_text(ERR_NO_MEMORY));
        return ERR_NO_MEMORY;
    }
    memcpy(storage, text + strlen(scheme->prefix), length + 1);
    *url = (struct link_url){
        .transport = scheme->transport, .topology = scheme->topology, .storage = storage};
    int result = link_url_read(&reader, scheme, storage);
    if (result < 0)
        link_url_release(url);
    return result;
}

void link_url_release(struct link_url *url) {
    free(url->storage);
    *url = (struct link_url){0};
}
