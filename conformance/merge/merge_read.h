/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first time that a report is read: whether it is one, what it adds to the sums, and where its captures are. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_READ_H
#define IWARP_CONFORMANCE_MERGE_MERGE_READ_H

#include "conformance/merge/merge_files.h"
#include "conformance/merge/merge_input.h"
#include "conformance/model/report.h"

/* Whether connections of a capture were judged, and why not if none was. */
struct merge_judged {
    bool any;
    uint64_t n, rejected; /* connections; those that were rejected on RoCE or InfiniBand */
    enum report_emptiness why;
};

/* Of a guest that has rules: JSON has it under the name of its kind. */
bool merge_has_judged_guest(struct json_view connection);
void merge_judge_connection(struct merge_judged *judged, struct json_view connection);
enum report_emptiness merge_emptiness(const struct merge_judged *judged);

/* A capture of a report, or a part of one. Octets are those of the file. */
struct merge_capture {
    guint file;               /* its number */
    uint64_t begin, end;      /* its text */
    uint64_t from, to;        /* of that, the array of its connections */
    const char *series;       /* interned; NULL: it is whole */
    uint64_t first, last;     /* numbers of parts */
    bool failed, says_why;    /* has "error"; "nothing_checked" */
    bool fails, cut_short;    /* the verdict of its run; has "connections_cut_short" */
    bool has_trouble;         /* has "calls" and "trouble", as reports from the third format on */
    bool trouble, incomplete; /* something went wrong; a handshake was never completed */
    bool lacks_rules;         /* of MERGE_FORMAT_OF_CONNECTIONS: only its connections have counts of rules */
    uint64_t not_listed;      /* connections */
    struct merge_judged judged;
};

struct merge_sums {
    GArray *captures; /* struct merge_capture */
    gchar *profile;
    uint64_t found[SEVERITY_COUNT], waived;
    bool failed_capture;
    bool cut_short;        /* connections that made room for others */
    GHashTable *exercised; /* ids of rules that passed or failed */
    GHashTable *unused;    /* ids of waivers, also those that another report used */
    GHashTable *used;      /* ids of rules that a report waived and does not call unused */
};

void merge_sums_init(struct merge_sums *sums);
void merge_sums_clear(struct merge_sums *sums);
/* False: input->error says why, and the sums are of no use. */
bool merge_read(struct merge_sums *sums, struct merge_input *input, struct merge_files *files, guint number);

#endif
