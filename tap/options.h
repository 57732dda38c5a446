/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iwarp-tap. */
#ifndef IWARP_TAP_OPTIONS_H
#define IWARP_TAP_OPTIONS_H

#include "tap/recorder.h"

struct tap_options {
    struct recorder_options recorder; /* epoch_ns is not set */
    const char *file;                 /* "-": standard output */
    const char *user;                 /* the user that root becomes; NULL: the caller of sudo, or nobody */
    uint64_t packets, octets;         /* ends after this many packets; 0: no limit */
    int64_t duration_ns;              /* 0: until a signal */
    bool child;                       /* ends with standard input, too */
    bool quiet;                       /* reports only errors */
    bool asked;                       /* with a filter of Wireshark, which may only want to know whether it is right */
    bool now;                         /* ends if a module is missing, rather than wait for it */
};

enum tap_parsed { TAP_RUN, TAP_DONE, TAP_WRONG };

/*
 * TAP_DONE: --help, --version or a question of Wireshark was answered. TAP_WRONG: `why`, one line, describes the error.
 * Strings are borrowed from argv.
 */
enum tap_parsed tap_options_parse(struct tap_options *out, int argc, char **argv, char *why, size_t size);

#endif
