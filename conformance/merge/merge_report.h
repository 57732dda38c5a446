/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A merged report as the formats other than JSON want it. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H
#define IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H

#include "conformance/model/report.h"

#include <stdio.h>

/*
 * Fills `report`, which options are given to, from the merged report, which is read from where the descriptor of `json`
 * is. What is missing or of another type is left out: everything that decides has been checked. Waivers go into
 * options->waivers. What JSON does not contain (ladders, statistics, counts of upper layers) is not in such a report.
 * False: it cannot be read.
 */
bool merge_report_fill(struct report *report, struct check_options *options, FILE *json);

#endif
