/* SPDX-License-Identifier: MIT */
/* What is not as expected is left out or null: others may write to these keys too. Any thread. */
#include "shape_queue.h"

#include "about.h"
#include "shape.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static int64_t shape_now_ms(const struct link_reply *status) {
    return link_reply_integer(queue_read_status(status, "server_ms"), 0);
}

static uint64_t shape_since(int64_t now_ms, int64_t then_ms) {
    return now_ms > then_ms ? (uint64_t)(now_ms - then_ms) : 0;
}

/* Whole numbers as such, anything else as text. */
static void shape_value(struct jot *jot, const char *key, const struct link_reply *reply) {
    size_t size;
    const char *text = link_reply_text(reply, &size);
    int64_t number = link_reply_integer(reply, -1);
    if (number >= 0)
        jot_whole(jot, key, (uint64_t)number);
    else if (text)
        jot_bytes(jot, key, text, size);
    else
        jot_null(jot, key);
}

/* A list of names and values. */
static void shape_pairs(struct jot *jot, const char *key, const struct link_reply *reply) {
    jot_open_map(jot, key);
    for (size_t i = 0; i + 1 < link_reply_count(reply); i += 2) {
        size_t size;
        const char *name = link_reply_text(link_reply_item(reply, i), &size);
        if (name && strlen(name) == size && text_utf8_count(name, size) >= 0)
            shape_value(jot, name, link_reply_item(reply, i + 1)); /* else it is somebody else's */
    }
    jot_close_map(jot);
}

static void shape_about_worker(struct jot *jot, const struct link_reply *reply) {
    struct about_worker about;
    size_t size;
    const char *bytes = link_reply_text(reply, &size);
    if (!bytes || about_decode_worker(bytes, size, &about) != 0)
        return;
    jot_text(jot, "host", about.host);
    jot_whole(jot, "pid", about.pid);
    jot_text(jot, "version", about.version);
    jot_text(jot, "isa", about.isa);
    jot_text(jot, "state", about.state);
    jot_whole(jot, "slots", about.slots);
    jot_whole(jot, "running", about.running);
    jot_whole(jot, "waiting", about.waiting);
    jot_whole(jot, "done", about.done);
    jot_whole(jot, "started_ms", about.started_ms);
    jot_whole(jot, "rss_bytes", about.rss_bytes);
}

/* Triples: name, time of the last beat, what it says of itself (nil: silent for too long). */
void shape_workers(struct jot *jot, const char *key, const struct link_reply *status) {
    const struct link_reply *list = queue_read_status(status, "workers");
    jot_open_list(jot, key);
    for (size_t i = 0; i + 2 < link_reply_count(list); i += 3) {
        const struct link_reply *about = link_reply_item(list, i + 2);
        int64_t beat_ms = link_reply_integer(link_reply_item(list, i + 1), 0);
        jot_open_map(jot, NULL);
        shape_value(jot, "name", link_reply_item(list, i));
        jot_bool(jot, "alive", link_reply_type(about) == LINK_TEXT);
        jot_whole(jot, "beat_ms_ago", shape_since(shape_now_ms(status), beat_ms));
        shape_about_worker(jot, about);
        jot_close_map(jot);
    }
    jot_close_list(jot);
}

unsigned shape_alive(const struct link_reply *status) {
    const struct link_reply *list = queue_read_status(status, "workers");
    unsigned alive = 0;
    for (size_t i = 0; i + 2 < link_reply_count(list); i += 3)
        alive += link_reply_type(link_reply_item(list, i + 2)) == LINK_TEXT;
    return alive;
}

/* Pairs: ref, what its worker says of the job. */
void shape_running(struct jot *jot, const char *key, const struct link_reply *status) {
    const struct link_reply *list = queue_read_status(status, "running");
    jot_open_list(jot, key);
    for (size_t i = 0; i + 1 < link_reply_count(list); i += 2) {
        struct about_job about;
        size_t size;
        const char *ref = link_reply_text(link_reply_item(list, i), &size);
        const char *bytes = link_reply_text(link_reply_item(list, i + 1), &size);
        jot_open_map(jot, NULL);
        shape_value(jot, "ref", link_reply_item(list, i));
        if (bytes && about_decode_job(bytes, size, &about) == 0) {
            jot_text(jot, "id", about.id);
            jot_text(jot, "kind", about.kind);
            jot_text(jot, "lane", ref && *ref == 'b' ? "batch" : "interactive");
            jot_text(jot, "worker", about.worker);
            jot_whole(jot, "attempt", about.attempt);
            jot_whole(jot, "done", about.done);
            jot_whole(jot, "total", about.total);
            jot_whole(jot, "started_ms_ago",
                      shape_since(shape_now_ms(status), (int64_t)about.started_ms));
        }
        jot_close_map(jot);
    }
    jot_close_list(jot);
}

void shape_counts(struct jot *jot, const struct link_reply *status) {
    static const char *const numbers[] = {"version", "server_ms", "dead", "traces"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        shape_value(jot, numbers[i], queue_read_status(status, numbers[i]));
    jot_bool(jot, "paused", link_reply_integer(queue_read_status(status, "paused"), 0) == 1);
}

void shape_lanes(struct jot *jot, const struct link_reply *status) {
    shape_pairs(jot, "interactive", queue_read_status(status, "interactive"));
    shape_pairs(jot, "batch", queue_read_status(status, "batch"));
}

void shape_stats(struct jot *jot, const struct link_reply *status) {
    shape_pairs(jot, "stats", queue_read_status(status, "stats"));
    shape_pairs(jot, "config", queue_read_status(status, "config"));
}

/* PROTOCOL.md, "Keys". */
static const struct {
    const char *name;
    int64_t preset;
} shape_limit_table[] = {
    {"max_jobs", 100000}, {"max_bytes", 268435456}, {"max_job_bytes", 1048576}, {"max_lost", 3},
    {"result_ttl", 3600}, {"session_ttl", 86400},   {"traces_max", 10000},      {"dead_max", 10000},
};

void shape_limits(struct jot *jot, const char *key, const struct link_reply *status) {
    const struct link_reply *config = queue_read_status(status, "config");
    jot_open_map(jot, key);
    for (size_t i = 0; i < sizeof shape_limit_table / sizeof *shape_limit_table; i++) {
        const char *name = shape_limit_table[i].name;
        int64_t preset = shape_limit_table[i].preset;
        int64_t limit = link_reply_integer(queue_read_status(config, name), preset);
        jot_whole(jot, name, (uint64_t)(limit >= 0 ? limit : preset));
    }
    jot_close_map(jot);
}

/* --- dead letters --------------------------------------------------------------------------------
 */

static void shape_letter_kind(struct jot *jot, const struct link_reply *fields) {
    struct job job;
    struct fault fault;
    size_t size;
    const char *bytes = link_reply_text(queue_read_status(fields, "job"), &size);
    if (!bytes) {
        jot_null(jot, "kind");
        return;
    }
    bool is_job = wire_decode_job(bytes, size, "", &job, &fault) == 0;
    jot_text_or_null(jot, "kind", is_job ? job_kind_name(job.kind) : "");
    job_release(&job);
}

/* An entry's id begins with the time at which it was added. */
static void shape_letter_time(struct jot *jot, const char *dead_id) {
    char when[SHAPE_TIME_MAX];
    shape_time(strtoll(dead_id, NULL, 10), when);
    jot_text(jot, "at", when);
}

static void shape_letter(struct jot *jot, const struct link_reply *entry) {
    static const char *const texts[] = {"id", "ref", "reason", "worker"};
    size_t size;
    const char *dead_id = link_reply_text(link_reply_item(entry, 0), &size);
    const struct link_reply *fields = link_reply_item(entry, 1);
    jot_open_map(jot, NULL);
    jot_text(jot, "dead_id", dead_id ? dead_id : "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = link_reply_text(queue_read_status(fields, texts[i]), &size);
        bool is_text = text && text_utf8_count(text, size) >= 0;
        jot_bytes(jot, texts[i], is_text ? text : "", is_text ? size : 0);
    }
    int64_t losses = link_reply_integer(queue_read_status(fields, "losses"), 0);
    jot_whole(jot, "losses", losses > 0 ? (uint64_t)losses : 0);
    shape_letter_kind(jot, fields);
    shape_letter_time(jot, dead_id ? dead_id : "");
    jot_close_map(jot);
}

void shape_dead(struct jot *jot, const char *key, const struct link_reply *dead) {
    jot_open_list(jot, key);
    for (size_t i = 0; i < link_reply_count(dead); i++)
        shape_letter(jot, link_reply_item(dead, i));
    jot_close_list(jot);
}
