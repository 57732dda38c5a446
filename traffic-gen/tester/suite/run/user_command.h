/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's commands: --before-each, --reset-command. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_USER_COMMAND_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_USER_COMMAND_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Runs sh -c command with standard output joined to standard error and with these variables (NAME=VALUE, NULL after the
 * last). True when it exits with 0 within timeout_ns; else *why, which the caller frees, and the command is ended with
 * all its children.
 */
bool user_command_run(const char *command, const char *const *variables, int64_t timeout_ns, char **why);

/* The same, and *output, which the caller frees, is the output: at most USER_OUTPUT_MAX octets, printable. */
enum { USER_OUTPUT_MAX = 16384 };
bool user_command_output(const char *command, const char *const *variables, int64_t timeout_ns, char **output,
                         char **why);

#endif
