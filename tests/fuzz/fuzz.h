/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A target: gets bytes that a stranger made, and asserts what must hold whatever they are.
 * libFuzzer calls it with inputs that it finds (preset fuzz, run.sh), replay.c with those of the
 * corpus.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 0. `data` is exactly `size` bytes on the heap, so that a sanitizer sees a step beyond. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
