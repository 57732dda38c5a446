/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of iwarp-gen: each reads its own options and has its own --help. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_H
#define IWARP_TRAFFIC_CLI_COMMAND_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum command_status {
    COMMAND_DONE = 0,
    COMMAND_FAILED = 1, /* the attempt failed: a case failed, the peer deviated */
    COMMAND_TROUBLE = 2 /* wrong usage, file errors, no peer */
};

/* argv[0] names program and command; the other arguments are the command's. Returns the exit status. */
int command_play(int argc, char **argv);
int command_list(int argc, char **argv);
int command_connect(int argc, char **argv);
int command_listen(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_test(int argc, char **argv);
int command_simulate(int argc, char **argv);
int command_report(int argc, char **argv);
int command_learn(int argc, char **argv);

/* Prints "iwarp-gen: " and the message on standard error; returns COMMAND_TROUBLE. */
int command_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* For commands and options of the room explore, in a build without it. */
#define COMMAND_NOT_BUILT ": not in this iwarp-gen, which was built with IWARP_EXPLORE=OFF"

/* The name similar to a mistyped word, among those that next() returns before NULL; NULL: none. */
const char *command_guess(const char *word, const char *(*next)(unsigned index));

/* Options that only work in some uses of a command: to ignore them silently would mislead. */
struct command_only {
    bool given, fits;
    const char *option, *with; /* "--markers", "the scenarios bulk, bulk-whole and nfs-bulk" */
};

/* COMMAND_DONE when all given options fit. */
int command_check_only(const struct command_only *rows, unsigned n);

/* A number of an option, and its limits: "-j: 0 is not from 1 to 64". */
struct command_range {
    const char *option;
    double value, min, max;
    const char *unit; /* " seconds"; NULL: none */
};

/* COMMAND_DONE when all of them are within their limits. */
int command_check_ranges(const struct command_range *rows, unsigned n);

/* Text of --help around the options. */
struct command_usage {
    const char *arguments; /* "SCENARIO -o FILE" */
    const char *summary;
    const char *description; /* below the options; NULL: none */
};

/* Among option entries: a title in --help for the entries after it. */
#define COMMAND_GROUP(title)                                                                                           \
    {                                                                                                                  \
        "", 0, 0, G_OPTION_ARG_NONE, NULL, (title), NULL                                                               \
    }

/*
 * Takes the options out of the arguments. The rest must be n_least to n_most arguments besides argv[0]. On false
 * *status is the exit status, and the message, or the text of --help, has been printed.
 */
bool command_parse(const struct command_usage *usage, const GOptionEntry *entries, int *argc, char ***argv, int n_least,
                   int n_most, int *status);
/* Frees the texts that command_parse() has put where the entries say. */
void command_clear(const GOptionEntry *entries);
/* The value of a number of seconds. */
int64_t command_nanoseconds(double seconds);

#endif
