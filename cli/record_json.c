/* SPDX-License-Identifier: MIT */
/*
 * Records as JSON objects, one after another: what --json prints of a claim, a trace or a session,
 * and what an engine writes that prefers one object a tick.
 *
 *   {"tick": 3, "positions": [[x, y], ...], "velocities": [[vx, vy], ...]}     a state
 *   {"tick": 1000, "state_hash": "f16c08ddad25c9d7"}                           a hash; or both
 *   {"at_tick": 2500, "state_hash": "...", "checkpoints": ["...", "..."]}      those of each 1,000
 *                                                                              ticks, and the last
 * What stands in an object together is all compared. Members that are not named here are ignored. A
 * number is a JSON number or, as a string, any of the forms that it may have in text. The parser
 * gets one byte at a time, so that it takes none beyond the object, and the bytes and lines of a
 * stranger's object are counted as they come.
 */
#include "record_file.h"

#include "job.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Every number as binary64, or -0 would come as the integer 0, and 20 digits as an error. */
#define RECORD_JSON_FLAGS                                                                          \
    (JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)

static size_t record_json_byte(void *buffer, size_t size, void *context) {
    struct record_file *file = context;
    (void)size;
    int c = file->json.bytes < RECORD_JSON_MAX ? getc(file->stream) : EOF;
    if (c == EOF)
        return 0;
    file->json.bytes++;
    file->line += c == '\n';
    *(char *)buffer = (char)c;
    return 1;
}

/* Reads the next object. */
static int record_json_load(struct record_file *file, bool *more) {
    char shown[128];
    json_error_t error;
    int c;
    while ((c = getc(file->stream)) == ' ' || c == '\t' || c == '\r' || c == '\n')
        file->line += c == '\n';
    *more = c != EOF;
    if (!*more)
        return 0;
    ungetc(c, file->stream);
    file->json.line = file->line;
    file->json.bytes = file->json.next = 0;
    if (c != '{')
        return record_file_refuse(file, file->line, "one JSON object after another is expected");
    file->json.root = json_load_callback(record_json_byte, file, RECORD_JSON_FLAGS, &error);
    if (file->json.root)
        return 0;
    if (json_error_code(&error) == json_error_out_of_memory)
        return report_infrastructure("out of memory");
    if (file->json.bytes == RECORD_JSON_MAX)
        return record_file_refuse(file, file->json.line, "an object has at most %u bytes",
                                  RECORD_JSON_MAX);
    text_printable(error.text, strlen(error.text), shown, sizeof shown);
    return record_file_refuse(file, file->line, "this is no JSON: %s", shown);
}

/* A value as text for a check that takes text: "[...]" and the like for what is none. */
static const char *record_json_text(const json_t *value, char *room, size_t size) {
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_real(value))
        text_from_double(json_real_value(value), room);
    else
        (void)snprintf(room, size, "%s",
                       !value                  ? "nothing"
                       : json_is_array(value)  ? "[...]"
                       : json_is_object(value) ? "{...}"
                       : json_is_null(value)   ? "null"
                       : json_is_true(value)   ? "true"
                                               : "false");
    return room;
}

static int record_json_whole(struct record_file *file, const char *what, const json_t *value,
                             uint32_t max, uint32_t *out) {
    char room[32];
    return record_file_whole(file, file->json.line, what,
                             record_json_text(value, room, sizeof room), max, out);
}

static int record_json_hash(struct record_file *file, const char *what, const json_t *value,
                            struct record *record) {
    char room[32];
    record->has_hash = true;
    record->line[0] = file->json.line;
    return record_file_hash(file, file->json.line, what, record_json_text(value, room, sizeof room),
                            &record->hash);
}

static int record_json_number(struct record_file *file, const char *what, const json_t *value,
                              uint64_t *bits) {
    char room[32];
    if (!json_is_number(value))
        return record_file_number(file, file->json.line, what,
                                  record_json_text(value, room, sizeof room), bits);
    double number = json_number_value(value);
    memcpy(bits, &number, sizeof *bits);
    return 0;
}

/* [[a, b], ...], a pair for each bird, into two fields of the record. */
static int record_json_pairs(struct record_file *file, const char *what, const json_t *list,
                             struct record *record, int field) {
    const struct model_param *agents = &file->claim->model->param[0];
    const size_t size = json_array_size(list);
    char place[64], try[64] = "";
    if ((double)size >= agents->min && (double)size <= agents->max)
        (void)snprintf(try, sizeof try, ": try --%s %zu", agents->name, size);
    if (!json_is_array(list) || size != file->count)
        return record_file_refuse(file, file->json.line,
                                  "%s is a list of a pair for each of the %u birds of the claim, "
                                  "here are %zu%s",
                                  what, file->count, size, field == 0 ? try : "");
    for (uint32_t bird = 0; bird < file->count; bird++) {
        const json_t *pair = json_array_get(list, bird);
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            return record_file_refuse(file, file->json.line, "%s[%u] is no pair of numbers", what,
                                      bird);
        record->line[bird] = file->json.line;
        for (int i = 0; i < 2; i++) {
            (void)snprintf(place, sizeof place, "%s of bird %u", record_field[field + i], bird);
            int code = record_json_number(file, place, json_array_get(pair, (size_t)i),
                                          &record->bits[field + i][bird]);
            if (code != 0)
                return code;
        }
    }
    return 0;
}

/* That the object is about our claim, as far as it says what it is about. */
static int record_json_about(struct record_file *file) {
    const char *agents = file->claim->model->param[0].name;
    const json_t *seed = json_object_get(file->json.root, "seed");
    const json_t *birds = json_object_get(file->json.root, agents);
    if (!birds)
        birds = json_object_get(json_object_get(file->json.root, "params"), agents);
    uint32_t whole;
    int code = 0;
    if (seed) {
        code = record_json_whole(file, "seed", seed, UINT32_MAX, &whole);
        code = code ? code : record_file_about(file, file->json.line, "seed", whole);
    }
    if (birds && code == 0) {
        code = record_json_whole(file, agents, birds, SIM_AGENTS_MAX, &whole);
        code = code ? code : record_file_about(file, file->json.line, agents, whole);
    }
    return code;
}

/* That the checkpoints are a list, and none is of a tick that the object does not reach. */
static int record_json_checkpoints(struct record_file *file, uint32_t tick) {
    const json_t *list = json_object_get(file->json.root, "checkpoints");
    const uint32_t max = tick / JOB_CHECKPOINT_TICKS;
    char expected[96], room[32];
    (void)snprintf(expected, sizeof expected,
                   "a list of 0 to %u hashes, one for each %u ticks up to tick %u", max,
                   JOB_CHECKPOINT_TICKS, tick);
    if (list && !json_is_array(list))
        return record_file_refuse_value(file, file->json.line, "checkpoints", expected,
                                        record_json_text(list, room, sizeof room));
    if (json_array_size(list) > max)
        return record_file_refuse(file, file->json.line, "checkpoints takes %s, got %zu", expected,
                                  json_array_size(list));
    return 0;
}

/* One of the checkpoints, by its place among them. */
static int record_json_checkpoint(struct record_file *file, size_t place, struct record *record) {
    const json_t *list = json_object_get(file->json.root, "checkpoints");
    char name[40];
    (void)snprintf(name, sizeof name, "checkpoints[%zu]", place);
    return record_json_hash(file, name, json_array_get(list, place), record);
}

/* What the object says of its own tick, of which the last checkpoint may be too. */
static int record_json_last(struct record_file *file, bool has_twin, struct record *record) {
    const json_t *root = file->json.root, *hash = json_object_get(root, "state_hash");
    int code = 0;
    record->has_state = json_object_get(root, "positions") != NULL;
    if (record->has_state) {
        code = record_json_pairs(file, "positions", json_object_get(root, "positions"), record, 0);
        if (code == 0)
            code = record_json_pairs(file, "velocities", json_object_get(root, "velocities"),
                                     record, 2);
    }
    if (code == 0 && (hash || has_twin || !record->has_state))
        code = record_json_hash(file, "state_hash", hash, record);
    if (code != 0 || !has_twin)
        return code;
    uint64_t own = record->hash;
    code = record_json_checkpoint(file, file->json.next, record);
    if (code == 0 && record->hash != own)
        code = record_file_refuse(file, file->json.line,
                                  "state_hash and checkpoints[%zu] are both of tick %u, and differ",
                                  file->json.next, record->tick);
    return code;
}

int record_json_next(struct record_file *file, struct record *record, bool *more) {
    int code = 0;
    bool is_new = !file->json.root;
    uint32_t tick;
    *more = true;
    if (is_new)
        code = record_json_load(file, more);
    if (code != 0 || !*more)
        return code;
    const json_t *root = file->json.root, *at = json_object_get(root, "tick");
    code = record_json_whole(file, at ? "tick" : "at_tick",
                             at ? at : json_object_get(root, "at_tick"), SIM_TICKS_MAX, &tick);
    if (code == 0 && is_new)
        code = record_json_about(file);
    if (code == 0 && is_new)
        code = record_json_checkpoints(file, tick);
    if (code != 0)
        return code;
    bool is_left = file->json.next < json_array_size(json_object_get(root, "checkpoints"));
    uint32_t checkpoint = (uint32_t)(file->json.next + 1) * JOB_CHECKPOINT_TICKS;
    bool is_before = is_left && checkpoint < tick;
    code = record_file_tick(file, file->json.line, is_before ? checkpoint : tick, record);
    if (code == 0)
        code = is_before ? record_json_checkpoint(file, file->json.next++, record)
                         : record_json_last(file, is_left, record);
    if (!is_before) {
        json_decref(file->json.root);
        file->json.root = NULL;
    }
    return code;
}
