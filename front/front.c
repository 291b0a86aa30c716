/* SPDX-License-Identifier: MIT */
/* Starts the parts, turns the loop, and takes all apart again. */
#include "front.h"

#include "answer.h"
#include "clock.h"
#include "keys.h"
#include "log.h"
#include "token.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    FRONT_EXIT_USAGE = 2,
    FRONT_EXIT_CANNOT = 3,
    FRONT_CONNECTIONS = 4096,
    FRONT_DESCRIPTORS = 32, /* other than connections */
    FRONT_IDLE_S = 60,
    FRONT_MEMORY = 16 << 10, /* of a connection */
};

static const int front_signals[] = {SIGTERM, SIGINT};

/* --- Redis comes and goes --------------------------------------------------------------------- */

static void front_on_link(void *context, bool up, const char *reason) {
    struct front *front = context;
    if (up) {
        LOG_WRITE(LOG_LEVEL_INFO, "connected to Redis", LOG_TEXT("front", front->name));
        library_begin(&front->library);
    } else {
        LOG_WRITE(LOG_LEVEL_WARNING, "no connection to Redis", LOG_TEXT("why", reason));
    }
}

/* A result that was on its way when the connection broke is lost: whoever waits asks for it. */
static void front_on_reader_link(void *context, bool up, const char *reason) {
    struct front *front = context;
    (void)reason; /* the same as the other link's */
    if (!up)
        return;
    errands_read(&front->errands);
    if (link_is_up(front->link))
        errands_send_again(&front->errands);
}

static void front_on_library(void *context) {
    struct front *front = context;
    sample_now(&front->sample);
    errands_send_again(&front->errands);
}

/* --- taking apart ----------------------------------------------------------------------------- */

static void front_close_links(struct front *front) {
    if (front->reader_link)
        link_close(front->reader_link, NULL, NULL);
    if (front->link)
        link_close(front->link, NULL, NULL);
}

/* Links first: they answer what is under way, with nothing; so no request waits any more. */
static void front_close(struct front *front) {
    front->is_closing = true;
    front_close_links(front);
    errands_close(&front->errands);
    events_close(&front->events);
    for (struct request *request = front->first; request; request = request->after)
        answer_unavailable(request, "shutting_down", "this front-end is being stopped");
    sample_close(&front->sample);
    http_stop(front->http, NULL, NULL);
    uv_close((uv_handle_t *)&front->prepare, NULL);
    for (size_t i = 0; i < sizeof front_signals / sizeof *front_signals; i++)
        uv_close((uv_handle_t *)&front->signal[i], NULL);
}

static void front_on_signal(uv_signal_t *signal, int number) {
    struct front *front = signal->data;
    LOG_WRITE(LOG_LEVEL_INFO, "stopping", LOG_INT("signal", number));
    if (!front->is_closing)
        front_close(front);
}

/* --- putting together ------------------------------------------------------------------------- */

/* Both links to the same Redis, or none. */
static int front_open_links(struct front *front) {
    char why[400], reader_name[JOB_ID_MAX + 8], key[KEYS_MAX];
    (void)keys_fixed(front->settings->queue, KEYS_CONFIG, key);
    (void)snprintf(reader_name, sizeof reader_name, "%s:read", front->name);
    struct link_options options = {.url = front->settings->redis,
                                   .password_file = front->settings->password_file,
                                   .client_name = front->name,
                                   .slot_key = key,
                                   .state = front_on_link,
                                   .context = front};
    int code = link_open(&front->link, &front->loop, &options, why, sizeof why);
    options.client_name = reader_name;
    options.state = front_on_reader_link;
    if (code == 0)
        code = link_open(&front->reader_link, &front->loop, &options, why, sizeof why);
    if (code != 0) {
        (void)fprintf(stderr, "susurration-front: --redis: %s\n", why);
        return code == ERR_NO_MEMORY ? FRONT_EXIT_CANNOT : FRONT_EXIT_USAGE;
    }
    queue_init(&front->queue, front->link, front->settings->queue, link_send);
    queue_init(&front->reader, front->reader_link, front->settings->queue, link_send);
    return 0;
}

/* As many descriptors as the system lets us have, and some of them for other things. */
static unsigned front_connections(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return FRONT_CONNECTIONS / 8;
    rlim_t wanted = FRONT_CONNECTIONS + FRONT_DESCRIPTORS;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= wanted)
        return FRONT_CONNECTIONS;
    return limit.rlim_cur > FRONT_DESCRIPTORS ? (unsigned)limit.rlim_cur - FRONT_DESCRIPTORS : 1;
}

static int front_listen(struct front *front) {
    char why[400];
    struct http_options options = {.address = front->settings->listen,
                                   .connections = front_connections(),
                                   .idle_s = FRONT_IDLE_S,
                                   .memory = FRONT_MEMORY,
                                   .suspends = true,
                                   .answer = request_on_data,
                                   .completed = request_on_completed,
                                   .context = front};
    int code = http_start(&front->http, &front->loop, &options, why, sizeof why);
    if (code == 0)
        return 0;
    (void)fprintf(stderr, "susurration-front: --listen: %s\n", why);
    return code == ERR_INVALID ? FRONT_EXIT_USAGE : FRONT_EXIT_CANNOT;
}

static int front_read_token(struct front *front) {
    char why[400];
    const char *path = front->settings->operator_token_file;
    if (!path)
        return 0;
    if (link_secret_read(path, front->token, why, sizeof why) != 0) {
        (void)fprintf(stderr, "susurration-front: --operator-token-file: %s\n", why);
        return FRONT_EXIT_USAGE;
    }
    if (front->token[0])
        return 0;
    (void)fprintf(stderr, "susurration-front: --operator-token-file: %s is empty\n", path);
    return FRONT_EXIT_USAGE;
}

/* The last thing before the loop waits. */
static void front_on_prepare(uv_prepare_t *prepare) {
    (void)prepare;
    log_flush();
}

static void front_start_handles(struct front *front) {
    uv_prepare_init(&front->loop, &front->prepare);
    uv_prepare_start(&front->prepare, front_on_prepare);
    uv_unref((uv_handle_t *)&front->prepare);
    for (size_t i = 0; i < sizeof front_signals / sizeof *front_signals; i++) {
        uv_signal_init(&front->loop, &front->signal[i]);
        front->signal[i].data = front;
        uv_signal_start(&front->signal[i], front_on_signal, front_signals[i]);
    }
}

/* Everything or nothing: what had been started is closed by the loop. */
static int front_start(struct front *front) {
    int status = front_read_token(front);
    if (status == 0)
        status = front_open_links(front);
    if (status == 0)
        status = front_listen(front);
    if (status != 0) {
        front_close_links(front);
        return status;
    }
    front->library =
        (struct library){.queue = &front->queue, .ready = front_on_library, .context = front};
    errands_init(&front->errands, front);
    events_init(&front->events, front);
    sample_init(&front->sample, front);
    front->limit.rate = front->settings->rate;
    front_start_handles(front);
    LOG_WRITE(LOG_LEVEL_INFO, "listening", LOG_TEXT("address", http_address(front->http)),
              LOG_TEXT("version", SUSURRATION_VERSION), LOG_TEXT("front", front->name),
              LOG_TEXT("queue", front->settings->queue));
    return 0;
}

int front_run(const struct front_settings *settings) {
    struct front *front = mem_zero(1, sizeof *front);
    if (!front || uv_loop_init(&front->loop) != 0) {
        (void)fprintf(stderr, "susurration-front: %s\n", err_text(ERR_NO_MEMORY));
        free(front);
        return FRONT_EXIT_CANNOT;
    }
    front->settings = settings;
    front->started_ns = clock_now_ns();
    token_draw(front->name);
    log_gather();
    int status = front_start(front);
    uv_run(&front->loop, UV_RUN_DEFAULT);
    log_flush();
    (void)uv_loop_close(&front->loop);
    queue_release(&front->queue);
    queue_release(&front->reader);
    free(front);
    return status;
}
