/* SPDX-License-Identifier: MIT */
#pragma once
/* Taking answers apart; private to queue_*.c. All return what queue.h says of readers. */
#include "queue.h"

/* 0 for anything but no answer and an error. */
int queue_read_answer(const struct link_reply *reply) ERR_MUST_CHECK;

/* A list of at least `least` elements. */
int queue_read_list(const struct link_reply *reply, size_t least) ERR_MUST_CHECK;

/* Which of `names` the text `word` is, a part of `reply` or that itself. */
int queue_read_word(const struct link_reply *reply, const struct link_reply *word,
                    const char *const *names, int count, int *found) ERR_MUST_CHECK;

/* State and ref at items `at` and `at` + 1 of a list. */
int queue_read_place(const struct link_reply *reply, size_t at,
                     struct queue_place *place) ERR_MUST_CHECK;
