/* SPDX-License-Identifier: MIT */
/* Options point into the caller's memory; a link lives longer, so all is copied. */
#include "link_login.h"

#include "link_tls.h"
#include "mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int link_login_copy(char **copy, const char *text) {
    if (!text)
        return 0;
    size_t size = strlen(text) + 1;
    *copy = mem_alloc(size);
    if (!*copy)
        return ERR_NO_MEMORY;
    memcpy(*copy, text, size);
    return 0;
}

static const enum link_whom link_login_whom[] = {
    [LINK_SINGLE] = LINK_WHOM_REDIS,
    [LINK_SENTINEL] = LINK_WHOM_MASTER,
    [LINK_CLUSTER] = LINK_WHOM_NODE,
};

/* What CLIENT SETNAME takes. */
static bool link_login_is_name(const char *name) {
    for (const char *at = name; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return true;
}

static int link_login_check(struct link_login *login, char *why, size_t why_size) {
    const char *fault = NULL;
    if (login->url.transport == LINK_TLS) {
        int result = link_tls_new(&login->tls, &login->url, why, why_size);
        if (result < 0)
            return result;
    }
    if (login->password_file) {
        if (link_secret_read(login->password_file, login->secret, why, why_size) < 0)
            return ERR_INVALID;
        login->greet.password = login->secret;
    }
    if (login->greet.user && !login->greet.password)
        fault = "a user without a password; write user:password@ or name a password file";
    else if (login->client_name && !link_login_is_name(login->client_name))
        fault = "the client name may hold printable ASCII without spaces only";
    if (fault)
        (void)snprintf(why, why_size, "%s", fault);
    return fault ? ERR_INVALID : 0;
}

static void link_login_write(struct link_login *login) {
    const struct link_url *url = &login->url;
    login->greet = (struct link_greet){.whom = link_login_whom[url->topology],
                                       .user = url->user,
                                       .password = url->password,
                                       .db = url->db,
                                       .client_name = login->client_name,
                                       .slot_key = login->slot_key,
                                       .master = url->master};
    login->sentinel = (struct link_greet){.whom = LINK_WHOM_SENTINEL,
                                          .user = url->sentinel_user,
                                          .password = url->sentinel_password,
                                          .master = url->master};
}

int link_login_init(struct link_login *login, const struct link_options *options, char *why,
                    size_t why_size) {
    *login = (struct link_login){.password_file = NULL};
    int result = link_url_parse(&login->url, options->url, why, why_size);
    if (result < 0)
        return result;
    result = link_login_copy(&login->password_file, options->password_file);
    if (result == 0)
        result = link_login_copy(&login->client_name, options->client_name);
    if (result == 0)
        result = link_login_copy(&login->slot_key, options->slot_key);
    if (result < 0) {
        (void)snprintf(why, why_size, "%s", err_text(result));
        goto failed;
    }
    link_login_write(login);
    result = link_login_check(login, why, why_size);
    if (result == 0)
        return 0;
failed:
    link_login_release(login);
    return result;
}

void link_login_refresh(struct link_login *login) {
    char unused[64];
    if (login->password_file)
        (void)!link_secret_read(login->password_file, login->secret, unused, sizeof unused);
}

void link_login_release(struct link_login *login) {
    link_tls_free(login->tls);
    login->tls = NULL;
    link_url_release(&login->url);
    free(login->password_file);
    free(login->client_name);
    free(login->slot_key);
    login->password_file = login->client_name = login->slot_key = NULL;
}
