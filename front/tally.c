/* SPDX-License-Identifier: MIT */
/* https://prometheus.io/docs/instrumenting/exposition_formats/. On the loop. */
#include "tally.h"

#include "clock.h"
#include "front.h"
#include "prometheus.h"
#include "route.h"

static const double tally_edge_s[TALLY_BUCKETS] = {
    0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15,
};

static size_t tally_index(const struct route *route) {
    size_t index = 0;
    for (const struct route *at; (at = route_at(index)) && at != route;)
        index++;
    return index < TALLY_ROUTES ? index : TALLY_ROUTES - 1;
}

void tally_add(struct tally *tally, const struct route *route, unsigned status, int64_t ns) {
    double s = (double)ns / 1e9;
    int bucket = 0;
    while (bucket < TALLY_BUCKETS && s > tally_edge_s[bucket])
        bucket++;
    tally->count[tally_index(route)][status / 100 % TALLY_CLASSES]++;
    tally->bucket[bucket]++;
    tally->sum_s += s;
}

static void tally_write_requests(const struct tally *tally, struct mem_buffer *out) {
    static const char name[] = "susurration_front_requests_total";
    prometheus_head(out, name, "counter", "Requests, by route and class of status (0: cut).");
    for (size_t i = 0; i < TALLY_ROUTES; i++) {
        const struct route *route = route_at(i);
        for (int class = 0; class < TALLY_CLASSES; class ++)
            if (tally->count[i][class] > 0)
                prometheus_line(out, "%s{method=\"%s\",route=\"%s\",status=\"%dxx\"} %llu\n", name,
                                route ? route->method : "", route ? route->path : "none", class,
                                (unsigned long long)tally->count[i][class]);
    }
}

void tally_write(const struct tally *tally, struct front *front, struct mem_buffer *out) {
    unsigned requests = 0;
    for (const struct request *request = front->first; request; request = request->after)
        requests++;
    prometheus_head(out, "susurration_front_info", "gauge",
                    "Always 1; its labels tell who this is.");
    prometheus_line(out, "susurration_front_info{front=\"%s\",version=\"%s\",queue=\"%s\"} 1\n",
                    front->name, SUSURRATION_VERSION, front->settings->queue);
    tally_write_requests(tally, out);
    prometheus_head(out, "susurration_front_request_seconds", "histogram",
                    "From a request's head to the end of its answer.");
    prometheus_histogram(out, "susurration_front_request_seconds", "", tally_edge_s, tally->bucket,
                         TALLY_BUCKETS, tally->sum_s);
    prometheus_counter(out, "susurration_front_jobs_total", "Jobs sent to the queue.",
                       front->errands.sent);
    prometheus_counter(out, "susurration_front_jobs_late_total",
                       "Jobs that were not done while their request waited.",
                       front->errands.timed_out);
    prometheus_gauge(out, "susurration_front_requests", "Requests under way.", requests);
    prometheus_gauge(out, "susurration_front_redis_up", "1 while connected to Redis.",
                     link_is_up(front->link));
    prometheus_gauge(out, "susurration_front_workers_alive", "Workers, when last looked.",
                     front->sample.alive);
    prometheus_gauge(out, "susurration_front_uptime_seconds", "Since the start.",
                     (double)(clock_now_ns() - front->started_ns) / 1e9);
    prometheus_memory(out);
}
