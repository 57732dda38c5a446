/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge --baseline=OLD.ndjson: which findings are new, gone or unchanged since an earlier report. Two findings are the
 * same if they have the same rule, severity, sender's address, direction, operation, kind of message and text, apart
 * from numbers in the text. Two troubles are the same if kind, client and server are the same.
 */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_BASELINE_H
#define IWARP_CONFORMANCE_MERGE_MERGE_BASELINE_H

#include "conformance/model/report.h"
#include "support/json_writer.h"

struct merge_baseline;

/* Compares findings that are not waived. file: the name of the earlier report. */
struct merge_baseline *merge_baseline_new(const char *file, const struct report *earlier, const struct report *now);
void merge_baseline_free(struct merge_baseline *baseline); /* may be NULL */
/* True: a finding or trouble is new, and makes the run fail. */
bool merge_baseline_fails(const struct merge_baseline *baseline, const struct check_options *options);
/*
 * Waives findings of `report` that the earlier report has, too: options->waivers then owns their waiver. Trouble of the
 * earlier report becomes `known`.
 */
void merge_baseline_waive(const struct merge_baseline *baseline, struct report *report, struct check_options *options);
void merge_baseline_write_json(const void *baseline, struct json_writer *writer);
void merge_baseline_write_text(const struct merge_baseline *baseline, FILE *out);

#endif
