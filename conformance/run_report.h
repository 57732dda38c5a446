/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the reports: one at the end, or one for each period. */
#ifndef IWARP_CONFORMANCE_RUN_REPORT_H
#define IWARP_CONFORMANCE_RUN_REPORT_H

#include "conformance/model/report.h"

/* The files written at the end, or at the end of the first period: gchar *, ended by NULL. */
GPtrArray *run_report_paths(const struct check_options *options);
/* False: the report could not be written to its place; reported on standard error. */
bool run_report_possible(const struct check_options *options);
/*
 * Ends a run without parts: sums up, writes everything and reports errors. blank: write an empty line before the
 * report.
 */
enum check_status run_report_all(struct report *report, bool blank);

/* A run in parts. */
struct run_parts {
    struct report *report; /* for one capture */
    bool trouble, fails;
    bool connections, judged; /* there was a part; something was judged in a part */
};

/* Called when the report of a part is complete. ctx: a struct run_parts. */
void run_report_part(void *ctx);
/* Called after the last part. */
enum check_status run_parts_status(const struct run_parts *parts);

#endif
