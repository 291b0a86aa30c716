/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What is said to Redis when a connection is there, before anyone may use it: who we are, which
 * database, and whether this Redis will do. No I/O: commands out, replies in, a verdict.
 */
#include "err.h"
#include "link.h"

enum link_greet_step {
    LINK_GREET_AUTH,
    LINK_GREET_SELECT,
    LINK_GREET_NAME,
    LINK_GREET_INFO,
    LINK_GREET_PING,
    LINK_GREET_STEPS,
};

enum { LINK_GREET_ARGS_MAX = 3 };

struct link_greet {
    const char *user;     /* NULL: the default user */
    const char *password; /* NULL: no AUTH */
    uint32_t db;
    const char *client_name; /* NULL: none */
    char db_text[16];        /* scratch of link_greet_command */
};

/* The step's arguments (terminated texts, valid as long as `greet`), or 0 if it is not needed. */
size_t link_greet_command(struct link_greet *greet, enum link_greet_step step,
                          const char *argv[LINK_GREET_ARGS_MAX]);

/*
 * 0: go on. ERR_DOWN: not now, it may be better in a while. ERR_AUTH, ERR_REFUSED, ERR_UNSUPPORTED:
 * waiting will not mend it. `why` then says what Redis said.
 */
int link_greet_judge(enum link_greet_step step, const struct link_reply *reply, char *why,
                     size_t why_size) ERR_MUST_CHECK;

/* Of any reply: true where Redis says that this connection is of no use now (READONLY ...). */
bool link_greet_is_useless(const struct link_reply *reply);
