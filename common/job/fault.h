/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What went wrong with a job, as its result tells it. The codes are the contract (PROTOCOL.md lists
 * this table); the message is for people and names the field, the value and the allowed range.
 */
#include <stddef.h>
#include <stdint.h>

/* code, its name on the wire, whose fault, what it means */
#define FAULT_CODES(X)                                                                             \
    X(NONE, "none", OK, "nothing is wrong")                                                        \
    X(MALFORMED, "malformed", REJECTED, "not one msgpack map, truncated, too deep, a key twice")   \
    X(UNSUPPORTED_VERSION, "unsupported_version", REJECTED, "v is not 1")                          \
    X(MISSING_FIELD, "missing_field", REJECTED, "a required field is absent")                      \
    X(WRONG_TYPE, "wrong_type", REJECTED, "a field has another type than the protocol says")       \
    X(OUT_OF_RANGE, "out_of_range", REJECTED, "a number outside its range, or not whole")          \
    X(TOO_LONG, "too_long", REJECTED, "a text or list longer than allowed")                        \
    X(BAD_TEXT, "bad_text", REJECTED, "not UTF-8, or characters that are not allowed")             \
    X(UNKNOWN_KIND, "unknown_kind", REJECTED, "no such kind of job")                               \
    X(UNKNOWN_MODEL, "unknown_model", REJECTED, "no such model")                                   \
    X(BAD_CHANGES, "bad_changes", REJECTED,                                                        \
      "changes not ascending, too late, or of what is fixed")                                      \
    X(BUDGET_EXCEEDED, "budget_exceeded", REJECTED, "not done within the time allowed")            \
    X(SESSION_NOT_FOUND, "session_not_found", REJECTED, "no such session, or it has expired")      \
    X(TICK_CONFLICT, "tick_conflict", REJECTED, "the session is not at expect_tick")               \
    X(CHANGES_FULL, "changes_full", REJECTED, "the session has its 1,000 changes already")         \
    X(EXPIRED, "expired", EXPIRED, "not started within ttl_ms")                                    \
    X(CANCELLED, "cancelled", CANCELLED, "cancelled on request")                                   \
    X(WORKER_LOST, "worker_lost", FAILED, "its worker died, as often as max_lost allows")          \
    X(BURIED, "buried", FAILED, "taken out of the queue; an operator can requeue it")              \
    X(SESSION_CONFLICT, "session_conflict", FAILED, "others kept changing the session")            \
    X(NO_MEMORY, "no_memory", FAILED, "the worker is out of memory")                               \
    X(INTERNAL, "internal", FAILED, "a defect of the worker")

enum fault_code {
#define FAULT_CODE(code, text, status, meaning) FAULT_##code,
    FAULT_CODES(FAULT_CODE)
#undef FAULT_CODE
        FAULT_CODE_COUNT
};

#define FAULT_MESSAGE_MAX 255
#define FAULT_FIELD_MAX 63
#define FAULT_ADVICE_MAX 159

struct fault {
    enum fault_code code; /* FAULT_NONE: no fault, the texts are empty */
    char message[FAULT_MESSAGE_MAX + 1];
    char
        field[FAULT_FIELD_MAX + 1]; /* "params.weights.cohesion"; empty when no field is to blame */
    char advice[FAULT_ADVICE_MAX + 1]; /* what to do instead; empty when there is none */
    uint64_t
        fits; /* budget_exceeded: the at_tick, ticks or number of seeds that would have fitted */
};

/* The code's name on the wire; and back: FAULT_CODE_COUNT when there is none of that name. */
const char *fault_code_name(enum fault_code code);
enum fault_code fault_code_find(const char *name, size_t length);

/*
 * Sets *fault from a printf format, unless it holds a fault already: the first one wins, so that a
 * decoder can go on and ask once at the end. Texts that do not fit are cut at a character's border.
 * Always returns -1.
 */
int fault_set(struct fault *fault, enum fault_code code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the advice of a fault. */
void fault_advise(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
