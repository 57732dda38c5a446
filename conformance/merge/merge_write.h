/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the merged report: as NDJSON, line by line, and into memory. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_WRITE_H
#define IWARP_CONFORMANCE_MERGE_MERGE_WRITE_H

#include "conformance/merge/merge_parts.h"

struct merge_writing {
    struct merge_files *files;
    FILE *out;
    enum rule_profile profile;
    const GArray *verdicts; /* enum check_status of each capture; NULL: the verdicts of the runs stand */
    gchar *error;           /* the error; g_free() it */
    /* Sums. */
    uint64_t connections; /* each counts once for all parts of a capture */
    uint64_t empty;       /* captures in which nothing was checked */
    uint64_t incomplete;  /* of these, captures with nothing but handshakes that were never completed */
};

/* Writes the lines of all captures and their connections. False: see writing->error. */
bool merge_write_captures(struct merge_writing *writing, const GArray *entries);

/*
 * merge_report.c, for formats other than NDJSON: fills `report`, which was created with options, from the merged report
 * in a file. Waivers go into options->waivers. Such a report has no ladders, no statistics and no counts of upper
 * layers. False: the file cannot be read.
 */
bool merge_report_fill(struct report *report, struct check_options *options, FILE *merged);

#endif
