/* SPDX-License-Identifier: MIT */
/*
 * Healthy is a worker whose loop turns (it answers) and whose slots end their jobs in time; ready
 * one that would take a job now. Only reads; the loop's thread.
 */
#include "report.h"

#include "about.h"
#include "clock.h"
#include "prometheus.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A job may run for its budget; what still runs so much later has a loop that does not end. */
#define REPORT_STUCK_NS ((JOB_BUDGET_MS + INT64_C(5000)) * 1000000)

static void report_count(struct worker *worker, unsigned *running, unsigned *waiting,
                         unsigned *undelivered) {
    *running = *waiting = *undelivered = 0;
    for (const struct held *held = worker->list.first; held; held = held->after) {
        enum held_state state = held->state;
        *running += state == HELD_RUNNING;
        *waiting += state < HELD_RUNNING;
        *undelivered += state > HELD_RUNNING;
    }
}

void report_about(void *context, struct mem_buffer *out) {
    struct worker *worker = context;
    struct about_worker about = {.pid = (uint32_t)getpid(),
                                 .slots = worker->settings->slots,
                                 .done = meter_jobs(&worker->meter),
                                 .started_ms = (uint64_t)worker->started_wall_ms};
    unsigned undelivered;
    int64_t rss = prometheus_resident();
    about.rss_bytes = rss > 0 ? (uint64_t)rss : 0;
    report_count(worker, &about.running, &about.waiting, &undelivered);
    (void)snprintf(about.name, sizeof about.name, "%s", worker->work.worker);
    (void)snprintf(about.host, sizeof about.host, "%s", worker->host);
    (void)snprintf(about.version, sizeof about.version, "%s", SUSURRATION_VERSION);
    (void)snprintf(about.isa, sizeof about.isa, "%s", worker->work.engine->isa);
    (void)snprintf(about.state, sizeof about.state, "%s", life_name(worker->life.state));
    if (about_encode_worker(&about, out) != 0)
        out->failed = 1;
}

void report_metrics(void *context, struct mem_buffer *out) {
    struct worker *worker = context;
    struct meter_now now = {.worker = worker->work.worker,
                            .isa = worker->work.engine->isa,
                            .state = life_name(worker->life.state),
                            .slots = worker->settings->slots,
                            .link_up = link_is_up(worker->link),
                            .rss_bytes = prometheus_resident(),
                            .uptime_s = (double)(clock_now_ns() - worker->started_ns) / 1e9};
    report_count(worker, &now.running, &now.waiting, &now.undelivered);
    meter_write(&worker->meter, &now, out);
}

bool report_is_healthy(void *context, char *why, size_t why_size) {
    struct worker *worker = context;
    int64_t now_ns = clock_now_ns();
    for (const struct held *held = worker->list.first; held; held = held->after) {
        int64_t started_ns = atomic_load(&held->started_ns); /* 0: its slot has just taken it */
        if (held->state != HELD_RUNNING || started_ns == 0 ||
            now_ns - started_ns <= REPORT_STUCK_NS)
            continue;
        (void)snprintf(why, why_size, "job %s runs far beyond its budget", held->entry.ref);
        return false;
    }
    return true;
}

bool report_is_ready(void *context, char *why, size_t why_size) {
    struct worker *worker = context;
    if (trouble_text(&worker->trouble, why, why_size))
        return false;
    (void)snprintf(why, why_size, "%s", life_name(worker->life.state));
    return life_takes_jobs(&worker->life);
}
