/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * What a test of a worker begins with: one Redis server for the whole case, and for each test that
 * server emptied, a client of it and a worker.
 */
#include "client.h"
#include "worker_process.h"

#include <check.h>

extern struct redis_server server;
extern struct worker_process worker;
extern struct client client;

/*
 * Adds both fixtures to the case, before its tests. The worker is started with `options` and must
 * be there at the end; NULL: tests start and end theirs. One case at a time.
 */
void worker_fixture(TCase *tests, const char *options);
