/* SPDX-License-Identifier: MIT */
#pragma once
/* What hiredis's parser may be talked into; private to this folder. */
#include <hiredis/hiredis.h>

enum { LINK_REPLY_ITEMS_MAX = 1 << 20 };

/*
 * Makes a reader refuse a list that announces more elements than that: it makes room for all of
 * them at once, so that a few bytes gone wrong ("*2147483647") would take 16 GiB, and no answer to
 * a command of ours comes near. `functions` must live as long as the reader.
 */
void link_reply_guard(redisReader *reader, redisReplyObjectFunctions *functions);
