/* SPDX-License-Identifier: MIT */
#pragma once
/* From a command line to a job: whatever the command's options say, with the job's own checks. */
#include "args.h"

/*
 * A job of the command's kind, initialised inside, from the options in *args that are fields or
 * parameters of it. `model` NULL: the one that --model names. 0; or the exit code, after having
 * said what is wrong. Release the job in either case.
 */
int claim_read(const struct args *args, const struct model *model, struct job *job);

/* Options that several commands have. */
extern const struct option_group claim_group_model; /* --model --param */
