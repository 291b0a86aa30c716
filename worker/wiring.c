/* SPDX-License-Identifier: MIT */
/* Parts know what they need and no more; what one has for another passes through the small
 * functions here. Everything but wiring_on_work runs on the loop. */
#include "wiring.h"

#include "clock.h"
#include "report.h"
#include "worker.h"

static void wiring_on_finished(void *context, struct held *held) {
    struct worker *worker = context;
    deliver_add(&worker->deliver, held);
}

static void wiring_on_conflict(void *context, struct held *held) {
    struct worker *worker = context;
    intake_again(&worker->intake, held);
}

static void wiring_on_lost(void *context, struct held *held) {
    struct worker *worker = context;
    intake_lose(&worker->intake, held);
}

static void wiring_on_declared(void *context, struct held *held) {
    struct worker *worker = context;
    intake_declared(&worker->intake, held);
}

static void wiring_on_slots_finished(void *context) {
    struct worker *worker = context;
    struct held_line line = {0};
    struct held *held;
    slots_take_finished(worker->slots, &line);
    while ((held = held_line_take(&line))) {
        hunt_ran(&worker->claim.hunt, held->run_ns);
        deliver_add(&worker->deliver, held);
    }
}

static void wiring_on_work(void *context, struct held *held) {
    struct worker *worker = context;
    work_run(&worker->work, held, clock_now_ns);
}

void wiring_resume(struct worker *worker) {
    deliver_resume(&worker->deliver);
    hunt_resume(&worker->claim.hunt);
}

static void wiring_on_resumed(void *context) {
    wiring_resume(context);
}

static void wiring_on_missing(void *context) {
    struct worker *worker = context;
    worker->beat.ready = false;
    provision_begin(&worker->provision);
}

static void wiring_on_over(void *context) {
    struct worker *worker = context;
    life_ready(&worker->life);
}

struct slots_options wiring_slots(struct worker *worker) {
    return (struct slots_options){.count = worker->settings->slots,
                                  .work = wiring_on_work,
                                  .finished = wiring_on_slots_finished,
                                  .context = worker};
}

static void wiring_join_jobs(struct worker *worker) {
    const struct settings *settings = worker->settings;
    const char *name = worker->work.worker;
    worker->intake = (struct intake){.queue = &worker->queue,
                                     .slots = worker->slots,
                                     .work = &worker->work,
                                     .list = &worker->list,
                                     .trouble = &worker->trouble,
                                     .finished = wiring_on_finished,
                                     .context = worker};
    worker->claim = (struct claim){.queue = &worker->queue,
                                   .reader = &worker->reader,
                                   .worker = name,
                                   .lease_ms = settings->lease_s * 1000,
                                   .list = &worker->list,
                                   .slots = worker->slots,
                                   .intake = &worker->intake,
                                   .beat = &worker->beat,
                                   .meter = &worker->meter,
                                   .trouble = &worker->trouble};
    hunt_init(&worker->claim.hunt, settings->slots, settings->prefetch, settings->lease_s,
              (uint32_t)clock_now_ns());
    worker->deliver = (struct deliver){.queue = &worker->queue,
                                       .work = &worker->work,
                                       .list = &worker->list,
                                       .meter = &worker->meter,
                                       .trouble = &worker->trouble,
                                       .conflict = wiring_on_conflict,
                                       .context = worker};
}

void wiring_join(struct worker *worker) {
    const char *name = worker->work.worker;
    worker->trouble = (struct trouble){.meter = &worker->meter,
                                       .worker = name,
                                       .missing = wiring_on_missing,
                                       .over = wiring_on_over,
                                       .context = worker,
                                       .kinds = 1u << TROUBLE_LINK};
    wiring_join_jobs(worker);
    worker->beat = (struct beat){.queue = &worker->queue,
                                 .worker = name,
                                 .list = &worker->list,
                                 .meter = &worker->meter,
                                 .trouble = &worker->trouble,
                                 .every_ms = beat_interval_ms(worker->settings->lease_s),
                                 .about = report_about,
                                 .lost = wiring_on_lost,
                                 .declared = wiring_on_declared,
                                 .resumed = wiring_on_resumed,
                                 .context = worker};
    worker->recover = (struct recover){
        .queue = &worker->queue, .worker = name, .list = &worker->list, .intake = &worker->intake};
    worker->drain = (struct drain){.queue = &worker->queue,
                                   .worker = name,
                                   .list = &worker->list,
                                   .intake = &worker->intake,
                                   .claim = &worker->claim};
}
