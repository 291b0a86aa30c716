/* SPDX-License-Identifier: MIT */
#pragma once
/* The parts of a result that the two directions and the trace share. */
#include "result.h"
#include "wire_read.h"
#include "wire_write.h"

/* engine {version, isa}; left out where there is none. */
void wire_result_write_engine(struct wire_writer *writer, const char *version, const char *isa);
void wire_result_read_engine(const struct wire_map *map, char version[static 32],
                             char isa[static 16]);

/* checkpoints: a list of hashes. */
void wire_result_write_checkpoints(struct wire_writer *writer, const uint64_t *hash, size_t count);
void wire_result_read_checkpoints(const struct wire_map *map,
                                  uint64_t hash[static RESULT_CHECKPOINTS_MAX], size_t *count);

/* verdict: its name; left out for VERDICT_NONE. */
void wire_result_write_verdict(struct wire_writer *writer, enum result_verdict verdict);
void wire_result_read_verdict(const struct wire_map *map, enum result_verdict *verdict);
