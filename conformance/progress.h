/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress bar on standard error for several captures, which may be read in parallel. */
#ifndef IWARP_CONFORMANCE_PROGRESS_H
#define IWARP_CONFORMANCE_PROGRESS_H

#include "engine/core/verdict.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct progress {
    GMutex lock;
    bool shown;
    size_t n;
    double *parts; /* for each capture, 0 to 1 */
    gint64 from;   /* monotonic time in microseconds: nothing is drawn earlier */
    gint64 drawn;
    int last_percent;
};

/* use UNKNOWN: only if standard error is a terminal, and only after half a second. */
void progress_init(struct progress *progress, size_t captures, enum tristate use);
void progress_tell(struct progress *progress, size_t capture, double part);
/* Removes the bar and frees the struct. */
void progress_clear(struct progress *progress);

#endif
