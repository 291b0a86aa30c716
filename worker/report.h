/* SPDX-License-Identifier: MIT */
#pragma once
/* What a worker says of itself: to its registry, to Prometheus, to whoever asks for its health. The
 * context of all is the struct worker. */
#include "mem.h"

#include <stdbool.h>
#include <stddef.h>

void report_about(void *context, struct mem_buffer *out);
void report_metrics(void *context, struct mem_buffer *out);
bool report_is_healthy(void *context, char *why, size_t why_size);
bool report_is_ready(void *context, char *why, size_t why_size);
