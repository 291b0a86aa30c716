/* SPDX-License-Identifier: MIT */
/*
 * Files for `susurration diff`: lines, CSV and JSON of a stranger. Ticks ascend, a state has all of
 * its birds, the reading ends; and what was read, written as a table of hexadecimal digits, is read
 * the same.
 */
#include "fuzz.h"

#include "command.h"
#include "job.h"
#include "record_file.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BIRDS = 10 };

/* Opened on bytes instead of a name. */
static void open_bytes(struct record_file *file, struct job *claim, const void *data, size_t size) {
    job_init(claim, JOB_VERIFY, model_at(MODEL_FLOCK));
    claim->seed = 42;
    claim->params.value[0] = BIRDS;
    *file = (struct record_file){.command = &command_diff,
                                 .name = "fuzz",
                                 .quoted = "'fuzz'",
                                 .claim = claim,
                                 .count = BIRDS,
                                 .line = 1,
                                 .stream = fmemopen((void *)(uintptr_t)data, size, "r")};
    assert(file->stream);
}

static void check_record(const struct record *record, uint64_t lines) {
    assert(record->tick <= SIM_TICKS_MAX && (record->has_state || record->has_hash));
    for (int bird = 0; bird < BIRDS && record->has_state; bird++)
        assert(record->line[bird] >= 1 && record->line[bird] <= lines);
}

static void write_state(FILE *out, const struct record *record) {
    for (int bird = 0; bird < BIRDS; bird++) {
        (void)fprintf(out, "%" PRIu32 ",%d", record->tick, bird);
        for (int f = 0; f < RECORD_FIELDS; f++)
            (void)fprintf(out, ",%016" PRIx64, record->bits[f][bird]);
        if (record->has_hash)
            (void)fprintf(out, ",%016" PRIx64, record->hash);
        (void)fputc('\n', out);
    }
}

static void check_same(const struct record *record, const struct record *again) {
    assert(again->tick == record->tick && again->has_state == record->has_state);
    assert(again->has_hash == record->has_hash);
    assert(!record->has_hash || again->hash == record->hash);
    for (int f = 0; f < RECORD_FIELDS && record->has_state; f++)
        assert(memcmp(again->bits[f], record->bits[f], BIRDS * sizeof record->bits[f][0]) == 0);
}

/* One tick as a file of its own. */
static void check_again(const struct record *record) {
    static struct record_file file;
    static struct record again;
    struct job claim;
    char *text = NULL;
    size_t size = 0;
    bool more;
    FILE *out = open_memstream(&text, &size);
    assert(out);
    (void)fprintf(out, "tick%s%s\n", record->has_state ? ",bird,x,y,vx,vy" : "",
                  record->has_hash ? ",state_hash" : "");
    if (record->has_state)
        write_state(out, record);
    else
        (void)fprintf(out, "%" PRIu32 ",%016" PRIx64 "\n", record->tick, record->hash);
    (void)fclose(out);
    open_bytes(&file, &claim, text, size);
    assert(record_file_next(&file, &again, &more) == 0 && more);
    check_same(record, &again);
    assert(record_file_next(&file, &again, &more) == 0 && !more);
    record_file_close(&file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct record_file file;
    static struct record record, first;
    struct job claim;
    uint64_t lines = 1;
    int records = 0, code;
    bool more = false;
    if (size == 0) /* fmemopen takes none */
        return 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    open_bytes(&file, &claim, data, size);
    while ((code = record_file_next(&file, &record, &more)) == 0 && more) {
        check_record(&record, lines);
        assert(records == 0 || record.tick > first.tick);
        assert(++records <= (int)SIM_TICKS_MAX + 1);
        if (records == 1)
            first = record;
    }
    assert(code == 0 || code == REPORT_USAGE || code == REPORT_INFRASTRUCTURE);
    record_file_close(&file);
    if (records > 0)
        check_again(&first);
    return 0;
}
