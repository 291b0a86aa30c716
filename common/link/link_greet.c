/* SPDX-License-Identifier: MIT */
/*
 * All steps are sent at once and answered in order; the first bad answer decides. What an error
 * means depends on its code, and where the code says nothing, on the step: a name that Redis does
 * not take is no reason to stay away, a refused password is.
 *
 * INFO tells the version but also answers while Redis loads its data; PING does not, so it stands
 * last. Users whose rights include neither are let through: the commands they need will tell.
 *
 * Whether a node of a cluster serves our key is not computed from what it says of slots. It is
 * asked for the key, and says MOVED or not. What other nodes there are is learnt for the day when
 * this one is gone. A sentinel may be behind the times, so who it calls the master is asked for its
 * role.
 */
#include "link_greet.h"

#include "link_referral.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_REDIS_LEAST = 7 };

static size_t link_greet_auth(const struct link_greet *greet, const char **argv) {
    size_t argc = 0;
    if (!greet->password)
        return 0;
    argv[argc++] = "AUTH";
    if (greet->user)
        argv[argc++] = greet->user;
    argv[argc++] = greet->password;
    return argc;
}

/* The words up to a NULL, or none of them. */
static size_t link_greet_say(const char **argv, bool is_needed, const char *const *words) {
    size_t argc = 0;
    while (is_needed && argc < LINK_GREET_ARGS_MAX && words[argc]) {
        argv[argc] = words[argc];
        argc++;
    }
    return argc;
}

size_t link_greet_command(struct link_greet *greet, enum link_greet_step step,
                          const char *argv[LINK_GREET_ARGS_MAX]) {
    bool is_sentinel = greet->whom == LINK_WHOM_SENTINEL;
    bool is_node = greet->whom == LINK_WHOM_NODE && greet->slot_key;
#define LINK_GREET_SAY(is_needed, ...)                                                             \
    return link_greet_say(argv, is_needed, (const char *const[]){__VA_ARGS__, NULL})
    switch (step) {
    case LINK_GREET_AUTH:
        return link_greet_auth(greet, argv);
    case LINK_GREET_SELECT:
        (void)snprintf(greet->db_text, sizeof greet->db_text, "%lu", (unsigned long)greet->db);
        LINK_GREET_SAY(greet->db != 0, "SELECT", greet->db_text);
    case LINK_GREET_NAME:
        LINK_GREET_SAY(greet->client_name, "CLIENT", "SETNAME", greet->client_name);
    case LINK_GREET_INFO:
        LINK_GREET_SAY(!is_sentinel, "INFO", "server");
    case LINK_GREET_ROLE:
        LINK_GREET_SAY(greet->whom == LINK_WHOM_MASTER, "INFO", "replication");
    case LINK_GREET_SLOT:
        LINK_GREET_SAY(is_node, "CLUSTER", "KEYSLOT", greet->slot_key);
    case LINK_GREET_NODES:
        LINK_GREET_SAY(is_node, "CLUSTER", "SLOTS");
    case LINK_GREET_KEY:
        LINK_GREET_SAY(greet->slot_key, "EXISTS", greet->slot_key);
    case LINK_GREET_MASTER:
        LINK_GREET_SAY(is_sentinel, "SENTINEL", "get-master-addr-by-name", greet->master);
    case LINK_GREET_PING:
        LINK_GREET_SAY(!is_sentinel, "PING");
    case LINK_GREET_STEPS:
        break;
    }
#undef LINK_GREET_SAY
    return 0;
}

/* What an error means at any step; and by itself later, when the connection is up. */
static const struct link_greet_error {
    const char *code;
    int verdict;
    bool useless;
} link_greet_errors[] = {
    {"LOADING", ERR_DOWN, true},     /* reading its data from disk */
    {"MASTERDOWN", ERR_DOWN, true},  /* a replica that lost its master and serves nothing */
    {"READONLY", ERR_DOWN, true},    /* a master that became a replica */
    {"CLUSTERDOWN", ERR_DOWN, true}, /* a node that has lost the others, or nobody has our slot */
    {"BUSY", ERR_DOWN, false},       /* in a script that runs for too long */
    {"NOAUTH", ERR_AUTH, false},     {"WRONGPASS", ERR_AUTH, false},
    {"DENIED", ERR_REFUSED, false}, /* protected mode */
};

/* What any other error means at this step. */
static const int link_greet_otherwise[LINK_GREET_STEPS] = {
    [LINK_GREET_AUTH] = ERR_AUTH,
    [LINK_GREET_SELECT] = ERR_REFUSED,
    [LINK_GREET_MASTER] = ERR_REFUSED,
};

static const struct link_greet_error *link_greet_find(const struct link_reply *reply) {
    const size_t count = sizeof link_greet_errors / sizeof link_greet_errors[0];
    for (size_t i = 0; i < count; i++)
        if (link_reply_is_error(reply, link_greet_errors[i].code))
            return &link_greet_errors[i];
    return NULL;
}

bool link_greet_is_useless(const struct link_reply *reply) {
    if (link_reply_type(reply) != LINK_ERROR)
        return false;
    const struct link_greet_error *error = link_greet_find(reply);
    return error && error->useless;
}

static int link_greet_judge_error(enum link_greet_step step, const struct link_reply *reply,
                                  char *why, size_t why_size) {
    static const char full[] = "ERR max number of clients reached";
    size_t size;
    const char *text = link_reply_text(reply, &size);
    const struct link_greet_error *error = link_greet_find(reply);
    int verdict = error ? error->verdict : link_greet_otherwise[step];
    if (strcmp(text, full) == 0)
        verdict = ERR_DOWN; /* said in place of the first answer, whatever was asked */
    text_printable(text, size, why, why_size);
    return verdict;
}

/* A forwarder may leave the version out; then the functions' own version check has to do. */
static int link_greet_judge_version(const struct link_reply *reply, char *why, size_t why_size) {
    static const char key[] = "redis_version:";
    const char *text = link_reply_text(reply, NULL);
    const char *version = text ? strstr(text, key) : NULL;
    if (!version)
        return 0;
    version += sizeof key - 1;
    char *end;
    unsigned long major = strtoul(version, &end, 10);
    if (end == version || major >= LINK_REDIS_LEAST)
        return 0;
    char shown[40];
    text_printable(version, strcspn(version, "\r\n"), shown, sizeof shown);
    (void)snprintf(why, why_size, "Redis %s is too old: %d.0 or newer is needed", shown,
                   LINK_REDIS_LEAST);
    return ERR_UNSUPPORTED;
}

static int link_greet_judge_role(const struct link_reply *reply, char *why, size_t why_size) {
    const char *text = link_reply_text(reply, NULL);
    if (!text || !strstr(text, "role:slave"))
        return 0;
    (void)snprintf(why, why_size, "it is a replica and not the master");
    return ERR_DOWN;
}

int link_greet_judge(enum link_greet_step step, const struct link_reply *reply, char *why,
                     size_t why_size) {
    if (step == LINK_GREET_KEY && link_referral_is_moved(reply))
        return LINK_GREET_ELSEWHERE;
    if (link_reply_type(reply) == LINK_ERROR)
        return link_greet_judge_error(step, reply, why, why_size);
    if (step == LINK_GREET_INFO)
        return link_greet_judge_version(reply, why, why_size);
    if (step == LINK_GREET_ROLE)
        return link_greet_judge_role(reply, why, why_size);
    return step == LINK_GREET_MASTER ? LINK_GREET_ELSEWHERE : 0;
}
