/* SPDX-License-Identifier: MIT */
/* Starts the parts, turns the loop, and takes all apart again. Everything but the slots' threads
 * runs on the loop. */
#include "worker.h"

#include "clock.h"
#include "keys.h"
#include "log.h"
#include "notify.h"
#include "report.h"
#include "wiring.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { WORKER_EXIT_USAGE = 2, WORKER_EXIT_CANNOT = 3 };

static const int worker_signals[] = {SIGTERM, SIGINT, SIGTSTP, SIGCONT};

/* --- turns of the loop ------------------------------------------------------------------------ */

static void worker_close(struct worker *worker);

static void worker_settle(struct worker *worker) {
    int64_t now_ns = clock_now_ns();
    if (worker->life.state == LIFE_GONE)
        return;
    intake_settle(&worker->intake, now_ns);
    if (worker->provision.is_ready) {
        deliver_settle(&worker->deliver, now_ns);
        beat_settle(&worker->beat);
        claim_settle(&worker->claim, now_ns);
    }
    if (worker->life.state == LIFE_DRAINING &&
        drain_settle(&worker->drain, now_ns, link_is_up(worker->link)))
        life_set_state(&worker->life, LIFE_GONE);
}

/* The last thing before the loop waits. */
static void worker_on_prepare(uv_prepare_t *prepare) {
    worker_settle(prepare->data);
    log_flush();
}

static void worker_on_check(uv_check_t *check) {
    worker_settle(check->data);
}

static void worker_on_signal(uv_signal_t *signal, int number) {
    struct worker *worker = signal->data;
    life_signal(&worker->life, number);
}

static void worker_on_life(void *context) {
    struct worker *worker = context;
    struct life *life = &worker->life;
    int64_t now_ns = clock_now_ns();
    LOG_WRITE(LOG_LEVEL_INFO, life_name(life->state), LOG_TEXT("worker", worker->work.worker));
    worker->claim.open = life_takes_jobs(life);
    if (life->state == LIFE_RUNNING) {
        notify_send("READY=1\nSTATUS=running");
    } else if (life->state == LIFE_QUIET) {
        notify_send("READY=1\nSTATUS=quiet");
    } else if (life->state == LIFE_DRAINING && !life->hurry) {
        notify_send("STOPPING=1");
        drain_begin(&worker->drain, now_ns, worker->settings->drain_timeout_s);
    } else if (life->state == LIFE_DRAINING) {
        drain_hurry(&worker->drain, now_ns);
    } else if (life->state == LIFE_GONE) {
        worker_close(worker);
    }
}

/* --- Redis comes and goes --------------------------------------------------------------------- */

static void worker_on_link(void *context, bool up, const char *reason) {
    struct worker *worker = context;
    if (up) {
        LOG_WRITE(LOG_LEVEL_DEBUG, "connected to Redis", LOG_TEXT("worker", worker->work.worker));
        trouble_begin(&worker->trouble, TROUBLE_BEAT, NULL); /* until one is answered */
        provision_begin(&worker->provision);
        trouble_end(&worker->trouble, TROUBLE_LINK);
        return;
    }
    trouble_begin(&worker->trouble, TROUBLE_LINK, reason);
    worker->meter.disconnects += worker->provision.is_ready;
    worker->beat.ready = false;
    provision_interrupt(&worker->provision);
}

static void worker_on_reader_link(void *context, bool up, const char *reason) {
    struct worker *worker = context;
    (void)reason; /* the same as the other link's */
    if (!up) {
        claim_reader_down(&worker->claim);
        return;
    }
    claim_reader_up(&worker->claim);
    if (worker->provision.is_ready) /* else worker_on_ready will ask */
        recover_begin(&worker->recover);
}

static void worker_on_ready(void *context) {
    struct worker *worker = context;
    worker->beat.ready = true;
    wiring_resume(worker);
    recover_begin(&worker->recover);
    beat_now(&worker->beat);
}

/* --- taking apart ----------------------------------------------------------------------------- */

/* Once libuv lets go of a signal it ends the process again, and not with our exit status: so it is
 * blocked from here on. */
static void worker_close_signals(struct worker *worker) {
    sigset_t deaf;
    sigemptyset(&deaf);
    for (size_t i = 0; i < sizeof worker_signals / sizeof *worker_signals; i++)
        sigaddset(&deaf, worker_signals[i]);
    pthread_sigmask(SIG_BLOCK, &deaf, NULL);
    for (size_t i = 0; i < sizeof worker_signals / sizeof *worker_signals; i++)
        uv_close((uv_handle_t *)&worker->signal[i], NULL);
}

/* Links first: they answer what is under way, with nothing. */
static void worker_close(struct worker *worker) {
    link_close(worker->link, NULL, NULL);
    link_close(worker->reader_link, NULL, NULL);
    slots_stop(worker->slots, NULL, NULL);
    provision_close(&worker->provision);
    claim_close(&worker->claim);
    deliver_close(&worker->deliver);
    beat_close(&worker->beat);
    drain_close(&worker->drain);
    if (worker->admin)
        admin_stop(worker->admin);
    worker_close_signals(worker);
    uv_close((uv_handle_t *)&worker->watchdog, NULL);
    uv_close((uv_handle_t *)&worker->prepare, NULL);
    uv_close((uv_handle_t *)&worker->check, NULL);
}

static void worker_free(struct worker *worker) {
    while (worker->list.first)
        held_list_drop(&worker->list, worker->list.first);
    queue_release(&worker->queue);
    queue_release(&worker->reader);
    free(worker);
}

/* --- putting together ------------------------------------------------------------------------- */

/* The host's name, as far as a worker may be called so. */
static void worker_find_host(struct worker *worker) {
    if (gethostname(worker->host, sizeof worker->host) != 0)
        (void)snprintf(worker->host, sizeof worker->host, "host");
    worker->host[sizeof worker->host - 1] = '\0';
    for (char *at = worker->host; *at; at++)
        if (!job_id_is_legal(at, 1))
            *at = '-';
}

/* Unique per process start: a new process must not be taken for the one that had its jobs. */
static void worker_make_name(struct worker *worker) {
    const char *name = worker->settings->name ? worker->settings->name : worker->host;
    uint32_t random = (uint32_t)clock_now_ns();
    ssize_t got = getrandom(&random, sizeof random, 0);
    (void)got; /* else it is the time */
    (void)snprintf(worker->work.worker, sizeof worker->work.worker, "%.*s-%d-%08x",
                   (int)SETTINGS_NAME_MAX, *name ? name : "worker", (int)getpid(), random);
}

static int worker_find_engine(struct worker *worker) {
    const char *isa = worker->settings->isa;
    worker->work.engine = isa ? engine_find(isa) : engine_best();
    if (worker->work.engine)
        return 0;
    (void)fprintf(
        stderr, "susurration-worker: --isa: there is no engine \"%s\", or not for this CPU\n", isa);
    return WORKER_EXIT_USAGE;
}

static void worker_start_handles(struct worker *worker) {
    provision_init(&worker->provision, &worker->loop, &worker->queue, &worker->trouble,
                   worker_on_ready, worker);
    claim_init(&worker->claim, &worker->loop);
    deliver_init(&worker->deliver, &worker->loop);
    beat_init(&worker->beat, &worker->loop);
    drain_init(&worker->drain, &worker->loop);
    notify_watch(&worker->watchdog, &worker->loop);
    uv_prepare_init(&worker->loop, &worker->prepare);
    uv_check_init(&worker->loop, &worker->check);
    worker->prepare.data = worker->check.data = worker;
    uv_prepare_start(&worker->prepare, worker_on_prepare);
    uv_check_start(&worker->check, worker_on_check);
    for (size_t i = 0; i < sizeof worker_signals / sizeof *worker_signals; i++) {
        uv_signal_init(&worker->loop, &worker->signal[i]);
        worker->signal[i].data = worker;
        uv_signal_start(&worker->signal[i], worker_on_signal, worker_signals[i]);
    }
}

/* Both links to the same Redis, or none; of several that share the keys, to the one that has ours.
 */
static int worker_open_links(struct worker *worker) {
    char why[400], reader_name[JOB_ID_MAX + 8], key[KEYS_MAX];
    (void)keys_fixed(worker->settings->queue, KEYS_CONFIG, key);
    (void)snprintf(reader_name, sizeof reader_name, "%s:read", worker->work.worker);
    struct link_options options = {.url = worker->settings->redis,
                                   .password_file = worker->settings->password_file,
                                   .client_name = worker->work.worker,
                                   .slot_key = key,
                                   .state = worker_on_link,
                                   .context = worker};
    int code = link_open(&worker->link, &worker->loop, &options, why, sizeof why);
    if (code != 0)
        goto failed;
    options.client_name = reader_name;
    options.state = worker_on_reader_link;
    code = link_open(&worker->reader_link, &worker->loop, &options, why, sizeof why);
    if (code != 0) {
        link_close(worker->link, NULL, NULL);
        worker->link = NULL;
        goto failed;
    }
    queue_init(&worker->queue, worker->link, worker->settings->queue, link_send);
    queue_init(&worker->reader, worker->reader_link, worker->settings->queue, link_send);
    return 0;
failed:
    (void)fprintf(stderr, "susurration-worker: --redis: %s\n", why);
    return code == ERR_NO_MEMORY ? WORKER_EXIT_CANNOT : WORKER_EXIT_USAGE;
}

/* One that was asked for must be there; the default one is taken where several workers share a
 * host. */
static int worker_start_admin(struct worker *worker) {
    char why[400];
    struct admin_options options = {.address = worker->settings->admin,
                                    .metrics = report_metrics,
                                    .is_healthy = report_is_healthy,
                                    .is_ready = report_is_ready,
                                    .context = worker};
    if (strcmp(options.address, "none") == 0)
        return 0;
    int code = admin_start(&worker->admin, &worker->loop, &options, why, sizeof why);
    if (code != 0 && worker->settings->admin_given) {
        (void)fprintf(stderr, "susurration-worker: --admin: %s\n", why);
        return code == ERR_INVALID ? WORKER_EXIT_USAGE : WORKER_EXIT_CANNOT;
    }
    if (code != 0)
        LOG_WRITE(LOG_LEVEL_WARNING, "no admin HTTP; choose another address with --admin",
                  LOG_TEXT("why", why));
    return 0;
}

static int worker_start_slots(struct worker *worker) {
    const struct slots_options options = wiring_slots(worker);
    int code = slots_start(&worker->slots, &worker->loop, &options);
    if (code == 0)
        return 0;
    (void)fprintf(stderr, "susurration-worker: the slots' threads: %s\n", err_text(code));
    return WORKER_EXIT_CANNOT;
}

static void worker_greet(struct worker *worker) {
    LOG_WRITE(LOG_LEVEL_INFO, "starting", LOG_TEXT("worker", worker->work.worker),
              LOG_TEXT("version", SUSURRATION_VERSION), LOG_TEXT("isa", worker->work.engine->isa),
              LOG_TEXT("queue", worker->settings->queue), LOG_INT("slots", worker->settings->slots),
              LOG_INT("lease_s", worker->settings->lease_s),
              LOG_TEXT("admin", worker->admin ? admin_address(worker->admin) : "none"));
}

/* Everything or nothing: what had been started is closed by the loop. */
static int worker_start(struct worker *worker) {
    int status = worker_find_engine(worker);
    if (status == 0)
        status = worker_start_admin(worker);
    if (status != 0)
        return status;
    status = worker_open_links(worker);
    if (status == 0)
        status = worker_start_slots(worker);
    if (status == 0) {
        worker->life = (struct life){.changed = worker_on_life, .context = worker};
        wiring_join(worker);
        worker_start_handles(worker);
        worker_greet(worker);
        return 0;
    }
    if (worker->admin)
        admin_stop(worker->admin);
    if (worker->link) {
        link_close(worker->link, NULL, NULL);
        link_close(worker->reader_link, NULL, NULL);
    }
    return status;
}

int worker_run(const struct settings *settings) {
    struct worker *worker = mem_zero(1, sizeof *worker);
    if (!worker || uv_loop_init(&worker->loop) != 0) {
        (void)fprintf(stderr, "susurration-worker: %s\n", err_text(ERR_NO_MEMORY));
        free(worker);
        return WORKER_EXIT_CANNOT;
    }
    worker->settings = settings;
    worker->started_ns = clock_now_ns();
    worker->started_wall_ms = clock_wall_ms();
    worker_find_host(worker);
    worker_make_name(worker);
    log_gather();
    int status = worker_start(worker);
    uv_run(&worker->loop, UV_RUN_DEFAULT);
    log_flush();
    (void)uv_loop_close(&worker->loop);
    worker_free(worker);
    return status;
}
