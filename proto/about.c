/* SPDX-License-Identifier: MIT */
/* Two small maps. Any thread. */
#include "about.h"

#include "wire_read.h"
#include "wire_write.h"

int about_encode_worker(const struct about_worker *about, struct mem_buffer *out) {
    struct wire_writer writer;
    wire_write_begin(&writer, out);
    wire_write_text(&writer, "name", about->name);
    wire_write_text(&writer, "host", about->host);
    wire_write_uint(&writer, "pid", about->pid);
    wire_write_text(&writer, "version", about->version);
    wire_write_text(&writer, "isa", about->isa);
    wire_write_text(&writer, "state", about->state);
    wire_write_uint(&writer, "slots", about->slots);
    wire_write_uint(&writer, "running", about->running);
    wire_write_uint(&writer, "waiting", about->waiting);
    wire_write_uint(&writer, "done", about->done);
    wire_write_uint(&writer, "started_ms", about->started_ms);
    wire_write_uint(&writer, "rss_bytes", about->rss_bytes);
    return wire_write_end(&writer);
}

int about_encode_job(const struct about_job *about, struct mem_buffer *out) {
    struct wire_writer writer;
    wire_write_begin(&writer, out);
    wire_write_text(&writer, "id", about->id);
    wire_write_text(&writer, "kind", about->kind);
    wire_write_text(&writer, "worker", about->worker);
    wire_write_uint(&writer, "attempt", about->attempt);
    wire_write_uint(&writer, "done", about->done);
    wire_write_uint(&writer, "total", about->total);
    wire_write_uint(&writer, "started_ms", about->started_ms);
    return wire_write_end(&writer);
}

int about_decode_worker(const void *data, size_t size, struct about_worker *about) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    *about = (struct about_worker){0};
    wire_read_open(data, size, "worker", &unpacked, &top, &fault);
    wire_read_label(&top, "name", WIRE_REQUIRED, about->name, sizeof about->name);
    wire_read_label(&top, "host", WIRE_OPTIONAL, about->host, sizeof about->host);
    wire_read_u32(&top, "pid", WIRE_OPTIONAL, 0, UINT32_MAX, &about->pid);
    wire_read_label(&top, "version", WIRE_OPTIONAL, about->version, sizeof about->version);
    wire_read_label(&top, "isa", WIRE_OPTIONAL, about->isa, sizeof about->isa);
    wire_read_label(&top, "state", WIRE_OPTIONAL, about->state, sizeof about->state);
    wire_read_u32(&top, "slots", WIRE_OPTIONAL, 0, UINT32_MAX, &about->slots);
    wire_read_u32(&top, "running", WIRE_OPTIONAL, 0, UINT32_MAX, &about->running);
    wire_read_u32(&top, "waiting", WIRE_OPTIONAL, 0, UINT32_MAX, &about->waiting);
    wire_read_uint(&top, "done", WIRE_OPTIONAL, 0, UINT64_MAX, &about->done);
    wire_read_uint(&top, "started_ms", WIRE_OPTIONAL, 0, UINT64_MAX, &about->started_ms);
    wire_read_uint(&top, "rss_bytes", WIRE_OPTIONAL, 0, UINT64_MAX, &about->rss_bytes);
    wire_read_close(&unpacked);
    return wire_read_error(&fault);
}

int about_decode_job(const void *data, size_t size, struct about_job *about) {
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    *about = (struct about_job){0};
    wire_read_open(data, size, "job", &unpacked, &top, &fault);
    wire_read_label(&top, "id", WIRE_REQUIRED, about->id, sizeof about->id);
    wire_read_label(&top, "kind", WIRE_OPTIONAL, about->kind, sizeof about->kind);
    wire_read_label(&top, "worker", WIRE_OPTIONAL, about->worker, sizeof about->worker);
    wire_read_u32(&top, "attempt", WIRE_OPTIONAL, 0, UINT32_MAX, &about->attempt);
    wire_read_uint(&top, "done", WIRE_OPTIONAL, 0, UINT64_MAX, &about->done);
    wire_read_uint(&top, "total", WIRE_OPTIONAL, 0, UINT64_MAX, &about->total);
    wire_read_uint(&top, "started_ms", WIRE_OPTIONAL, 0, UINT64_MAX, &about->started_ms);
    wire_read_close(&unpacked);
    return wire_read_error(&fault);
}
