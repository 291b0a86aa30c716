/* SPDX-License-Identifier: MIT */
/*
 * A chunk a job, several in the queue at once; the ids are drawn here, so that a job whose answer
 * stays out can be asked for again by sending it again. One that does not fit into a worker's
 * budget is sent anew with fewer seeds.
 *
 *   chunk k's job:  id = PREFIX-k-N, N counts how often its seeds were cut
 */
#include "sweep_remote.h"

#include "outcome.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_SLICE_MS 1000u /* without an answer for so long, all is asked for again */
#define SWEEP_EXPLAIN 3u     /* slices to wait in silence */

struct sweep_fleet {
    struct sweep *sweep;
    struct remote *remote;
    char prefix[33];
    struct {
        uint32_t seeds; /* how many the chunk's job asks for; 0: it has none */
        uint32_t cut;
        bool unsent; /* the queue was full */
    } sent[SWEEP_WINDOW];
    uint32_t most;   /* seeds in one job, as far as budgets have shown */
    unsigned silent; /* slices without an answer */
};

/* How many seeds the next job of a chunk asks for; 0: it lacks none. */
static uint32_t sweep_fleet_share(const struct sweep_fleet *fleet,
                                  const struct sweep_chunk *chunk) {
    uint32_t left = chunk->count - chunk->done;
    return left < fleet->most ? left : fleet->most;
}

static struct job sweep_fleet_job(const struct sweep_fleet *fleet, uint64_t index) {
    struct job job = sweep_job(fleet->sweep, index);
    uint64_t place = index % SWEEP_WINDOW;
    job.seeds.count = fleet->sent[place].seeds;
    (void)snprintf(job.id, sizeof job.id, "%s-%llu-%u", fleet->prefix, (unsigned long long)index,
                   fleet->sent[place].cut);
    memcpy(job.reply_to, remote_reply_to(fleet->remote), sizeof job.reply_to);
    return job;
}

static int sweep_fleet_take(struct sweep_fleet *fleet, struct result *result);

/* Sends the job of a chunk, or asks for it again. */
static int sweep_fleet_send(struct sweep_fleet *fleet, uint64_t index) {
    struct job job = sweep_fleet_job(fleet, index);
    struct result result;
    enum remote_sent sent;
    int code = remote_submit(fleet->remote, &job, &sent, &result);
    fleet->sent[index % SWEEP_WINDOW].unsent = code == 0 && sent == REMOTE_FULL;
    return code == 0 && sent == REMOTE_DONE ? sweep_fleet_take(fleet, &result) : code;
}

/* The chunk that a result answers; false: none that is under way. */
static bool sweep_fleet_find(const struct sweep_fleet *fleet, const char *id, uint64_t *index) {
    size_t length = strlen(fleet->prefix);
    if (strncmp(id, fleet->prefix, length) != 0 || id[length] != '-')
        return false;
    *index = strtoull(id + length + 1, NULL, 10);
    if (*index < fleet->sweep->next_write || *index >= fleet->sweep->next_begin ||
        fleet->sent[*index % SWEEP_WINDOW].seeds == 0)
        return false;
    struct job job = sweep_fleet_job(fleet, *index);
    return strcmp(job.id, id) == 0; /* not an earlier cut of it */
}

/* Uses a result, and sends what its chunk still lacks. */
static int sweep_fleet_take(struct sweep_fleet *fleet, struct result *result) {
    uint64_t index;
    int code = 0;
    fleet->silent = 0;
    if (!sweep_fleet_find(fleet, result->id, &index)) {
        result_release(result); /* came twice */
        return 0;
    }
    uint64_t place = index % SWEEP_WINDOW;
    uint32_t asked = fleet->sent[place].seeds;
    struct sweep_chunk *chunk = &fleet->sweep->chunk[place];
    fleet->sent[place].cut++;
    fleet->sent[place].seeds = 0;
    if (result->status == RESULT_OK) {
        if (sweep_add(fleet->sweep, index, result) != 0)
            code = report_infrastructure("job %s: not the rows that were asked for", result->id);
        else
            fleet->sent[place].seeds = sweep_fleet_share(fleet, chunk);
    } else if (result->fault.code == FAULT_BUDGET_EXCEEDED && asked > 1) {
        /* Some room, since the next may land on a slower or busier machine. */
        uint64_t fits = result->fault.fits * 3 / 4;
        uint32_t most = fits < 1 ? 1 : fits < asked ? (uint32_t)fits : asked / 2;
        if (most < fleet->most)
            fleet->most = most;
        fleet->sent[place].seeds = sweep_fleet_share(fleet, chunk);
    } else {
        outcome_complain(result);
        code = outcome_exit(result);
    }
    result_release(result);
    if (code == 0 && fleet->sent[place].seeds > 0)
        return sweep_fleet_send(fleet, index);
    return code;
}

/* Begins as many chunks as may be under way, and sends them as far as the queue takes them. */
static int sweep_fleet_fill(struct sweep_fleet *fleet) {
    uint64_t index;
    struct sweep_chunk *chunk;
    while ((chunk = sweep_begin(fleet->sweep, &index))) {
        fleet->sent[index % SWEEP_WINDOW].seeds = sweep_fleet_share(fleet, chunk);
        fleet->sent[index % SWEEP_WINDOW].cut = 0;
        fleet->sent[index % SWEEP_WINDOW].unsent = true;
    }
    for (index = fleet->sweep->next_write; index < fleet->sweep->next_begin; index++) {
        if (!fleet->sent[index % SWEEP_WINDOW].unsent)
            continue;
        int code = sweep_fleet_send(fleet, index);
        if (code != 0 || fleet->sent[index % SWEEP_WINDOW].unsent)
            return code;
    }
    return 0;
}

/* Nothing came for a while, perhaps because Redis has forgotten: asks for all that is under way. */
static int sweep_fleet_nudge(struct sweep_fleet *fleet) {
    for (uint64_t index = fleet->sweep->next_write; index < fleet->sweep->next_begin; index++)
        fleet->sent[index % SWEEP_WINDOW].unsent = fleet->sent[index % SWEEP_WINDOW].seeds > 0;
    fleet->silent++;
    return fleet->silent >= SWEEP_EXPLAIN ? remote_explain_wait(fleet->remote) : 0;
}

int sweep_remote(struct sweep *sweep, struct remote *remote, unsigned wait_s) {
    struct sweep_fleet fleet = {.sweep = sweep, .remote = remote, .most = UINT32_MAX};
    remote_draw_id(fleet.prefix);
    for (;;) {
        struct result result;
        bool got;
        int code = sweep_write(sweep);
        if (code != 0 || sweep_is_done(sweep))
            return code;
        code = sweep_fleet_fill(&fleet);
        if (code != 0)
            return code;
        if (wait_s > 0 && fleet.silent >= wait_s)
            return report_infrastructure("no result for %u s; --wait waits longer", wait_s);
        code = remote_next(remote, SWEEP_SLICE_MS, &got, &result);
        if (code == 0)
            code = got ? sweep_fleet_take(&fleet, &result) : sweep_fleet_nudge(&fleet);
        if (code != 0)
            return code;
    }
}
