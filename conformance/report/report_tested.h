/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was tested, for JUnit and TAP: a suite per capture, and one per connection with the rules as its cases. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_TESTED_H
#define IWARP_CONFORMANCE_REPORT_REPORT_TESTED_H

#include "conformance/report/report_parts.h"
#include "support/tested.h"

struct report_suite {
    struct tested_suite tested; /* its cases, and what happened in `out` */
    const struct report *report;
    const struct report_capture *capture;       /* NULL: the suite of unused waivers, which comes last */
    const struct report_connection *connection; /* NULL: the suite of the capture, which comes first */
    unsigned left_out[EXCLUSION_COUNT];         /* rules without a test case in JUnit */
};

/* Calls take() with each suite; the suite lives as long as the call. */
void report_each_suite(const struct report *report, void (*take)(struct report_suite *suite, void *ctx), void *ctx);

#endif
