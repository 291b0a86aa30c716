/* SPDX-License-Identifier: MIT */
#pragma once
/* Prometheus's text format 0.0.4, line by line:
 * https://prometheus.io/docs/instrumenting/exposition_formats/ */
#include "mem.h"

#include <stdint.h>

void prometheus_line(struct mem_buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What stands before the lines of a name. */
void prometheus_head(struct mem_buffer *out, const char *name, const char *type, const char *help);

/* A name with one value. */
void prometheus_gauge(struct mem_buffer *out, const char *name, const char *help, double value);
void prometheus_counter(struct mem_buffer *out, const char *name, const char *help, uint64_t value);

/*
 * The lines of one histogram: `bucket` has `buckets` + 1 counts, each for itself, the last for what
 * is beyond the last edge. label: "kind=\"verify\"", or empty.
 */
void prometheus_histogram(struct mem_buffer *out, const char *name, const char *label,
                          const double *edge, const uint64_t *bucket, int buckets, double sum);

/* Resident memory of this process in bytes, -1: unknown; and as a gauge, where it is known. */
int64_t prometheus_resident(void);
void prometheus_memory(struct mem_buffer *out);
