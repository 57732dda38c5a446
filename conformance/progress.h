/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress bar on standard error, for several captures that may be read at the same time. */
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
    double *parts; /* of each capture, 0 to 1 */
    gint64 from;   /* monotonic time, microseconds: nothing is drawn earlier */
    gint64 drawn;
    int last_percent;
};

/* use UNKNOWN: if standard error is a terminal, and only what takes longer than half a second. */
void progress_init(struct progress *progress, size_t captures, enum tristate use);
void progress_tell(struct progress *progress, size_t capture, double part);
/* Removes the bar and frees. */
void progress_clear(struct progress *progress);

#endif
