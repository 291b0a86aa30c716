/* SPDX-License-Identifier: MIT */
#pragma once
/* The one place that words what is wrong with a value of a message: which, why, and what it was. */
#include "wire_read.h"

/*
 * Sets the fault "PATH RULE, got VALUE", e.g. "changes[3].tick must be a whole number from 0 to
 * 19999, got -1". `got` may be NULL: then without the value. index: of an element of the list under
 * `key`; -1: `key` itself.
 */
void wire_reject(const struct wire_map *map, const char *key, long index, enum fault_code code,
                 const msgpack_object *got, const char *rule, ...)
    __attribute__((format(printf, 6, 7)));
