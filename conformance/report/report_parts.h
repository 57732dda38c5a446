/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text shared by several report formats. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_PARTS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_PARTS_H

#include "conformance/model/finding_words.h"
#include "conformance/model/report.h"
#include "engine/core/words.h"
#include "support/printable.h"

/* Why a rule was not exercised. */
enum exclusion {
    EXERCISED,
    INCONCLUSIVE,
    NO_OCCASION,
    NO_STIMULUS,
    ACTIVE_ONLY,
    ALONG,
    PERMISSION,
    INSIDE,
    NO_RULE_FOR_TRAFFIC,
    OTHER_PROFILE,
    OTHER_TRANSPORT,
    NOT_SELECTED,
    EXCLUSION_COUNT,
};

/* count: for a connection, or for all connections. */
enum exclusion exclusion_of(const struct report *report, enum rule_id id, const struct rule_count *count);
/* NULL for EXERCISED. */
const char *exclusion_text(enum exclusion why);
/* "inconclusive: packets are missing near frame 812"; g_free() it. file: NULL, or the capture is named. */
gchar *report_doubt_text(const struct doubt_at *doubt, const char *file);
/* The same for the rule in all captures, which are named if there are several. NULL: the rule was not inconclusive. */
gchar *report_rule_doubt_text(const struct report *report, enum rule_id id);

/* "frames 12-353", "frame 12"; g_free() it. */
gchar *frames_text(uint32_t first, uint32_t last);
/* "complete"; or that packets are missing. */
const char *completeness_text(const struct report_connection *connection);
/* ", 37 packets cut to 96 octets (snap length)", or an empty text. */
void add_snapped(GString *text, const struct report_capture *capture);
/* The capture could not be opened: the reason is all there is to report. */
bool report_unopened(const struct report_capture *capture);
/* "responder" or "initiator": the receiver of the finding's frame. */
const char *receiver_text(const struct report_finding *finding);
/* "2 errors, 1 note, 3 waived", "no findings"; g_free() it. */
gchar *found_text(const uint64_t found[SEVERITY_COUNT], uint64_t waived);
/* For one capture: its verdict, and what was found in it. */
enum check_status report_capture_status(const struct check_options *options, const struct report_capture *capture,
                                        uint64_t found[SEVERITY_COUNT], uint64_t *waived);
/* The verdict on the capture is TROUBLE; see report_is_trouble(). */
bool report_capture_is_trouble(const struct check_options *options, const struct report_capture *capture);
/* "FAIL: 3 errors in 2 connections, 135 rules exercised"; for a concluded report. g_free() it. */
gchar *verdict_text(const struct report *report);

/*
 * "frame 31 (from 30) (see 4), 0.004512 s (2026-11-21T10:45:00.004512Z), to the responder"; without the absolute time
 * if start_ns is 0 (unknown). g_free() it.
 */
gchar *finding_place_text(const struct report_finding *finding, int64_t start_ns);
/* " (and 27 more, frames 40-353)", or an empty text; g_free() it. */
gchar *finding_more_text(const struct report_finding *finding);
/* In one line: the place, what was found, "; expected ...", and how many more; g_free() it. */
gchar *finding_text(const struct report_finding *finding, int64_t start_ns);
/* "RFC 8166 section 3.4.6 (MUST)"; g_free() it. */
gchar *finding_rule_text(enum rule_id id);
/* The findings of a connection by rule: all findings of one rule with the same waiver, or without one. */
struct finding_group {
    const struct report_finding *first;
    guint at;       /* index of the first */
    unsigned n;     /* listed */
    uint64_t times; /* including those that are folded */
};

bool finding_in_group(const struct report_finding *finding, const struct finding_group *group);
/* Array of struct finding_group: the most severe first, waived groups last, then by frames. Owned by the caller. */
GArray *finding_groups(const struct report_connection *connection);
/* Other rules with the same requirement, "MPA2-3-02, DDP-6.1-01", or an empty text; g_free() it. */
gchar *aliases_text(const struct check_options *options, enum rule_id id);

/* "expired waiver: MPA-4.1-05 (known.yaml:1), which was valid until 2026-01-31"; g_free() it. */
gchar *expired_waiver_text(const struct waiver *waiver);
/*
 * About an unused waiver: where it was given, and for a rule without its own findings the rules to waive; g_free() it.
 */
gchar *unused_waiver_text(const struct waiver *waiver);

/* "part 3, 2026-11-21T10:45:00.000000Z to ..."; NULL: the capture is whole. g_free() it. */
gchar *part_text(const struct report_part *part);
/* "2026-11-21T10:45:00.000000Z"; g_free() it. */
gchar *clock_text(int64_t time_ns);
/* ", continued", ", goes on", both, or an empty text: for a connection in a part. */
const char *continuity_text(const struct report_connection *connection);

/* "1 RDMA Write, 2 RDMA Read Requests, 4 Sends with Invalidate", or an empty text; g_free() it. */
gchar *operations_text(const struct report_connection *connection);
/* "none", "both directions", "to responder", ... */
const char *markers_text(const struct report_connection *connection);
/* "RTR Send Read"; "RTR none in common". Freed with g_free(). */
gchar *rtr_text(unsigned rtr);

#endif
