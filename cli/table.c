/* SPDX-License-Identifier: MIT */
/* Widths count characters, not bytes, so that a note in any script keeps its neighbours in line. */
#include "table.h"

#include "mem.h"
#include "report.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_begin(struct table *table, const char *align) {
    *table = (struct table){.align = align};
}

static void table_add(struct table *table, char *text) {
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 64;
        char **cell = mem_resize(table->cell, table->capacity * sizeof *cell);
        if (!cell)
            exit(report_infrastructure("out of memory"));
        table->cell = cell;
    }
    table->cell[table->count++] = text;
}

void table_cell(struct table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    va_end(arguments);
    char *text = mem_alloc(size);
    if (!text)
        exit(report_infrastructure("out of memory"));
    va_start(arguments, format);
    (void)vsnprintf(text, size, format, arguments);
    va_end(arguments);
    text_disarm(text); /* whoever can write to Redis names workers and gives reasons */
    table_add(table, text);
}

void table_heading(struct table *table, const char *names) {
    for (size_t length; *names; names += length + (names[length] == '|')) {
        length = strcspn(names, "|");
        table_cell(table, "%.*s", (int)length, names);
    }
}

static int table_width(const char *text) {
    long count = text_utf8_count(text, strlen(text));
    return (int)(count < 0 ? (long)strlen(text) : count);
}

void table_end(struct table *table) {
    size_t columns = strlen(table->align);
    int width[TABLE_COLUMNS_MAX] = {0};
    size_t rows = table->count / columns;
    for (size_t i = 0; i < rows * columns; i++) {
        int cell = table_width(table->cell[i]);
        if (cell > width[i % columns])
            width[i % columns] = cell;
    }
    for (size_t i = 0; i < rows * columns; i++) {
        size_t column = i % columns;
        int pad = width[column] - table_width(table->cell[i]);
        bool last = column + 1 == columns;
        if (table->align[column] == 'r')
            printf("%*s%s", pad, "", table->cell[i]);
        else
            printf("%s%*s", table->cell[i], last ? 0 : pad, "");
        (void)fputs(last ? "\n" : "  ", stdout);
    }
    table_release(table);
}

void table_release(struct table *table) {
    for (size_t i = 0; i < table->count; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct table){0};
}
