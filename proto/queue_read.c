/* SPDX-License-Identifier: MIT */
/* What answers and errors mean. Redis's error codes are listed nowhere in one place; these are
 * those that its sources raise for a command that is well-formed. */
#include "queue_read.h"

#include <string.h>

static const struct {
    const char *code; /* first word of the error */
    enum queue_answer answer;
} queue_errors[] = {
    {"NOGROUP", QUEUE_ANSWER_NO_GROUP},  {"QUEUEFULL", QUEUE_ANSWER_FULL},
    {"JOBTOOBIG", QUEUE_ANSWER_TOO_BIG}, {"NOPERM", QUEUE_ANSWER_DENIED},
    {"NOAUTH", QUEUE_ANSWER_DENIED},     {"LOADING", QUEUE_ANSWER_LATER},
    {"BUSY", QUEUE_ANSWER_LATER},        {"READONLY", QUEUE_ANSWER_LATER},
    {"MASTERDOWN", QUEUE_ANSWER_LATER},  {"NOREPLICAS", QUEUE_ANSWER_LATER},
    {"MISCONF", QUEUE_ANSWER_LATER},     {"OOM", QUEUE_ANSWER_LATER},
    {"CLUSTERDOWN", QUEUE_ANSWER_LATER}, {"TRYAGAIN", QUEUE_ANSWER_LATER},
    {"UNBLOCKED", QUEUE_ANSWER_LATER},   {"MOVED", QUEUE_ANSWER_LATER},
    {"ASK", QUEUE_ANSWER_LATER},
};

/* Errors that have no code of their own: how they begin. */
static const struct {
    const char *text;
    enum queue_answer answer;
} queue_texts[] = {
    {"ERR Function not found", QUEUE_ANSWER_NO_FUNCTIONS},
    /* Redis 7.0 of a command inside a function; later ones say NOPERM */
    {"ERR The user executing the script can't ", QUEUE_ANSWER_DENIED},
};

/* A script's error comes with the place where it was raised behind it, but begins with the code. */
enum queue_answer queue_answer(const struct link_reply *reply) {
    if (!reply)
        return QUEUE_ANSWER_DOWN;
    if (link_reply_type(reply) != LINK_ERROR)
        return QUEUE_ANSWER_OK;
    for (size_t i = 0; i < sizeof queue_errors / sizeof *queue_errors; i++)
        if (link_reply_is_error(reply, queue_errors[i].code))
            return queue_errors[i].answer;
    const char *text = link_reply_text(reply, NULL);
    for (size_t i = 0; i < sizeof queue_texts / sizeof *queue_texts; i++)
        if (strncmp(text, queue_texts[i].text, strlen(queue_texts[i].text)) == 0)
            return queue_texts[i].answer;
    return QUEUE_ANSWER_WRONG;
}

const char *queue_answer_text(const struct link_reply *reply) {
    size_t size;
    if (!reply)
        return "no answer";
    return link_reply_type(reply) == LINK_ERROR ? link_reply_text(reply, &size) : "ok";
}

int queue_read_answer(const struct link_reply *reply) {
    if (!reply)
        return ERR_DOWN;
    return link_reply_type(reply) == LINK_ERROR ? ERR_REFUSED : 0;
}

int queue_read_list(const struct link_reply *reply, size_t least) {
    int code = queue_read_answer(reply);
    if (code != 0)
        return code;
    if (link_reply_type(reply) != LINK_LIST || link_reply_count(reply) < least)
        return ERR_PROTOCOL;
    return 0;
}

int queue_read_word(const struct link_reply *reply, const struct link_reply *word,
                    const char *const *names, int count, int *found) {
    int code = queue_read_answer(reply);
    size_t size;
    const char *text = link_reply_text(word, &size);
    if (code != 0 || !text)
        return code != 0 ? code : ERR_PROTOCOL;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], text) == 0) {
            *found = i;
            return 0;
        }
    return ERR_PROTOCOL;
}

static const char *const queue_state_names[QUEUE_STATES] = {
    [QUEUE_STATE_QUEUED] = "queued",   [QUEUE_STATE_WAITING] = "waiting",
    [QUEUE_STATE_RUNNING] = "running", [QUEUE_STATE_DONE] = "done",
    [QUEUE_STATE_UNKNOWN] = "unknown",
};

const char *queue_state_name(enum queue_state state) {
    return queue_state_names[state];
}

int queue_read_place(const struct link_reply *reply, size_t at, struct queue_place *place) {
    int code = queue_read_list(reply, at + 2);
    if (code != 0)
        return code;
    int state;
    size_t size;
    const char *ref = link_reply_text(link_reply_item(reply, at + 1), &size);
    if (queue_read_word(reply, link_reply_item(reply, at), queue_state_names, QUEUE_STATES,
                        &state) != 0 ||
        !ref || size > QUEUE_REF_MAX)
        return ERR_PROTOCOL;
    place->state = (enum queue_state)state;
    memcpy(place->ref, ref, size);
    place->ref[size] = '\0';
    return 0;
}
