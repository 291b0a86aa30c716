/* SPDX-License-Identifier: MIT */
#pragma once
/* The rights of a worker's user, as PROTOCOL.md has them for the queue "main". */

enum { RIGHTS_MAX = 64 };

struct rights {
    char text[2048]; /* what the words point into */
    char *word[RIGHTS_MAX];
    int count;
};

void rights_read(struct rights *rights);
