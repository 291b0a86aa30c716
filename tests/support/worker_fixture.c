/* SPDX-License-Identifier: MIT */
/* Server, client and worker of the tests, shared by them through three variables: libcheck's
 * fixtures take no argument. */
#include "worker_fixture.h"

struct redis_server server;
struct worker_process worker;
struct client client;

static const char *worker_options;

static void start_server(void) {
    redis_server_start(&server, false, NULL);
}

static void remove_server(void) {
    redis_server_remove(&server);
}

static void setup(void) {
    client_open(&client, &server);
    if (worker_options)
        worker_process_start(&worker, &server, worker_options);
}

static void teardown(void) {
    if (worker_options)
        worker_process_stop(&worker);
    client_close(&client);
}

void worker_fixture(TCase *tests, const char *options) {
    worker_options = options;
    tcase_add_unchecked_fixture(tests, start_server, remove_server);
    tcase_add_checked_fixture(tests, setup, teardown);
}
