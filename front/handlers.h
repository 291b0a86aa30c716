/* SPDX-License-Identifier: MIT */
#pragma once
/* What routes lead to; one file a noun. */
#include <stdbool.h>

struct request;
typedef void handle_fn(struct request *request);

/* handle_page.c */
handle_fn handle_health, handle_page;
bool handle_page_is(const struct request *request); /* whether its path is a page */
