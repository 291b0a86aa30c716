/* SPDX-License-Identifier: MIT */
/*
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours,
 * each 1, over three rows of the usual table.
 */
#include "nearest.h"

#include <string.h>

#define NEAREST_MAX 40u /* longer words are not names of ours */

static size_t nearest_min(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t row[3][NEAREST_MAX + 1];
    if (a_length > NEAREST_MAX || b_length > NEAREST_MAX)
        return NEAREST_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            now[j] = nearest_min(last[j - 1] + cost, nearest_min(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = nearest_min(now[j], before[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

void nearest_begin(struct nearest *nearest, const char *typed, size_t length) {
    *nearest = (struct nearest){typed, length, NULL, 0};
}

void nearest_offer(struct nearest *nearest, const char *name) {
    size_t length = strlen(name);
    size_t distance = nearest_distance(nearest->typed, nearest->typed_length, name, length);
    size_t enough = length / 3 > 0 ? length / 3 : 1;
    if (distance > enough || (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = name;
    nearest->distance = distance;
}
