/* SPDX-License-Identifier: MIT */
/*
 * Sent bytes are left behind `start` and only moved over when room runs out, so a slow Redis costs
 * no copying: hiredis moves all that is left after every partial write, which turns 20 MB into tens
 * of gigabytes of copying.
 */
#include "link_output.h"

#include "mem.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { LINK_OUTPUT_LEAST = 4096, LINK_OUTPUT_KEEP = 1 << 20, LINK_OUTPUT_HEAD = 24 };

static int link_output_grow(struct link_output *output, size_t needed) {
    size_t capacity = output->capacity ? output->capacity : LINK_OUTPUT_LEAST;
    while (capacity < needed)
        capacity *= 2;
    char *data = mem_resize(output->data, capacity);
    if (!data)
        return ERR_NO_MEMORY;
    output->data = data;
    output->capacity = capacity;
    return 0;
}

static int link_output_reserve(struct link_output *output, size_t more) {
    if (more <= output->capacity - output->end)
        return 0;
    size_t left = output->end - output->start;
    if (more > (size_t)-1 / 4 - left)
        return ERR_NO_MEMORY;
    /* Moving at most half of it for as much room gained: each byte moves once on average. */
    if (output->start < output->capacity / 2 || more > output->capacity - left)
        return link_output_grow(output, output->end + more);
    memmove(output->data, output->data + output->start, left);
    output->start = 0;
    output->end = left;
    return 0;
}

static size_t link_output_size(size_t argc, const char *const *argv, const size_t *argv_size) {
    size_t size = LINK_OUTPUT_HEAD;
    for (size_t i = 0; i < argc; i++)
        size += LINK_OUTPUT_HEAD + (argv_size ? argv_size[i] : strlen(argv[i])) + 2;
    return size;
}

/* "*3\r\n" or "$5\r\n". */
static char *link_output_head(char *at, char mark, size_t number) {
    *at++ = mark;
    at += text_from_uint(number, at);
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

int link_output_add(struct link_output *output, size_t argc, const char *const *argv,
                    const size_t *argv_size) {
    if (link_output_reserve(output, link_output_size(argc, argv, argv_size)) < 0)
        return ERR_NO_MEMORY;
    char *at = link_output_head(output->data + output->end, '*', argc);
    for (size_t i = 0; i < argc; i++) {
        size_t size = argv_size ? argv_size[i] : strlen(argv[i]);
        at = link_output_head(at, '$', size);
        memcpy(at, argv[i], size);
        at += size;
        *at++ = '\r';
        *at++ = '\n';
    }
    output->end = (size_t)(at - output->data);
    return 0;
}

void link_output_sent(struct link_output *output, size_t size) {
    output->start += size;
    if (output->start < output->end)
        return;
    if (output->capacity > LINK_OUTPUT_KEEP)
        link_output_release(output);
    output->start = output->end = 0;
}

void link_output_release(struct link_output *output) {
    free(output->data);
    *output = (struct link_output){.data = NULL};
}
