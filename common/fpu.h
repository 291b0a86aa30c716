/* SPDX-License-Identifier: MIT */
#pragma once
#include "err.h"

#include <stdbool.h>

/*
 * Puts the calling thread's arithmetic into the state that the engines are exact in: round to
 * nearest, denormal numbers kept. A thread inherits this state from the one that started it, and
 * any library may have changed it (one linked with -ffast-math does so at load). 0, or
 * ERR_UNSUPPORTED when the CPU still does not compute so: then this thread must not simulate.
 */
int fpu_prepare(void) ERR_MUST_CHECK;

/* Whether the calling thread's arithmetic is in that state, found by computing. */
bool fpu_is_exact(void);
