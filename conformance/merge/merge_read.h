/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first pass over a report: validates it, adds up sums, and finds its captures. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_READ_H
#define IWARP_CONFORMANCE_MERGE_MERGE_READ_H

#include "conformance/merge/merge_files.h"
#include "conformance/merge/merge_lines.h"

/* Whether connections of a capture were judged; if not, why. */
struct merge_judged {
    bool any;
    uint64_t n, rejected; /* connections; of these, rejected on RoCE or InfiniBand */
    enum report_emptiness why;
};

void merge_judge_connection(struct merge_judged *judged, const struct report_connection *connection);
enum report_emptiness merge_emptiness(const struct merge_judged *judged);

/* A capture of a report, or a part of one. Offsets are into the file. */
struct merge_capture {
    guint file;                /* the report's number */
    uint64_t begin, line, end; /* the lines of its connections, then its own line */
    uint32_t number;           /* of the first connection */
    const char *name;          /* name of the capture file; interned */
    const char *series;        /* interned; NULL: the capture is whole */
    unsigned first, last;      /* part numbers */
    bool ended;                /* the last part */
    int64_t start_ns;
    bool failed;              /* has "error" */
    bool fails, cut_short;    /* the verdict of its run; whether connections were dropped to make room */
    bool trouble, incomplete; /* had trouble; had a handshake that was never completed */
    uint64_t not_listed;      /* connections */
    struct merge_judged judged;
};

struct merge_sums {
    GArray *captures; /* struct merge_capture */
    gchar *profile;
    uint64_t found[SEVERITY_COUNT], waived;
    bool failed_capture;
    bool cut_short; /* connections were dropped to make room */
    bool exercised[RULE_COUNT];
    GHashTable *unused; /* ids of waivers, including those that another report used */
    GHashTable *used;   /* ids of rules that a report waived and does not list as unused */
};

void merge_sums_init(struct merge_sums *sums);
void merge_sums_clear(struct merge_sums *sums);
enum rule_profile merge_profile(const struct merge_sums *sums);
/* NULL: the report was read. Otherwise the reason, which the caller frees; the sums are then unusable. */
gchar *merge_read(struct merge_sums *sums, struct merge_files *files, guint number);

/* A line to read connections and captures into. */
void merge_line_init(struct report_line *line, enum rule_profile profile);
void merge_line_clear(struct report_line *line);

#endif
