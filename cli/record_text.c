/* SPDX-License-Identifier: MIT */
/*
 * Records as lines of text, cells apart by commas or space, in one of three forms. The first line
 * shows which: names of columns, the numbers themselves, or the headline of `verify`.
 *
 *   tick,state_hash           tick,bird,x,y,vx,vy[,state_hash]          verified: ...
 *   1000,f16c08ddad25c9d7     0,0,4082c8b...,4070d08...,c003...,3fe...    seed          42
 *   2000,...                  0,1,...                                     hash at tick 1000  f16...
 *
 * Every bird of a tick has a line, in any order; a tick is complete when all are there, and not
 * only when the next one begins, so that a difference is told while the engine at the other end of
 * a pipe still computes.
 */
#include "record_file.h"

#include "job.h"
#include "text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char *const record_text_names[RECORD_COLUMNS] = {
    "tick", "bird", "x", "y", "vx", "vy", "state_hash",
};

/* --- lines and cells -----------------------------------------------------------------------------
 */

/* The next line, without its end. *more is false behind the last. */
static int record_text_read(struct record_file *file, bool *more) {
    size_t length = 0;
    int c;
    while ((c = getc(file->stream)) != EOF && c != '\n') {
        if (length == RECORD_LINE_MAX - 1)
            return record_file_refuse(file, file->line, "a line has at most %u bytes",
                                      RECORD_LINE_MAX - 1);
        if (iscntrl(c) && c != '\t' && c != '\r')
            return record_file_refuse(file, file->line, "this is no text: it holds a byte \\x%02x",
                                      (unsigned)c);
        file->text.line[length++] = (char)c;
    }
    file->text.line[length] = '\0';
    *more = c != EOF || length > 0;
    return 0;
}

static bool record_text_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a line apart in place. A comma ends a cell, so two of them have an empty one between. */
static int record_text_split(struct record_file *file, char *at) {
    file->text.cells = 0;
    for (;;) {
        while (record_text_is_space(*at))
            at++;
        if (*at == '\0')
            return 0;
        if (file->text.cells == RECORD_CELLS_MAX)
            return record_file_refuse(file, file->line, "a line has at most %u columns",
                                      RECORD_CELLS_MAX);
        file->text.cell[file->text.cells++] = at;
        char *end = at + strcspn(at, ", \t\r");
        at = end;
        while (record_text_is_space(*at))
            at++;
        at += *at == ',';
        *end = '\0';
    }
}

/* Takes the next line apart that is neither empty nor a comment, unless one is held. */
static int record_text_row(struct record_file *file, bool *more) {
    if (file->text.is_held) {
        file->text.is_held = false;
        *more = true;
        return 0;
    }
    for (file->text.cells = 0; file->text.cells == 0;) {
        file->line += file->text.is_begun;
        file->text.is_begun = true;
        int code = record_text_read(file, more);
        if (code != 0 || !*more)
            return code;
        code = file->text.line[0] == '#' ? 0 : record_text_split(file, file->text.line);
        if (code != 0)
            return code;
    }
    return 0;
}

/* The cell of that column, which may be missing in a short line. */
static int record_text_cell(struct record_file *file, int column, const char **cell) {
    size_t place = (size_t)file->text.column[column];
    if (place >= file->text.cells)
        return record_file_refuse(file, file->line, "there is no %s: the line has %zu columns",
                                  record_text_names[column], file->text.cells);
    *cell = file->text.cell[place];
    return 0;
}

static int record_text_whole(struct record_file *file, int column, uint32_t max, uint32_t *value) {
    const char *cell = "";
    int code = record_text_cell(file, column, &cell);
    return code ? code
                : record_file_whole(file, file->line, record_text_names[column], cell, max, value);
}

/* --- hashes and states ---------------------------------------------------------------------------
 */

static int record_text_hash(struct record_file *file, struct record *record, bool *more) {
    const char *cell = "";
    uint32_t tick;
    int code = record_text_row(file, more);
    if (code != 0 || !*more)
        return code;
    record->line[0] = file->line;
    code = record_text_whole(file, RECORD_COLUMN_TICK, SIM_TICKS_MAX, &tick);
    if (code == 0)
        code = record_file_tick(file, file->line, tick, record);
    record->has_hash = true;
    if (code == 0)
        code = record_text_cell(file, RECORD_COLUMN_HASH, &cell);
    if (code == 0)
        code = record_file_hash(file, file->line, "state_hash", cell, &record->hash);
    return code;
}

/* The hash that a bird's line gives: of the whole tick, so that all of its lines give the same. */
static int record_text_same_hash(struct record_file *file, struct record *record) {
    const char *cell = "";
    uint64_t hash;
    int code = record_text_cell(file, RECORD_COLUMN_HASH, &cell);
    if (code == 0)
        code = record_file_hash(file, file->line, "state_hash", cell, &hash);
    if (code == 0 && record->has_hash && hash != record->hash)
        code =
            record_file_refuse(file, file->line,
                               "state_hash is that of all birds, so one in all lines of tick %u: "
                               "here it is %016" PRIx64 ", before it was %016" PRIx64,
                               record->tick, hash, record->hash);
    if (code != 0)
        return code;
    record->hash = hash;
    record->has_hash = true;
    return 0;
}

/* A line that was read: that bird of the record. */
static int record_text_bird(struct record_file *file, uint32_t bird, struct record *record) {
    const char *cell = "";
    int code = 0;
    if (record->line[bird] != 0)
        return record_file_refuse(file, file->line,
                                  "bird %u of tick %u stands in line %llu already", bird,
                                  record->tick, (unsigned long long)record->line[bird]);
    record->line[bird] = file->line;
    for (int f = 0; f < RECORD_FIELDS && code == 0; f++) {
        code = record_text_cell(file, RECORD_COLUMN_FIELD + f, &cell);
        if (code == 0)
            code =
                record_file_number(file, file->line, record_field[f], cell, &record->bits[f][bird]);
    }
    if (code == 0 && file->text.column[RECORD_COLUMN_HASH] >= 0)
        code = record_text_same_hash(file, record);
    return code;
}

/* `line`: the one that shows it, of the next tick or the last of all. */
static int record_text_missing(struct record_file *file, uint64_t line, const struct record *record,
                               uint32_t there) {
    uint32_t bird = 0;
    while (record->line[bird] != 0)
        bird++;
    return record_file_refuse(file, line,
                              "tick %u has %u of the %u birds of the claim: bird %u is missing",
                              record->tick, there, file->count, bird);
}

/* Whether that cell of the line is a whole number up to max, without a complaint. */
static bool record_text_peek(const struct record_file *file, int column, uint32_t max,
                             uint32_t *value) {
    size_t place = (size_t)file->text.column[column];
    uint64_t whole;
    if (place >= file->text.cells || !text_to_uint(file->text.cell[place], 0, max, &whole))
        return false;
    *value = (uint32_t)whole;
    return true;
}

/* A bird that the claim does not have: looks on to the end of the tick for how many there are. */
static int record_text_beyond(struct record_file *file, uint32_t tick, uint32_t bird) {
    const uint64_t line = file->line;
    uint32_t last = bird, next = bird, at = tick;
    bool more;
    for (uint32_t i = 0; i < SIM_AGENTS_MAX && at == tick; i++) {
        last = next > last ? next : last;
        int code = record_text_row(file, &more);
        if (code != 0)
            return code;
        if (!more || !record_text_peek(file, RECORD_COLUMN_TICK, SIM_TICKS_MAX, &at) ||
            !record_text_peek(file, RECORD_COLUMN_BIRD, SIM_AGENTS_MAX - 1, &next))
            break;
    }
    return record_file_refuse(file, line,
                              "bird takes a whole number from 0 to %u, got '%u': tick %u has birds "
                              "to %u, try --%s %u",
                              file->count - 1, bird, tick, last, file->claim->model->param[0].name,
                              last + 1);
}

/* The tick and the bird of the next line. */
static int record_text_place(struct record_file *file, uint32_t *tick, uint32_t *bird, bool *more) {
    int code = record_text_row(file, more);
    if (code != 0 || !*more)
        return code;
    code = record_text_whole(file, RECORD_COLUMN_TICK, SIM_TICKS_MAX, tick);
    if (code != 0)
        return code;
    if (record_text_peek(file, RECORD_COLUMN_BIRD, SIM_AGENTS_MAX - 1, bird) &&
        *bird >= file->count)
        return record_text_beyond(file, *tick, *bird);
    return record_text_whole(file, RECORD_COLUMN_BIRD, file->count - 1, bird);
}

static int record_text_state(struct record_file *file, struct record *record, bool *more) {
    uint32_t tick, bird;
    int code = record_text_place(file, &tick, &bird, more);
    if (code != 0 || !*more)
        return code;
    memset(record->line, 0, sizeof record->line);
    code = record_file_tick(file, file->line, tick, record);
    record->has_state = true;
    if (code == 0)
        code = record_text_bird(file, bird, record);
    for (uint32_t there = 1; there < file->count && code == 0; there++) {
        uint64_t line = file->line;
        bool is_line;
        code = record_text_place(file, &tick, &bird, &is_line);
        if (code == 0 && (!is_line || tick != record->tick))
            return record_text_missing(file, is_line ? file->line : line, record, there);
        if (code == 0)
            code = record_text_bird(file, bird, record);
    }
    return code;
}

/* --- what `susurration verify` printed -----------------------------------------------------------
 */

static const char *const record_text_headlines[] = {"simulated",
                                                    "verified:", "indicative:", "MISMATCH:"};

static bool record_text_is_headline(const struct record_file *file) {
    for (size_t i = 0; i < sizeof record_text_headlines / sizeof record_text_headlines[0]; i++)
        if (strcmp(file->text.cell[0], record_text_headlines[i]) == 0)
            return true;
    return false;
}

/* Whether the line is the label, word by word, and one value, which is then *value. */
static bool record_text_label(const struct record_file *file, const char *label,
                              const char **value) {
    for (size_t i = 0; i + 1 < file->text.cells; i++) {
        size_t length = strlen(file->text.cell[i]);
        if (strncmp(label, file->text.cell[i], length) != 0)
            return false;
        label += length;
        label += *label == ' ';
    }
    *value = file->text.cell[file->text.cells - 1];
    return *label == '\0';
}

/* A line that tells of the claim or of its last tick; others are not for us. */
static int record_text_about(struct record_file *file) {
    const char *value;
    uint32_t whole;
    int code = 0;
    const char *const about[] = {"seed", file->claim->model->param[0].name};
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++) {
        if (!record_text_label(file, about[i], &value))
            continue;
        code = record_file_whole(file, file->line, about[i], value, UINT32_MAX, &whole);
        return code ? code : record_file_about(file, file->line, about[i], whole);
    }
    if (record_text_label(file, "tick", &value)) {
        code = record_file_whole(file, file->line, "tick", value, SIM_TICKS_MAX, &file->last.tick);
    } else if (record_text_label(file, "state hash", &value)) {
        code = record_file_hash(file, file->line, "state_hash", value, &file->last.hash);
        file->last.has_hash = true;
        file->last.line = file->line;
    }
    return code;
}

static int record_text_verify(struct record_file *file, struct record *record, bool *more) {
    static const char *const label[] = {"hash", "at", "tick"};
    uint32_t tick;
    int code;
    for (;;) {
        size_t same = 0;
        code = record_text_row(file, more);
        if (code != 0 || !*more)
            break;
        while (same < 3 && same < file->text.cells && !strcmp(file->text.cell[same], label[same]))
            same++;
        if (same == 3 && file->text.cells == 5) {
            record->line[0] = file->line;
            code = record_file_whole(file, file->line, "tick", file->text.cell[3], SIM_TICKS_MAX,
                                     &tick);
            if (code == 0)
                code = record_file_tick(file, file->line, tick, record);
            record->has_hash = true;
            return code ? code
                        : record_file_hash(file, file->line, "state_hash", file->text.cell[4],
                                           &record->hash);
        }
        if (same > 0) /* "hash": a line of ours, but damaged */
            return record_file_refuse(
                file, file->line, "a hash stands as 'hash at tick TICK HEX', here are %zu words",
                file->text.cells);
        code = record_text_about(file);
        if (code != 0)
            return code;
    }
    *more = code == 0 && file->last.has_hash && !(file->has_tick && file->tick == file->last.tick);
    if (!*more)
        return code;
    file->last.has_hash = false;
    record->hash = file->last.hash;
    record->line[0] = file->last.line;
    code = record_file_tick(file, file->last.line, file->last.tick, record);
    record->has_hash = true;
    return code;
}

/* --- which of them -------------------------------------------------------------------------------
 */

static bool record_text_has(const struct record_file *file, int first, int last) {
    while (first <= last && file->text.column[first] >= 0)
        first++;
    return first > last;
}

/* Sets the columns from their names; those that we do not know are nothing to us. */
static void record_text_header(struct record_file *file) {
    for (int name = 0; name < RECORD_COLUMNS; name++) {
        file->text.column[name] = -1;
        for (size_t i = 0; i < file->text.cells; i++)
            if (strcmp(file->text.cell[i], record_text_names[name]) == 0)
                file->text.column[name] = (int)i;
    }
}

/* Sets them for lines without a header. */
static void record_text_headless(struct record_file *file) {
    bool is_hash = file->text.cells == 2;
    for (int name = 0; name < RECORD_COLUMNS; name++)
        file->text.column[name] = is_hash || file->text.cells != RECORD_COLUMN_HASH ? -1 : name;
    file->text.column[RECORD_COLUMN_HASH] = is_hash ? 1 : -1;
    if (is_hash)
        file->text.column[RECORD_COLUMN_TICK] = 0;
    file->text.is_held = true;
}

int record_text_begin(struct record_file *file) {
    bool more;
    char shown[48];
    int code = record_text_row(file, &more);
    if (code != 0 || !more)
        return code;
    if (record_text_is_headline(file)) {
        file->next = record_text_verify;
        return 0;
    }
    (isalpha((unsigned char)file->text.cell[0][0]) ? record_text_header
                                                   : record_text_headless)(file);
    if (record_text_has(file, RECORD_COLUMN_TICK, RECORD_COLUMN_HASH - 1))
        file->next = record_text_state;
    else if (record_text_has(file, RECORD_COLUMN_TICK, RECORD_COLUMN_TICK) &&
             record_text_has(file, RECORD_COLUMN_HASH, RECORD_COLUMN_HASH))
        file->next = record_text_hash;
    else {
        text_printable(file->text.cell[0], strlen(file->text.cell[0]), shown, sizeof shown);
        code = record_file_refuse(file, file->line,
                                  "the columns are tick,state_hash or tick,bird,x,y,vx,vy; "
                                  "here are %zu, the first is '%s'",
                                  file->text.cells, shown);
    }
    return code;
}

int record_text_next(struct record_file *file, struct record *record, bool *more) {
    (void)file;
    (void)record;
    *more = false; /* nothing but comments: no line has shown what they are */
    return 0;
}
