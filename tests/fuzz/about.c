/* SPDX-License-Identifier: MIT */
/* What a worker says of itself and of its jobs, as the command and pages read it back. */
#include "fuzz.h"

#include "about.h"
#include "text.h"

#include <string.h>

#define CHECK_TEXT(text) check_text(text, sizeof(text))

static void check_text(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    assert(length < room);
    assert(text_utf8_count(text, length) >= 0);
}

static void check_same(struct mem_buffer *once, struct mem_buffer *twice) {
    assert(once->size == twice->size && memcmp(once->data, twice->data, once->size) == 0);
    mem_buffer_release(once);
    mem_buffer_release(twice);
}

static void check_worker(const uint8_t *data, size_t size) {
    struct mem_buffer once = {0}, twice = {0};
    struct about_worker about, again;
    if (about_decode_worker(data, size, &about) != 0)
        return;
    CHECK_TEXT(about.name);
    CHECK_TEXT(about.host);
    CHECK_TEXT(about.version);
    CHECK_TEXT(about.isa);
    CHECK_TEXT(about.state);
    assert(about_encode_worker(&about, &once) == 0);
    assert(about_decode_worker(once.data, once.size, &again) == 0);
    assert(about_encode_worker(&again, &twice) == 0);
    check_same(&once, &twice);
}

static void check_job(const uint8_t *data, size_t size) {
    struct mem_buffer once = {0}, twice = {0};
    struct about_job about, again;
    if (about_decode_job(data, size, &about) != 0)
        return;
    CHECK_TEXT(about.id);
    CHECK_TEXT(about.kind);
    CHECK_TEXT(about.worker);
    assert(about_encode_job(&about, &once) == 0);
    assert(about_decode_job(once.data, once.size, &again) == 0);
    assert(about_encode_job(&again, &twice) == 0);
    check_same(&once, &twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_worker(data, size);
    check_job(data, size);
    return 0;
}
