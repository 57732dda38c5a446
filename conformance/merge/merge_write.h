/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merged report: as NDJSON, a line at a time, and in memory. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_WRITE_H
#define IWARP_CONFORMANCE_MERGE_MERGE_WRITE_H

#include "conformance/merge/merge_parts.h"

struct merge_writing {
    struct merge_files *files;
    FILE *out;
    enum rule_profile profile;
    const GArray *verdicts; /* enum check_status of each capture; NULL: the verdicts of the runs stay */
    gchar *error;           /* why it ended; g_free() it */
    /* Sums. */
    uint64_t connections; /* of the parts of a capture each once */
    uint64_t empty;       /* captures of which nothing was checked */
    uint64_t incomplete;  /* of these, those that hold no more than handshakes that were never completed */
};

/* The lines of all captures and of their connections. False: writing->error says why. */
bool merge_write_captures(struct merge_writing *writing, const GArray *entries);

/*
 * merge_report.c, for the formats other than NDJSON: fills `report`, which was made with options, from the merged
 * report in a file. Waivers go into options->waivers. Ladders, statistics and counts of upper layers are not in such a
 * report. False: it cannot be read.
 */
bool merge_report_fill(struct report *report, struct check_options *options, FILE *merged);

#endif
