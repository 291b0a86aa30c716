/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd asks for bytes while it can send; when there are none the connection is suspended,
 * and resumed when there are. A client that is gone is found out by the next byte, so there is one
 * now and then. A stream outlives its connection while a look is under way. On the loop.
 */
#include "events.h"

#include "answer.h"
#include "clock.h"
#include "front.h"
#include "look.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_EVERY_MS 200u
#define EVENTS_QUIET_NS INT64_C(15000000000)

struct stream {
    struct front *front;
    struct stream *before, *after;
    struct MHD_Connection *connection; /* NULL: gone */
    struct look look;
    struct mem_buffer last; /* the job as it was sent last */
    struct mem_buffer out;  /* bytes to send, of which `sent` are */
    size_t sent;
    int64_t spoke_ns;
    bool is_looking, is_suspended, is_over;
};

static void stream_free(struct stream *stream) {
    mem_buffer_release(&stream->look.json);
    mem_buffer_release(&stream->last);
    mem_buffer_release(&stream->out);
    free(stream);
}

/* --- to the client -------------------------------------------------------------------------------
 */

static void stream_wake(struct stream *stream) {
    if (!stream->is_suspended)
        return;
    stream->is_suspended = false;
    http_resume(stream->front->http, stream->connection);
}

static void stream_say(struct stream *stream, const char *text, size_t size) {
    mem_buffer_add(&stream->out, text, size);
    stream->spoke_ns = clock_now_ns();
    stream_wake(stream);
}

static ssize_t stream_on_ready(void *context, uint64_t position, char *bytes, size_t max) {
    struct stream *stream = context;
    size_t left = stream->out.size - stream->sent, size = left < max ? left : max;
    (void)position;
    if (stream->out.failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (size > 0) {
        memcpy(bytes, stream->out.data + stream->sent, size);
        stream->sent += size;
        return (ssize_t)size;
    }
    if (stream->is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    stream->out.size = stream->sent = 0;
    stream->is_suspended = true;
    MHD_suspend_connection(stream->connection);
    return 0;
}

static void stream_on_gone(void *context) {
    struct stream *stream = context;
    struct events *events = &stream->front->events;
    if (stream->before)
        stream->before->after = stream->after;
    else
        events->first = stream->after;
    if (stream->after)
        stream->after->before = stream->before;
    if (!events->first && !stream->front->is_closing)
        uv_timer_stop(&events->timer);
    stream->connection = NULL;
    if (!stream->is_looking)
        stream_free(stream);
}

/* --- what has changed ----------------------------------------------------------------------------
 */

static void stream_tell(struct stream *stream) {
    static const char before[] = "event: job\ndata: ", behind[] = "\n\n";
    struct mem_buffer *now = &stream->look.json, *last = &stream->last;
    if (now->size == last->size && memcmp(now->data, last->data, now->size) == 0)
        return;
    mem_buffer_add(&stream->out, before, sizeof before - 1);
    mem_buffer_add(&stream->out, now->data, now->size);
    stream_say(stream, behind, sizeof behind - 1);
    mem_buffer_release(last);
    *last = *now;
    *now = (struct mem_buffer){0};
}

static void stream_on_looked(void *context, enum look_end end) {
    struct stream *stream = context;
    stream->is_looking = false;
    if (!stream->connection) {
        stream_free(stream);
        return;
    }
    if (end == LOOK_FOUND)
        stream_tell(stream);
    mem_buffer_release(&stream->look.json);
    stream->is_over = end == LOOK_UNKNOWN || stream->look.is_done; /* else Redis may come back */
    if (stream->is_over)
        stream_wake(stream);
    else if (clock_now_ns() - stream->spoke_ns > EVENTS_QUIET_NS)
        stream_say(stream, ":\n\n", 3);
}

static void stream_look(struct stream *stream) {
    if (stream->is_looking || stream->is_over)
        return;
    stream->is_looking = true;
    if (look_begin(&stream->look) != 0)
        stream->is_looking = false; /* the link is down; later */
}

static void events_on_timer(uv_timer_t *timer) {
    struct events *events = timer->data;
    for (struct stream *stream = events->first; stream; stream = stream->after)
        stream_look(stream);
}

/* --- beginning and end ---------------------------------------------------------------------------
 */

void events_answer(struct request *request) {
    struct events *events = &request->front->events;
    struct stream *stream = mem_zero(1, sizeof *stream);
    struct MHD_Response *response = NULL;
    if (stream)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, stream_on_ready,
                                                     stream, stream_on_gone);
    if (!response) {
        free(stream);
        answer_no_memory(request);
        return;
    }
    stream->front = request->front;
    stream->connection = request->connection;
    stream->spoke_ns = clock_now_ns();
    stream->look.front = request->front;
    stream->look.done = stream_on_looked;
    stream->look.context = stream;
    memcpy(stream->look.id, request->subject, sizeof stream->look.id);
    stream->after = events->first;
    if (stream->after)
        stream->after->before = stream;
    else
        uv_timer_start(&events->timer, events_on_timer, EVENTS_EVERY_MS, EVENTS_EVERY_MS);
    events->first = stream;
    stream_look(stream);
    answer_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    answer_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    request_answer(request, MHD_HTTP_OK, response);
}

void events_init(struct events *events, struct front *front) {
    events->front = front;
    uv_timer_init(&front->loop, &events->timer);
    events->timer.data = events;
}

void events_close(struct events *events) {
    for (struct stream *stream = events->first; stream; stream = stream->after) {
        stream->is_over = true;
        stream_wake(stream);
    }
    uv_close((uv_handle_t *)&events->timer, NULL);
}
