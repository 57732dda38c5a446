/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-gen connect --chaos: an NFS client whose connections break. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_CHAOS_H
#define IWARP_TRAFFIC_CLI_COMMAND_CHAOS_H

#include <glib.h>

struct chaos_options {
    const char *seed;    /* as given */
    const char *export;  /* NULL: the root */
    gint steps;          /* 0: the default */
    double timeout;      /* for an answer, seconds */
    double first_delay;  /* between start-up and first Call, seconds */
    const char *restart; /* command; NULL: does not restart the server */
    double t_restart;    /* for the command, seconds */
};

/* Prints the result; returns the exit status. */
int command_chaos(const char *address, const struct chaos_options *options);

#endif
