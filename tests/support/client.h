/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A client of the queue "main" as anyone may write one: plain XADD, then GET of the result. What is
 * waited for comes within 30 s or fails the test.
 */
#include "link_probe.h"
#include "queue.h"
#include "redis_server.h"
#include "result.h"

struct client {
    struct link_probe probe;
    struct queue queue;
    char entry[64]; /* of the last job added */
};

/* The fields of a job that runs until its budget is over, on any machine; and of a short one. */
#define LONG_JOB                                                                                   \
    "'kind':'sweep','seeds':{'first':0,'count':10000},'ticks':20000,'params':{'birds':400}"
#define SHORT_JOB "'kind':'verify','seed':1,'at_tick':1,'store':false"

/* On an empty Redis: everything in it is deleted, but for functions. */
void client_open(struct client *client, const struct redis_server *server);
/* As it is. */
void client_join(struct client *client, const struct redis_server *server);
void client_join_at(struct client *client, const char *url);
void client_close(struct client *client);

/* Adds a job, written as in message.h, to its lane; the entry's id. */
const char *client_add(struct client *client, enum job_lane lane, const char *json);

/* The same job so many times, under ids of its entries, all at one moment. */
void client_flood(struct client *client, enum job_lane lane, const char *json, unsigned count);

/* The result of that id once it is there. Release it. */
void client_result(struct client *client, const char *id, struct result *result);

/* Waits for that result, which must have this status. */
void client_expect(struct client *client, const char *id, enum result_status status);

/* Adds the job and waits for its result, which it must have under `id`. */
void client_run(struct client *client, enum job_lane lane, const char *json, const char *id,
                struct result *result);

/* A plain command (no quoting, keys as they are) and its answer, as link_probe_ask gives it. */
const char *client_ask(struct client *client, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Asks until the answer is `want`. */
void client_until(struct client *client, const char *want, const char *command);

/* Bytes of GETRANGE into `out`; how many came. */
size_t client_ring(struct client *client, const char *id, size_t offset, size_t size,
                   unsigned char *out);
