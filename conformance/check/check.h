/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a capture through the engine into a report. */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_H
#define IWARP_CONFORMANCE_CHECK_CHECK_H

#include "conformance/input/capture.h"
#include "conformance/model/report.h"

/* Called now and then with the fraction of the capture that has been read, 0 to 1; negative: unknown. */
struct check_progress {
    void (*report)(void *ctx, double part);
    void *ctx;
};

/* Reports for each period, by the times of packets; in a live capture, even if no packets arrive. */
struct check_parts {
    void (*report)(void *ctx); /* the report_capture has a part, and is emptied afterwards. NULL: a single report */
    void *ctx;
    int64_t period_ns;
};

struct check_setup {
    const struct check_options *options;
    FILE *print;      /* lines of --print; NULL: none */
    bool two_points;  /* the capture has each packet from two capture points: two_points_found() */
    unsigned threads; /* for the connections of the capture; the report does not depend on the number */
    struct check_progress progress;
    struct check_parts parts;
};

/*
 * Reads `source` to its end and fills `capture`. capture->trouble describes errors; findings before an error are kept.
 * Several threads may check different captures at the same time.
 */
void check_capture(const struct check_setup *setup, struct capture *source, struct report_capture *capture);

#endif
