/* SPDX-License-Identifier: MIT */
#pragma once
/* Where to connect and as whom: the link's options, checked and kept. */
#include "link.h"
#include "link_greet.h"
#include "link_secret.h"
#include "link_url.h"

struct link_tls;

struct link_login {
    struct link_url url;
    struct link_tls *tls;              /* owned; NULL: without */
    struct link_greet greet, sentinel; /* their texts lie in the other fields */
    char *password_file;               /* owned; NULL: none */
    char *client_name;                 /* owned; NULL: none */
    char *slot_key;                    /* owned; NULL: none */
    char secret[LINK_SECRET_MAX + 1];
};

/* As link_open: 0, or an error with `why`, and then nothing has to be released. Not to be moved. */
int link_login_init(struct link_login *login, const struct link_options *options, char *why,
                    size_t why_size) ERR_MUST_CHECK;

/* Reads the password file again. If it cannot be read just now, what we have may still be right. */
void link_login_refresh(struct link_login *login);

void link_login_release(struct link_login *login);
