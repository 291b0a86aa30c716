/* SPDX-License-Identifier: MIT */
#pragma once
/* Commands as Redis reads them (RESP: a list of texts), in one run of bytes until they are sent. */
#include "err.h"

#include <stddef.h>

struct link_output {
    char *data; /* owned; NULL while capacity is 0 */
    size_t capacity;
    size_t start, end; /* what is not sent yet; both 0 when that is nothing */
};

/* Appends the whole command or, with ERR_NO_MEMORY, nothing. argv_size NULL: terminated texts. */
int link_output_add(struct link_output *output, size_t argc, const char *const *argv,
                    const size_t *argv_size) ERR_MUST_CHECK;

/* The first `size` bytes are sent. Room that a burst has taken is given back when all is sent. */
void link_output_sent(struct link_output *output, size_t size);

void link_output_release(struct link_output *output);
