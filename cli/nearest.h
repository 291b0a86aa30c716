/* SPDX-License-Identifier: MIT */
#pragma once
/* The word that was meant: of a list of names the one closest to what was typed. */
#include <stddef.h>

struct nearest {
    const char *typed;
    size_t typed_length;
    const char *best; /* NULL: nothing close enough so far */
    size_t distance;
};

/* Starts a search; `typed` is borrowed and need not be terminated. */
void nearest_begin(struct nearest *nearest, const char *typed, size_t length);

/* Offers a name; it becomes `best` when it is closer than all before and within a third of itself.
 */
void nearest_offer(struct nearest *nearest, const char *name);
