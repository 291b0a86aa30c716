/* SPDX-License-Identifier: MIT */
/* The chunks of a sweep, and the file that comes out: what is the same wherever the runs are made.
 */
#include "sweep.h"

#include "clock.h"
#include "mem.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep_chunk *sweep_begin(struct sweep *sweep, uint64_t *index) {
    if (sweep->next_begin == sweep->chunks || sweep->next_begin - sweep->next_write >= SWEEP_WINDOW)
        return NULL;
    *index = sweep->next_begin++;
    struct sweep_chunk *chunk = &sweep->chunk[*index % SWEEP_WINDOW];
    uint64_t left = sweep->count - *index * sweep->chunk_size;
    chunk->count = left < sweep->chunk_size ? (uint32_t)left : sweep->chunk_size;
    chunk->done = 0;
    chunk->row = mem_zero(chunk->count, sizeof *chunk->row);
    if (!chunk->row)
        exit(report_infrastructure("out of memory"));
    return chunk;
}

struct job sweep_job(const struct sweep *sweep, uint64_t index) {
    const struct sweep_chunk *chunk = &sweep->chunk[index % SWEEP_WINDOW];
    struct job job = sweep->job;
    job.seeds.first = sweep->first + (uint32_t)(index * sweep->chunk_size) + chunk->done;
    job.seeds.count = chunk->count - chunk->done;
    return job;
}

int sweep_add(struct sweep *sweep, uint64_t index, const struct result *result) {
    struct sweep_chunk *chunk = &sweep->chunk[index % SWEEP_WINDOW];
    uint32_t seed = sweep->first + (uint32_t)(index * sweep->chunk_size) + chunk->done;
    if (result->row_count == 0 || result->row_count > chunk->count - chunk->done)
        return -1;
    for (size_t i = 0; i < result->row_count; i++, seed++) {
        if (result->row[i].seed != seed)
            return -1;
        chunk->row[chunk->done++] = result->row[i];
    }
    return 0;
}

static void sweep_write_number(FILE *out, double value) {
    char text[32];
    if (!isfinite(value))
        return; /* an empty field: the specification's null */
    text_from_double(value, text);
    (void)fputs(text, out);
}

static void sweep_write_header(const struct sweep *sweep) {
    (void)fputs("seed", sweep->out);
    for (size_t i = 0; i < sweep->job.model->param_count; i++)
        (void)fprintf(sweep->out, ",%s", sweep->job.model->param[i].name);
    (void)fputs(",ticks,polarization,cluster_count,mean_neighbor_distance,state_hash\n",
                sweep->out);
}

static void sweep_write_row(const struct sweep *sweep, const struct result_sweep_row *row) {
    FILE *out = sweep->out;
    (void)fprintf(out, "%u", row->seed);
    for (size_t i = 0; i < sweep->job.model->param_count; i++) {
        (void)putc(',', out);
        sweep_write_number(out, sweep->job.params.value[i]);
    }
    (void)fprintf(out, ",%u,", sweep->job.ticks);
    sweep_write_number(out, row->metrics.polarization);
    (void)fprintf(out, ",%u,", row->metrics.cluster_count);
    sweep_write_number(out, row->metrics.mean_neighbor_distance);
    (void)fprintf(out, ",%016llx\n", (unsigned long long)row->state_hash);
}

/* One line on a terminal, written over and over. */
static void sweep_progress(const struct sweep *sweep) {
    if (!isatty(STDERR_FILENO) || sweep->out == stdout)
        return;
    uint64_t done = sweep->next_write * sweep->chunk_size;
    if (done > sweep->count)
        done = sweep->count;
    double seconds = (double)(clock_now_ns() - sweep->start_ns) * 1e-9;
    double rate = (double)done / seconds;
    (void)fprintf(stderr, "\r%llu of %llu seeds, %.0f/s, %.0f s left \033[K",
                  (unsigned long long)done, (unsigned long long)sweep->count, rate,
                  (double)(sweep->count - done) / rate);
    if (done == sweep->count)
        (void)fputs("\r\033[K", stderr);
}

int sweep_write(struct sweep *sweep) {
    bool wrote = false;
    if (!sweep->is_headed) {
        sweep_write_header(sweep);
        sweep->is_headed = true;
    }
    while (sweep->next_write < sweep->next_begin) {
        struct sweep_chunk *chunk = &sweep->chunk[sweep->next_write % SWEEP_WINDOW];
        if (chunk->done < chunk->count)
            break;
        for (uint32_t i = 0; i < chunk->count; i++)
            sweep_write_row(sweep, &chunk->row[i]);
        free(chunk->row);
        chunk->row = NULL;
        sweep->next_write++;
        wrote = true;
    }
    if (!wrote)
        return 0;
    if (fflush(sweep->out) != 0 || ferror(sweep->out))
        return report_infrastructure("cannot write %s: %s", sweep->out_name, strerror(errno));
    sweep_progress(sweep);
    return 0;
}

bool sweep_is_done(const struct sweep *sweep) {
    return sweep->next_write == sweep->chunks;
}
