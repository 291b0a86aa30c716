/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A redis-server of a test's own: in a fresh directory, on a unix socket (and a free TCP port where
 * asked for), without persistence. A redis.conf that a test puts into the directory is read first.
 * It dies with the test, also when the test fails. What goes wrong in here fails the test.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct redis_server {
    pid_t pid;                /* 0: not running */
    int port;                 /* 0: unix socket only */
    const char *const *extra; /* the caller's, must outlive the server */
    char dir[64];             /* redis.sock, redis.log and whatever it saves */
    char path[96];            /* of the socket */
    char url[112];            /* unix://PATH */
    char tcp_url[48];         /* redis://127.0.0.1:PORT; empty without a port */
};

/*
 * Starts it and waits until it answers. `extra`: more arguments for redis-server, ended by NULL
 * ("--requirepass", "secret", NULL), which win over ours ("--appendonly", "yes"); may be NULL.
 */
void redis_server_start(struct redis_server *server, bool tcp, const char *const *extra);

/* The same in steps, for several at once: all is there but the process; it starts; it answers. */
void redis_server_prepare(struct redis_server *server, bool tcp, const char *const *extra);
void redis_server_launch(struct redis_server *server);
void redis_server_wait_ready(struct redis_server *server);

/* SIGTERM or SIGKILL, and waits for the end. The directory stays, so it can be started again. */
void redis_server_stop(struct redis_server *server);
void redis_server_kill(struct redis_server *server);

/* Again, in the same directory, at the same socket and port. */
void redis_server_again(struct redis_server *server);

/* SIGSTOP and SIGCONT: the sockets stay open, nothing answers. */
void redis_server_freeze(struct redis_server *server);
void redis_server_thaw(struct redis_server *server);

/* Kills it and removes its directory. */
void redis_server_remove(struct redis_server *server);

/*
 * One command as an inline line ("CONFIG SET maxmemory 0") on a connection of its own; the first
 * line of the reply, without its end, into `reply` ("+OK", "-ERR ...", ":1", "$5").
 */
void redis_server_ask(const struct redis_server *server, const char *command, char *reply,
                      size_t reply_size);

/* Asks until the answer begins so. */
void redis_server_until(const struct redis_server *server, const char *command, const char *want);

/* A port of 127.0.0.1 that nobody listens at. */
int redis_server_free_port(void);
