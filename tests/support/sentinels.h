/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A master called "main", its replica, and three real sentinels that watch both and know each other
 * from the start. They take a second of silence for a death. All of it on ports of 127.0.0.1.
 */
#include "redis_server.h"

enum { SENTINELS = 3 };

struct sentinels {
    struct redis_server redis[2]; /* the master, as long as nothing has failed, and its replica */
    struct redis_server sentinel[SENTINELS];
    char replica_of[8];           /* the port of whom the replica is one, as text */
    const char *replica_extra[8]; /* arguments of the replica */
    const char *password;         /* of the sentinels; NULL: none */
    char url[256];                /* names all three and the password */
};

/* All are there, and the replica has what the master has. `password` is borrowed. */
void sentinels_start(struct sentinels *set, const char *password);

/* When the first one starts again, it is a replica of the second. (By themselves, sentinels make it
 * one after ten seconds.) */
void sentinels_swap(struct sentinels *set);

void sentinels_remove(struct sentinels *set);
