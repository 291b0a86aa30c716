/* SPDX-License-Identifier: MIT */
/* page_list.h is written by CMake: one line a file. */
#include "page.h"

#include "job.h"

#include <string.h>

#define PAGE(symbol, name)                                                                         \
    extern const unsigned char symbol##_text[];                                                    \
    extern const size_t symbol##_size;                                                             \
    extern const char symbol##_tag[];
#include "page_list.h"
#undef PAGE

#define PAGE(symbol, name) {name, symbol##_text, &symbol##_size, symbol##_tag},
static const struct page page_table[] = {
#include "page_list.h"
};
#undef PAGE

/* Paths that are not the name of their file. */
static const struct {
    const char *path, *name;
    bool below; /* behind the path stands an id */
} page_aliases[] = {
    {"/", "index.html", false},
    {"/operators", "operators.html", false},
    {"/traces/", "trace.html", true}, /* the permalink of one */
};

static const struct {
    const char *end, *type;
} page_types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".json", "application/json"},
    {".wasm", "application/wasm"},
    {".webmanifest", "application/manifest+json"},
    {"", "application/octet-stream"},
};

static const char *page_name(const char *path) {
    for (size_t i = 0; i < sizeof page_aliases / sizeof *page_aliases; i++) {
        size_t length = strlen(page_aliases[i].path);
        const char *id = path + length;
        if (page_aliases[i].below ? strncmp(path, page_aliases[i].path, length) == 0 &&
                                        job_id_is_legal(id, strlen(id))
                                  : strcmp(path, page_aliases[i].path) == 0)
            return page_aliases[i].name;
    }
    return path + 1;
}

const struct page *page_find(const char *path) {
    const char *name = page_name(path);
    for (size_t i = 0; i < sizeof page_table / sizeof *page_table; i++)
        if (strcmp(page_table[i].name, name) == 0)
            return &page_table[i];
    return NULL;
}

const char *page_type(const struct page *page) {
    size_t length = strlen(page->name), i = 0;
    for (;; i++) {
        size_t end = strlen(page_types[i].end);
        if (length >= end && strcmp(page->name + length - end, page_types[i].end) == 0)
            return page_types[i].type;
    }
}
