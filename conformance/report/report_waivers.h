/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --write-waivers: the findings that make the run fail, as a waiver file that waives these and as little else as can
 * be. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_WAIVERS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_WAIVERS_H

#include "conformance/model/report.h"

void report_write_waivers(const struct report *report, FILE *out);

#endif
