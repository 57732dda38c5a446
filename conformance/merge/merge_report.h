/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merged report in memory, for the formats other than NDJSON. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H
#define IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H

#include "conformance/model/report.h"

#include <stdio.h>

/*
 * Fills `report`, which was made with options, from the merged report in a file. Waivers go into options->waivers.
 * Ladders, statistics and counts of upper layers are not in such a report. False: it cannot be read.
 */
bool merge_report_fill(struct report *report, struct check_options *options, FILE *merged);

#endif
