/* SPDX-License-Identifier: MIT */
#pragma once
/* What --help prints: all of it from the tables. */
struct command;

void help_print(const struct command *command);

/* The list of commands; only those whose name begins with `prefix` and a space, or all for NULL. */
void help_print_list(const char *prefix);
