/* SPDX-License-Identifier: MIT */
#pragma once
/* A password that stands in a file. */
#include "err.h"

#include <stddef.h>

enum { LINK_SECRET_MAX = 1024 }; /* bytes, without the end */

/*
 * The first line of the file, without its end, into `secret` of LINK_SECRET_MAX + 1 bytes, which is
 * left alone on an error. 0 or ERR_INVALID with `why`.
 */
int link_secret_read(const char *path, char *secret, char *why, size_t why_size) ERR_MUST_CHECK;
