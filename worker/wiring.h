/* SPDX-License-Identifier: MIT */
#pragma once
/* What the parts of a worker have for each other: who is told what, and by whom. */
#include "slots.h"

struct worker;

/* How the slots are to be started. */
struct slots_options wiring_slots(struct worker *worker);

/* Joins all parts; slots and queues are there. */
void wiring_join(struct worker *worker);

/* Whoever rests after failures goes on at once. */
void wiring_resume(struct worker *worker);
