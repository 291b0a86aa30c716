/* SPDX-License-Identifier: MIT */
#pragma once
/* Jobs run in this process, without Redis, by the same code as in a worker. */
#include "run.h"

/*
 * The engine of that name; NULL or empty: the one that SUSURRATION_ISA names, else the fastest.
 * NULL after having said what is wrong: the command then ends with REPORT_USAGE.
 */
const struct engine *local_engine(const char *isa);

/*
 * For a command that drives the simulation itself: its claim, the engine that --isa names
 * if *engine is NULL, and this thread's arithmetic set right. 0, or the exit code. Release the job
 * in either case.
 */
struct args;
int local_begin(const struct args *args, struct job *job, const struct engine **engine);

/* Runs the job within its budget and fills *result, engine and times included. */
void local_run(const struct job *job, const struct engine *engine, struct result *result);
