/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What goes to standard output: JSON with numbers in full precision, and aligned text. Building
 * never fails: without memory the program says so and ends with REPORT_INFRASTRUCTURE.
 */
#include "shape.h"

#include <jansson.h>

json_t *output_object(void);
json_t *output_array(void);

/* Adds a member, taking the reference to `value`. */
void output_set(json_t *object, const char *key, json_t *value);
void output_append(json_t *array, json_t *value);

/* Adds those members of `other` that `object` does not have. */
void output_add_missing(json_t *object, json_t *other);

json_t *output_text(const char *text);
json_t *output_whole(uint64_t value);
json_t *output_number(double value); /* NaN gives null */
json_t *output_hash(uint64_t hash);

/* Milliseconds to three decimals: what is beyond is noise of the clock. */
json_t *output_ms(double ms);

/* JSON text as a tree; frees the text. */
json_t *output_parse(struct mem_buffer *text);

/* As on the wire: flock gives {birds, weights: {cohesion, alignment, separation}}. */
json_t *output_params(const struct model *model, uint32_t set, const struct sim_params *params);
json_t *output_changes(const struct model *model, const struct sim_change *change, size_t count);
json_t *output_metrics(const struct sim_metrics *metrics);
json_t *output_error(const struct fault *fault); /* FAULT_NONE gives null */
json_t *output_engine(const char *version, const char *isa);

#define OUTPUT_ALL_PARAMS SHAPE_ALL_PARAMS

/*
 * Prints a tree, indented, and drops it. A real is printed as the shortest text that reads back as
 * the same binary64, with a point or an exponent so that it stays a real to whoever reads it.
 */
void output_json(json_t *root);

/* One line of text: a label in a column, then the value. */
void output_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The metrics as such lines, rounded to 4 decimals. */
void output_metrics_lines(const struct sim_metrics *metrics);
