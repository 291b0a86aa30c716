/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What is said to Redis when a connection is there, before anyone may use it: who we are, which
 * database, and whether this Redis will do; and to a sentinel: who is the master? No I/O: commands
 * out, replies in, a verdict.
 */
#include "err.h"
#include "link.h"

enum link_greet_step {
    LINK_GREET_AUTH,
    LINK_GREET_SELECT,
    LINK_GREET_NAME,
    LINK_GREET_INFO,
    LINK_GREET_ROLE,   /* below sentinels: is it the master? */
    LINK_GREET_SLOT,   /* in a cluster: which slot has our key, ... */
    LINK_GREET_NODES,  /* ... and which nodes are there? */
    LINK_GREET_KEY,    /* is the key served here? */
    LINK_GREET_MASTER, /* to a sentinel: where is it? */
    LINK_GREET_PING,
    LINK_GREET_STEPS,
};

enum { LINK_GREET_ARGS_MAX = 3 };

enum link_whom {
    LINK_WHOM_REDIS,  /* as it is */
    LINK_WHOM_MASTER, /* a Redis that is no replica */
    LINK_WHOM_NODE,   /* of a cluster */
    LINK_WHOM_SENTINEL,
};

struct link_greet {
    enum link_whom whom;
    const char *user;     /* NULL: the default user */
    const char *password; /* NULL: no AUTH */
    uint32_t db;
    const char *client_name; /* NULL: none */
    const char *slot_key;    /* NULL: none */
    const char *master;      /* to a sentinel: whose address */
    char db_text[16];        /* scratch of link_greet_command */
};

/* The step's arguments (terminated texts, valid as long as `greet`), or 0 if it is not needed. */
size_t link_greet_command(struct link_greet *greet, enum link_greet_step step,
                          const char *argv[LINK_GREET_ARGS_MAX]);

/*
 * 0: go on. LINK_GREET_ELSEWHERE: link_referral.h reads where. ERR_DOWN: not now, it may be better
 * in a while. ERR_AUTH, ERR_REFUSED, ERR_UNSUPPORTED: waiting will not mend it. `why` then says
 * what Redis said.
 */
enum { LINK_GREET_ELSEWHERE = 1 };
int link_greet_judge(enum link_greet_step step, const struct link_reply *reply, char *why,
                     size_t why_size) ERR_MUST_CHECK;

/* Of any reply: true where Redis says that this connection is of no use now (READONLY ...). */
bool link_greet_is_useless(const struct link_reply *reply);
