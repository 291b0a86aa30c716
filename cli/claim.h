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

/* Options that several commands have: rows of their tables, and a whole group. */
#define CLAIM_OPTION_SEED                                                                          \
    { OPTION_ROW("seed", "N", FIELD, "seed of the flock"), .preset = "42", .field = "seed" }
#define CLAIM_OPTION_CHANGE                                                                        \
    {                                                                                              \
        OPTION_ROW("change", "TICK:C,A,S", TEXT,                                                   \
                   "other weights from that tick on; may be repeated. Also TICK:NAME=VALUE,...")   \
    }
#define CLAIM_OPTION_ISA                                                                           \
    {                                                                                              \
        OPTION_ROW("isa", "NAME", TEXT, "the engine; without it the fastest of this CPU"),         \
            .variant = "SUSURRATION_ISA"                                                           \
    }
extern const struct option_group claim_group_model; /* --model --param */
