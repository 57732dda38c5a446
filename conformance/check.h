/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One capture through the engine into a report. */
#ifndef IWARP_CONFORMANCE_CHECK_H
#define IWARP_CONFORMANCE_CHECK_H

#include "conformance/capture.h"
#include "conformance/report.h"

/* Called every now and then with how far the capture was read, 0 to 1 (negative: unknown). */
struct check_progress {
    void (*tell)(void *ctx, double part);
    void *ctx;
};

/*
 * Reads `source` to its end and fills `capture`. Lines of --print go to `print` (NULL: none). What goes wrong is told
 * in capture->trouble; everything found before is kept. Up to `threads` work on its connections: the report does not
 * depend on how many. Several captures may be checked at once in different threads.
 */
void check_capture(const struct check_options *options, struct capture *source, struct report_capture *capture,
                   FILE *print, unsigned threads, const struct check_progress *progress);

#endif
