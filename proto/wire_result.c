/* SPDX-License-Identifier: MIT */
/* Parts of results, both ways, side by side so that they stay each other's mirror. Any thread. */
#include "wire_result.h"

#include "wire_reject.h"

void wire_result_write_engine(struct wire_writer *writer, const char *version, const char *isa) {
    if (version[0] == '\0' && isa[0] == '\0')
        return;
    wire_write_open(writer, "engine");
    wire_write_text(writer, "version", version);
    wire_write_text(writer, "isa", isa);
    wire_write_close(writer);
}

void wire_result_read_engine(const struct wire_map *map, char version[static 32],
                             char isa[static 16]) {
    struct wire_map engine;
    if (!wire_read_map(map, "engine", WIRE_OPTIONAL, &engine))
        return;
    wire_read_label(&engine, "version", WIRE_REQUIRED, version, 32);
    wire_read_label(&engine, "isa", WIRE_REQUIRED, isa, 16);
}

void wire_result_write_checkpoints(struct wire_writer *writer, const uint64_t *hash, size_t count) {
    wire_write_list(writer, "checkpoints", (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        wire_write_hash(writer, NULL, hash[i]);
}

void wire_result_read_checkpoints(const struct wire_map *map,
                                  uint64_t hash[static RESULT_CHECKPOINTS_MAX], size_t *count) {
    struct wire_list list;
    if (!wire_read_list(map, "checkpoints", WIRE_REQUIRED, 0, RESULT_CHECKPOINTS_MAX, &list))
        return;
    *count = list.count;
    for (uint32_t i = 0; i < list.count; i++)
        wire_read_item_hash(&list, i, &hash[i]);
}

void wire_result_write_verdict(struct wire_writer *writer, enum result_verdict verdict) {
    if (verdict != VERDICT_NONE)
        wire_write_text(writer, "verdict", result_verdict_name(verdict));
}

void wire_result_read_verdict(const struct wire_map *map, enum result_verdict *verdict) {
    struct wire_text name;
    if (!wire_read_bytes(map, "verdict", WIRE_OPTIONAL, &name))
        return;
    *verdict = result_verdict_find(name.start, name.length);
    if (*verdict != RESULT_VERDICTS)
        return;
    *verdict = VERDICT_NONE;
    wire_reject(map, "verdict", -1, FAULT_WRONG_TYPE, NULL, "is not known");
}
