/* SPDX-License-Identifier: MIT */
#pragma once
/* What cannot be guessed: random ids, and the operators' token. */
#include "job.h"

#include <stdbool.h>

struct request;

/* 32 random hexadecimal digits. */
void token_draw(char out[JOB_ID_MAX + 1]);

/* A random seed. */
uint32_t token_seed(void);

/*
 * True where Authorization: Bearer has the operators' token, compared in a time that does not
 * depend on how far it is right. Else the request is answered: 401, or 403 where there is none.
 */
bool token_check(struct request *request);
