/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of iwarp-gen: each reads its own options and has its own --help. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_H
#define IWARP_TRAFFIC_CLI_COMMAND_H

#include <glib.h>
#include <stdbool.h>

enum command_status {
    COMMAND_DONE = 0,
    COMMAND_FAILED = 1, /* what was tried did not come out as it should: a test failed, the peer did something else */
    COMMAND_TROUBLE = 2 /* usage, files, nobody to talk to */
};

/* argv[0] names program and command; what follows is the command's alone. Returns the exit status. */
int command_play(int argc, char **argv);
int command_list(int argc, char **argv);
int command_connect(int argc, char **argv);
int command_listen(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_test(int argc, char **argv);
int command_report(int argc, char **argv);

/* "iwarp-gen: " and the message on standard error; returns COMMAND_TROUBLE. */
int command_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Options that have no meaning in every use of a command: silently ignored they would mislead. */
struct command_only {
    bool given, fits;
    const char *option, *with; /* "--markers", "the scenarios bulk and nfs-bulk" */
};

/* COMMAND_DONE when all that are given fit. */
int command_check_only(const struct command_only *rows, unsigned n);

/* What --help shows around the options. */
struct command_usage {
    const char *arguments; /* "SCENARIO -o FILE" */
    const char *summary;
    const char *description; /* below the options; NULL: nothing */
};

/*
 * Takes the options out of the arguments; --help prints and exits. What is left must be n_least to n_most arguments
 * besides argv[0]. On false *status is the exit status, and the message has been printed.
 */
bool command_parse(const struct command_usage *usage, const GOptionEntry *entries, int *argc, char ***argv, int n_least,
                   int n_most, int *status);

#endif
