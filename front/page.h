/* SPDX-License-Identifier: MIT */
#pragma once
/* The files of the pages, which are part of the executable. */
#include <stdbool.h>
#include <stddef.h>

struct page {
    const char *name; /* "exhibit.js" */
    const unsigned char *text;
    const size_t *size;
    const char *tag; /* tells these contents from any other */
};

/* By the path of a request: a file's name, or what stands for one ("/" is index.html). NULL: none.
 */
const struct page *page_find(const char *path);

/* Its Content-Type. */
const char *page_type(const struct page *page);
