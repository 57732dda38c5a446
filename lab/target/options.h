/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iwarp-target. Without verbs. */
#ifndef IWARP_TARGET_OPTIONS_H
#define IWARP_TARGET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { TARGET_PORT = 7174, TARGET_HOST_MAX = 256, TARGET_PORT_MAX = 32 };

struct target_options {
    bool connects;              /* Initiator: --connect */
    char host[TARGET_HOST_MAX]; /* "" (Responder only): all addresses */
    char port[TARGET_PORT_MAX]; /* a number */
    bool sink;                  /* no echo for peers that ask for nothing */
    bool tell_in_send;          /* the memory is advertised in a Send instead of private data */
    unsigned ird, ord;          /* offered, limited by the device */
    unsigned receives, size;    /* for peers that ask for nothing */
    unsigned region;            /* octets of region 0; the others have 4096 */
    unsigned connections;       /* at a time */
    double idle;                /* seconds without a completion until a connection is closed; 0: never */
    double pause;               /* Initiator: seconds between two connections */
    double patience;            /* Initiator: seconds without an accepted connection until it ends; 0: never */
    double watch;               /* Responder: seconds between checks that the listener is alive; 0: never */
    bool verbose;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE /* help or version was printed */, OPTIONS_BAD };

/* why[0..size): the reason for OPTIONS_BAD. Call it once: getopt_long(3) has state. */
enum options_outcome target_options_parse(struct target_options *out, int argc, char **argv, char *why, size_t size);

#endif
