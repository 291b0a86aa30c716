/* SPDX-License-Identifier: MIT */
/* Reads by plain commands, each followed by the call that renews the life of what was read. */
#include "stored.h"

#include "mem.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* What a callback works on, and how it went. */
struct stored_read {
    struct remote *remote;
    const char *id;
    int code;
    bool found;
    bool unreadable; /* it is there, and is no such thing */
    void *out;       /* what is read into; NULL: nothing */
};

static int stored_unreadable(const char *what, const char *id, int status) {
    return report_infrastructure("%s %s cannot be read: %s", what, id, err_text(status));
}

static void stored_on_session(void *context, const struct link_reply *reply) {
    struct stored_read *read = context;
    uint64_t revision;
    const char *body;
    size_t size;
    read->code = remote_check_answer(read->remote, reply);
    if (read->code != 0)
        return;
    int status = queue_read_session(reply, &revision, &body, &size);
    if (status == 0 && body) {
        status = wire_decode_session(body, size, read->out);
        read->found = true;
    }
    if (status != 0)
        read->code = stored_unreadable("session", read->id, status);
}

static void stored_on_touched(void *context, const struct link_reply *reply) {
    struct stored_read *read = context;
    read->code = remote_check_answer(read->remote, reply);
}

static int stored_touch(struct remote *remote, const char *id) {
    struct stored_read read = {.remote = remote};
    int status = queue_touch(remote_queue(remote), id, stored_on_touched, &read);
    return status != 0 ? remote_check_sent(remote, status) : read.code;
}

int stored_session(struct remote *remote, const char *id, struct session *session) {
    struct stored_read read = {.remote = remote, .id = id, .out = session};
    int status = queue_session(remote_queue(remote), id, stored_on_session, &read);
    if (status != 0)
        return remote_check_sent(remote, status);
    if (read.code == 0 && !read.found)
        return report_rejected("there is no session %s, or its 24 hours are over", id);
    return read.code != 0 ? read.code : stored_touch(remote, id);
}

/* A part of the ring that lies in one piece. */
struct stored_piece {
    struct stored_read read;
    uint32_t from, count;
    struct sim_metrics *metrics;
    bool *there;
};

static void stored_on_ring(void *context, const struct link_reply *reply) {
    struct stored_piece *piece = context;
    size_t size;
    piece->read.code = remote_check_answer(piece->read.remote, reply);
    const char *bytes = link_reply_text(reply, &size);
    if (piece->read.code != 0 || !bytes)
        return;
    for (uint32_t i = 0; i < piece->count && ((size_t)i + 1) * WIRE_SLOT_SIZE <= size; i++)
        piece->there[i] =
            wire_decode_slot((const unsigned char *)bytes + (size_t)i * WIRE_SLOT_SIZE,
                             piece->from + i, &piece->metrics[i]);
}

int stored_ring(struct remote *remote, const char *id, uint32_t from, uint32_t to,
                struct sim_metrics *metrics, bool *there) {
    uint32_t left = to - from + 1;
    while (left > 0) {
        uint32_t slot = from % RING_SLOTS;
        uint32_t count = left < RING_SLOTS - slot ? left : RING_SLOTS - slot;
        struct stored_piece piece = {{.remote = remote}, from, count, metrics, there};
        int status = queue_ring(remote_queue(remote), id, (size_t)slot * WIRE_SLOT_SIZE,
                                (size_t)count * WIRE_SLOT_SIZE, stored_on_ring, &piece);
        if (status != 0)
            return remote_check_sent(remote, status);
        if (piece.read.code != 0)
            return piece.read.code;
        from += count;
        left -= count;
        metrics += count;
        there += count;
    }
    return stored_touch(remote, id);
}

static void stored_on_trace(void *context, const struct link_reply *reply) {
    struct stored_read *read = context;
    size_t size;
    read->code = remote_check_answer(read->remote, reply);
    const char *bytes = link_reply_text(reply, &size);
    if (read->code != 0 || !bytes)
        return;
    int status = wire_decode_trace(bytes, size, read->out);
    read->found = status == 0;
    read->unreadable = status == ERR_PROTOCOL;
    if (status != 0) {
        wire_release_trace(read->out);
        read->code = stored_unreadable("trace", read->id, status);
    }
}

/* `read` tells more than the code. */
static int stored_try_trace(struct stored_read *read) {
    int status = queue_trace(remote_queue(read->remote), read->id, stored_on_trace, read);
    return status != 0 ? remote_check_sent(read->remote, status) : read->code;
}

int stored_trace(struct remote *remote, const char *id, struct trace *trace) {
    *trace = (struct trace){0};
    struct stored_read read = {.remote = remote, .id = id, .out = trace};
    int code = stored_try_trace(&read);
    if (code == 0 && !read.found)
        code = report_rejected("there is no trace %s", id);
    return code;
}

struct stored_ids {
    struct stored_read read;
    size_t count;
    char (*id)[JOB_ID_MAX + 1]; /* owned */
};

static void stored_on_ids(void *context, const struct link_reply *reply) {
    struct stored_ids *ids = context;
    ids->read.code = remote_check_answer(ids->read.remote, reply);
    size_t count = link_reply_count(reply);
    if (ids->read.code != 0 || count == 0)
        return;
    ids->id = mem_zero(count, sizeof *ids->id);
    if (!ids->id) {
        ids->read.code = report_infrastructure("out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *text = link_reply_text(link_reply_item(reply, i), &size);
        if (text && job_id_is_legal(text, size))
            memcpy(ids->id[ids->count++], text, size + 1);
    }
}

int stored_traces(struct remote *remote, unsigned skip, unsigned limit,
                  void (*each)(void *context, const struct trace *trace), void *context,
                  unsigned *unreadable) {
    struct stored_ids ids = {.read = {.remote = remote}};
    int status = queue_traces(remote_queue(remote), skip, limit, stored_on_ids, &ids);
    int code = status != 0 ? remote_check_sent(remote, status) : ids.read.code;
    *unreadable = 0;
    for (size_t i = 0; code == 0 && i < ids.count; i++) {
        struct trace trace;
        struct stored_read read = {.remote = remote, .id = ids.id[i], .out = &trace};
        code = stored_try_trace(&read);
        if (read.unreadable) {
            ++*unreadable;
            code = 0;
        }
        if (!read.found) /* or dropped in between */
            continue;
        each(context, &trace);
        wire_release_trace(&trace);
    }
    free(ids.id);
    return code;
}
