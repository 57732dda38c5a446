/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A merged report as the formats other than JSON want it. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H
#define IWARP_CONFORMANCE_MERGE_MERGE_REPORT_H

#include "conformance/model/report.h"

#include <json-glib/json-glib.h>

/*
 * Fills `report`, which options are given to, from the captures of merge_parts(). What is missing or of another type is
 * left out: everything that decides has been checked. Waivers go into options->waivers. What JSON does not contain
 * (ladders, statistics, counts of upper layers) is not in such a report.
 */
void merge_report_fill(struct report *report, struct check_options *options, JsonArray *captures);

#endif
