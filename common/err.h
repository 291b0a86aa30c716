/* SPDX-License-Identifier: MIT */
#pragma once
/* What can go wrong around the simulations: one negative code each, with its text. */

#define ERR_CODES(X)                                                                               \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(INVALID, "invalid argument")                                                                 \
    X(SYSTEM, "a system call failed")                                                              \
    X(DOWN, "no connection to Redis")                                                              \
    X(TIMEOUT, "Redis did not answer in time")                                                     \
    X(AUTH, "Redis refused the user or the password")                                              \
    X(PROTOCOL, "an answer that the protocol does not allow")                                      \
    X(REFUSED, "Redis answered with an error")                                                     \
    X(UNSUPPORTED, "not supported by this build or this Redis")

/* ERR_NO_MEMORY is -1, and so on down. 0 is success everywhere. */
enum err {
    ERR_NONE = 0,
#define ERR_CODE(code, text) ERR_POSITION_##code,
    ERR_CODES(ERR_CODE)
#undef ERR_CODE
#define ERR_CODE(code, text) ERR_##code = -ERR_POSITION_##code,
        ERR_CODES(ERR_CODE)
#undef ERR_CODE
};

#define ERR_MUST_CHECK __attribute__((warn_unused_result))

/* The text of a code; "unknown error" for any other number. Never NULL. */
const char *err_text(int code);
