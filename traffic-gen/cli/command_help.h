/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of --help: an option on each line, in groups, as wide as the terminal. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_HELP_H
#define IWARP_TRAFFIC_CLI_COMMAND_HELP_H

#include "traffic-gen/cli/command.h"

/* Prints to standard output. program: "iwarp-gen play". */
void command_help(const char *program, const struct command_usage *usage, const GOptionEntry *entries);

#endif
