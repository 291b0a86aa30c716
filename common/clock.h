/* SPDX-License-Identifier: MIT */
#pragma once
#include <stdint.h>

/* Nanoseconds since an arbitrary start, never backwards (CLOCK_MONOTONIC). */
int64_t clock_now_ns(void);

/* Milliseconds since 1970, UTC: for people and logs only, never for leases or budgets. */
int64_t clock_wall_ms(void);
