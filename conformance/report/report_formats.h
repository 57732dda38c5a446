/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report formats. Each writes a concluded report to `out`; errors stay in the stream. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_FORMATS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_FORMATS_H

#include "conformance/options/outputs.h"

#include <stdio.h>

struct report;

/* By enum report_format. */
extern void (*const report_writers[])(const struct report *report, FILE *out);
void report_write_text(const struct report *report, FILE *out);
void report_write_ndjson(const struct report *report, FILE *out);
void report_write_junit(const struct report *report, FILE *out);
void report_write_html(const struct report *report, FILE *out);
void report_write_sarif(const struct report *report, FILE *out);
void report_write_github(const struct report *report, FILE *out);
void report_write_markdown(const struct report *report, FILE *out);
void report_write_tap(const struct report *report, FILE *out);
/* One line per capture: --summary. */
void report_write_summary(const struct report *report, FILE *out);

/* --write-waivers: the failing findings, as a waiver file that waives these and as little else as possible. */
void report_write_waivers(const struct report *report, FILE *out);

#endif
