/* SPDX-License-Identifier: MIT */
/* Counters and their text form, https://prometheus.io/docs/instrumenting/exposition_formats/. */
#include "meter.h"

#include "prometheus.h"

#include <stdio.h>

static const double meter_edge_s[METER_BUCKETS] = {
    0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10,
};

void meter_job(struct meter *meter, enum job_kind kind, enum result_status status, int64_t run_ns) {
    double run_s = (double)run_ns / 1e9;
    int bucket = 0;
    while (bucket < METER_BUCKETS && run_s > meter_edge_s[bucket])
        bucket++;
    meter->jobs[kind][status]++;
    meter->run[kind].bucket[bucket]++;
    meter->run[kind].sum_s += run_s;
}

uint64_t meter_jobs(const struct meter *meter) {
    uint64_t sum = 0;
    for (int kind = 0; kind <= JOB_KINDS; kind++)
        for (int status = 0; status < RESULT_STATUSES; status++)
            sum += meter->jobs[kind][status];
    return sum;
}

static const char *meter_kind(int kind) {
    return kind == JOB_KINDS ? "unknown" : job_kind_name((enum job_kind)kind);
}

static void meter_write_jobs(const struct meter *meter, struct mem_buffer *out) {
    static const char name[] = "susurration_jobs_total";
    prometheus_head(out, name, "counter", "Jobs that came to their end, by kind and status.");
    for (int kind = 0; kind <= JOB_KINDS; kind++)
        for (int status = 0; status < RESULT_STATUSES; status++)
            if (status == RESULT_OK || meter->jobs[kind][status] > 0)
                prometheus_line(out, "%s{kind=\"%s\",status=\"%s\"} %llu\n", name, meter_kind(kind),
                                result_status_name((enum result_status)status),
                                (unsigned long long)meter->jobs[kind][status]);
}

static void meter_write_runs(const struct meter *meter, struct mem_buffer *out) {
    static const char name[] = "susurration_job_run_seconds";
    prometheus_head(out, name, "histogram", "Time in a slot.");
    for (int kind = 0; kind < JOB_KINDS; kind++) {
        char label[JOB_ID_MAX + 16];
        (void)snprintf(label, sizeof label, "kind=\"%s\"", meter_kind(kind));
        prometheus_histogram(out, name, label, meter_edge_s, meter->run[kind].bucket, METER_BUCKETS,
                             meter->run[kind].sum_s);
    }
}

void meter_write(const struct meter *meter, const struct meter_now *now, struct mem_buffer *out) {
    prometheus_head(out, "susurration_worker_info", "gauge",
                    "Always 1; its labels tell who this is.");
    prometheus_line(
        out, "susurration_worker_info{worker=\"%s\",version=\"%s\",isa=\"%s\",state=\"%s\"} 1\n",
        now->worker, SUSURRATION_VERSION, now->isa, now->state);
    meter_write_jobs(meter, out);
    meter_write_runs(meter, out);
#define METER_COUNT(field, name, help) prometheus_counter(out, name, help, meter->field);
    METER_COUNTS(METER_COUNT)
#undef METER_COUNT
    prometheus_gauge(out, "susurration_slots", "Simulations that may run at once.", now->slots);
    prometheus_gauge(out, "susurration_jobs_running", "Simulations that run.", now->running);
    prometheus_gauge(out, "susurration_jobs_waiting", "Jobs claimed and not started.",
                     now->waiting);
    prometheus_gauge(out, "susurration_results_undelivered",
                     "Results that Redis has not taken yet.", now->undelivered);
    prometheus_gauge(out, "susurration_redis_up", "1 while connected to Redis.", now->link_up);
    prometheus_gauge(out, "susurration_uptime_seconds", "Since the start.", now->uptime_s);
    if (now->rss_bytes >= 0)
        prometheus_gauge(out, "process_resident_memory_bytes", "Resident memory.",
                         (double)now->rss_bytes);
}
