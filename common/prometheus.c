/* SPDX-License-Identifier: MIT */
/* Any thread. */
#include "prometheus.h"

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void prometheus_line(struct mem_buffer *out, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size > 0)
        mem_buffer_add(out, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
}

void prometheus_head(struct mem_buffer *out, const char *name, const char *type, const char *help) {
    prometheus_line(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prometheus_gauge(struct mem_buffer *out, const char *name, const char *help, double value) {
    char number[32];
    text_from_double(value, number);
    prometheus_head(out, name, "gauge", help);
    prometheus_line(out, "%s %s\n", name, number);
}

void prometheus_counter(struct mem_buffer *out, const char *name, const char *help,
                        uint64_t value) {
    prometheus_head(out, name, "counter", help);
    prometheus_line(out, "%s %llu\n", name, (unsigned long long)value);
}

void prometheus_histogram(struct mem_buffer *out, const char *name, const char *label,
                          const double *edge, const uint64_t *bucket, int buckets, double sum) {
    const char *comma = *label ? "," : "", *open = *label ? "{" : "", *close = *label ? "}" : "";
    unsigned long long count = 0;
    char number[32];
    for (int i = 0; i < buckets; i++) {
        count += bucket[i];
        text_from_double(edge[i], number);
        prometheus_line(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, comma, number, count);
    }
    count += bucket[buckets];
    text_from_double(sum, number);
    prometheus_line(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, label, comma, count);
    prometheus_line(out, "%s_sum%s%s%s %s\n", name, open, label, close, number);
    prometheus_line(out, "%s_count%s%s%s %llu\n", name, open, label, close, count);
}

int64_t prometheus_resident(void) {
    long long size, resident;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return -1;
    int got = fscanf(file, "%lld %lld", &size, &resident);
    (void)fclose(file);
    return got == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : -1;
}

void prometheus_memory(struct mem_buffer *out) {
    int64_t bytes = prometheus_resident();
    if (bytes >= 0)
        prometheus_gauge(out, "process_resident_memory_bytes", "Resident memory.", (double)bytes);
}
