/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first time that a report is read: whether it is one, what it adds to the sums, and where its captures are. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_READ_H
#define IWARP_CONFORMANCE_MERGE_MERGE_READ_H

#include "conformance/merge/merge_files.h"
#include "conformance/merge/merge_lines.h"

/* Whether connections of a capture were judged, and why not if none was. */
struct merge_judged {
    bool any;
    uint64_t n, rejected; /* connections; those that were rejected on RoCE or InfiniBand */
    enum report_emptiness why;
};

void merge_judge_connection(struct merge_judged *judged, const struct report_connection *connection);
enum report_emptiness merge_emptiness(const struct merge_judged *judged);

/* A capture of a report, or a part of one. Octets are those of the file. */
struct merge_capture {
    guint file;                /* its number */
    uint64_t begin, line, end; /* the lines of its connections, then its own */
    uint32_t number;           /* of the first of these */
    const char *name;          /* of its own file; interned */
    const char *series;        /* interned; NULL: it is whole */
    unsigned first, last;      /* numbers of parts */
    bool ended;                /* no part follows */
    int64_t start_ns;
    bool failed;              /* has "error" */
    bool fails, cut_short;    /* the verdict of its run; whether connections were dropped to make room for others */
    bool trouble, incomplete; /* something went wrong; a handshake was never completed */
    uint64_t not_listed;      /* connections */
    struct merge_judged judged;
};

struct merge_sums {
    GArray *captures; /* struct merge_capture */
    gchar *profile;
    uint64_t found[SEVERITY_COUNT], waived;
    bool failed_capture;
    bool cut_short; /* connections were dropped to make room for others */
    bool exercised[RULE_COUNT];
    GHashTable *unused; /* ids of waivers, also those that another report used */
    GHashTable *used;   /* ids of rules that a report waived and does not list as unused */
};

void merge_sums_init(struct merge_sums *sums);
void merge_sums_clear(struct merge_sums *sums);
enum rule_profile merge_profile(const struct merge_sums *sums);
/* NULL: the report was read; else why not, which the caller frees, and the sums are unusable. */
gchar *merge_read(struct merge_sums *sums, struct merge_files *files, guint number);

/* A line to read connections and captures into. */
void merge_line_init(struct report_line *line, enum rule_profile profile);
void merge_line_clear(struct report_line *line);

#endif
