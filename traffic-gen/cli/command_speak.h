/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by connect and listen, which play one side of a scenario on real connections. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_SPEAK_H
#define IWARP_TRAFFIC_CLI_COMMAND_SPEAK_H

#include "traffic-gen/cli/command_wire.h"

struct speak_options {
    char *inject, *script, *record;
    gint64 seed;
    gint mtu, count;
    double timeout;
    char *export, *mount_port; /* only for connect */
    double first_delay;
    char *source;
    struct command_wire wire;
};

/* The initializer of speak_options, and its option entries for a struct of that name. */
#define SPEAK_DEFAULTS                                                                                                 \
    {                                                                                                                  \
        .seed = 1, .timeout = 10                                                                                       \
    }
/* clang-format off */
#define SPEAK_ENTRIES(o)                                                                                               \
    {"write-capture", 'w', 0, G_OPTION_ARG_FILENAME, &(o).record, "record all octets sent and received, as pcapng",       \
     "FILE"},                                                                                                          \
    {"inject", 0, 0, G_OPTION_ARG_STRING, &(o).inject,                                                                 \
     "break these rules, each in its own connection; both sides need the same list", "ID[,ID...]"},                  \
    {"script", 0, 0, G_OPTION_ARG_STRING, &(o).script, "script: the statements (iwarp-scenario(5))", "TEXT"},          \
    {"seed", 0, 0, G_OPTION_ARG_INT64, &(o).seed, "seed for all random choices (default 1)", "N"},                       \
    {"mtu", 0, 0, G_OPTION_ARG_INT, &(o).mtu, "limit segments to this MTU (default 1500)", "N"},                            \
    {"count", 0, 0, G_OPTION_ARG_INT, &(o).count, "how many operations (1000), rounds of nfs-metadata (1)", "N"},      \
    {"timeout", 0, 0, G_OPTION_ARG_DOUBLE, &(o).timeout, "how long to wait for the peer (default 10)", "SECONDS"}
/* clang-format on */

/* Plays the scenario and prints messages. Returns the exit status. */
int speak(const char *address, const char *scenario, const struct speak_options *options, bool listens);

#endif
