/* SPDX-License-Identifier: MIT */
/*
 * jansson builds and escapes, and reads what proto/json has written for all programs; the writing
 * is done here, because jansson prints every real of a document with the same number of digits:
 * with 17 of them 0.1 becomes 0.10000000000000001, with fewer some numbers lose their last bits.
 */
#include "output.h"

#include "report.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void output_no_memory(void) {
    exit(report_infrastructure("out of memory"));
}

static json_t *output_checked(json_t *value) {
    if (!value)
        output_no_memory();
    return value;
}

json_t *output_object(void) {
    return output_checked(json_object());
}

json_t *output_array(void) {
    return output_checked(json_array());
}

void output_set(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        output_no_memory();
}

void output_append(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0)
        output_no_memory();
}

/* jansson's own does not say when it has no memory. */
void output_add_missing(json_t *object, json_t *other) {
    const char *key;
    json_t *value;
    json_object_foreach(other, key, value) {
        if (!json_object_get(object, key))
            output_set(object, key, json_incref(value));
    }
}

json_t *output_text(const char *text) {
    return output_checked(json_string(text));
}

json_t *output_whole(uint64_t value) {
    return output_checked(json_integer((json_int_t)value));
}

json_t *output_number(double value) {
    return output_checked(isfinite(value) ? json_real(value) : json_null());
}

json_t *output_hash(uint64_t hash) {
    char text[17];
    text_from_hash(hash, text);
    return output_text(text);
}

json_t *output_ms(double ms) {
    return output_number((double)(int64_t)(ms * 1000 + 0.5) / 1000);
}

json_t *output_parse(struct mem_buffer *text) {
    json_t *value = text->failed
                        ? NULL
                        : json_loadb((const char *)text->data, text->size, JSON_DECODE_ANY, NULL);
    mem_buffer_release(text);
    return output_checked(value);
}

json_t *output_params(const struct model *model, uint32_t set, const struct sim_params *params) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_params(&jot, NULL, model, set, params);
    return output_parse(&text);
}

json_t *output_changes(const struct model *model, const struct sim_change *change, size_t count) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_changes(&jot, NULL, model, change, count);
    return output_parse(&text);
}

json_t *output_metrics(const struct sim_metrics *metrics) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_metrics(&jot, NULL, metrics, &shape_exact);
    return output_parse(&text);
}

json_t *output_error(const struct fault *fault) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_fault(&jot, NULL, fault);
    return output_parse(&text);
}

json_t *output_engine(const char *version, const char *isa) {
    struct mem_buffer text = {0};
    struct jot jot;
    jot_begin(&jot, &text);
    shape_engine(&jot, NULL, version, isa);
    return output_parse(&text);
}

static void output_write(const json_t *value, int depth);

static void output_write_real(double value) {
    char text[32];
    text_from_double(value, text);
    (void)fputs(text, stdout);
    if (!strpbrk(text, ".e"))
        (void)fputs(".0", stdout);
}

static void output_write_text(const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (!text)
        output_no_memory();
    (void)fputs(text, stdout);
    free(text);
}

static void output_newline(int depth) {
    printf("\n%*s", 2 * depth, "");
}

/* A list of plain values is one line; a list of maps or lists has a line for each. */
static void output_write_list(const json_t *list, int depth) {
    size_t count = json_array_size(list);
    json_t *first = json_array_get(list, 0);
    bool nested = json_is_object(first) || json_is_array(first);
    putchar('[');
    for (size_t i = 0; i < count; i++) {
        if (nested)
            output_newline(depth + 1);
        output_write(json_array_get(list, i), depth + 1);
        if (i + 1 < count)
            (void)fputs(nested ? "," : ", ", stdout);
    }
    if (nested)
        output_newline(depth);
    putchar(']');
}

static void output_write_map(const json_t *map, int depth) {
    void *at = json_object_iter((json_t *)map);
    putchar('{');
    for (bool first = true; at; at = json_object_iter_next((json_t *)map, at), first = false) {
        if (!first)
            putchar(',');
        output_newline(depth + 1);
        json_t *key = output_text(json_object_iter_key(at));
        output_write_text(key);
        json_decref(key);
        (void)fputs(": ", stdout);
        output_write(json_object_iter_value(at), depth + 1);
    }
    if (json_object_size(map) > 0)
        output_newline(depth);
    putchar('}');
}

static void output_write(const json_t *value, int depth) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        output_write_map(value, depth);
        break;
    case JSON_ARRAY:
        output_write_list(value, depth);
        break;
    case JSON_REAL:
        output_write_real(json_real_value(value));
        break;
    default:
        output_write_text(value);
    }
}

void output_json(json_t *root) {
    output_write(root, 0);
    putchar('\n');
    json_decref(root);
}

void output_line(const char *label, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("  %-22s  ", label);
    (void)vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

void output_metrics_lines(const struct sim_metrics *metrics) {
    output_line("polarization", "%.4f", metrics->polarization);
    output_line("clusters", "%u", metrics->cluster_count);
    if (isfinite(metrics->mean_neighbor_distance))
        output_line("mean neighbor distance", "%.4f", metrics->mean_neighbor_distance);
    else
        output_line("mean neighbor distance", "none");
}
