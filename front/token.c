/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "token.h"

#include "answer.h"
#include "front.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* A start that has seen random numbers goes on seeing them. */
static void token_random(void *out, size_t size) {
    ssize_t got = getrandom(out, size, 0);
    assert(got == (ssize_t)size);
    (void)got;
}

void token_draw(char out[JOB_ID_MAX + 1]) {
    unsigned char bytes[16];
    token_random(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

uint32_t token_seed(void) {
    uint32_t seed;
    token_random(&seed, sizeof seed);
    return seed;
}

/* Both padded with zeros to one length, so that no byte decides alone when it is over. */
static bool token_is(const char *given, const char *right) {
    char a[LINK_SECRET_MAX + 1] = "", b[LINK_SECRET_MAX + 1] = "";
    unsigned char differs = 0;
    (void)snprintf(a, sizeof a, "%s", given);
    (void)snprintf(b, sizeof b, "%s", right);
    for (size_t i = 0; i < sizeof a; i++)
        differs = (unsigned char)(differs | (a[i] ^ b[i]));
    return differs == 0;
}

bool token_check(struct request *request) {
    static const char bearer[] = "Bearer ";
    const char *right = request->front->token;
    const char *given = request_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    if (!*right) {
        answer_wrong(request, MHD_HTTP_FORBIDDEN, "no_token_set", NULL,
                     "this front-end was started without --operator-token-file");
        return false;
    }
    if (given && strncasecmp(given, bearer, sizeof bearer - 1) == 0 &&
        token_is(given + sizeof bearer - 1, right))
        return true;
    answer_wrong(request, MHD_HTTP_UNAUTHORIZED, "wrong_token", NULL,
                 "this needs Authorization: Bearer with the operators' token");
    return false;
}
