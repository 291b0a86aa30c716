/* SPDX-License-Identifier: MIT */
#pragma once
/* Text in columns as wide as their widest cell; the first row is the heading. */
#include <stddef.h>

#define TABLE_COLUMNS_MAX 16u

struct table {
    const char *align; /* a character a column: 'l' left, 'r' right */
    char **cell;       /* owned */
    size_t count, capacity;
};

/* `align` is borrowed for the table's life and gives the number of columns. */
void table_begin(struct table *table, const char *align);

/* The next cell; rows are filled from left to right. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The heading, names separated by one bar: "id|tick|seed". */
void table_heading(struct table *table, const char *names);

/* Prints the whole rows to standard output and releases the table; or releases it alone. */
void table_end(struct table *table);
void table_release(struct table *table);
