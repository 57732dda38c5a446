/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of findings of a connection that make the run fail, for --write-waivers, including findings that the report
 * only counts. Findings that differ in numbers alone are of one kind.
 */
#ifndef IWARP_CONFORMANCE_MODEL_REPORT_KINDS_H
#define IWARP_CONFORMANCE_MODEL_REPORT_KINDS_H

#include "conformance/model/report.h"

struct report_kind {
    enum rule_id rule;
    enum direction direction;
    struct finding_subject subject;
    char *found; /* the message as a pattern: '#' for numbers */
    uint64_t times;
    uint32_t frame; /* of the first */
};

/* Counts a finding; the table of struct report_kind * is made when there is none. */
void report_kinds_add(GHashTable **kinds, const struct report_finding *finding, const char *message);
/* Takes back what was counted. */
void report_kinds_drop(GHashTable *kinds, const struct report_finding *finding);
/* As `found` of a waiver: "found #"; g_free() it. */
char *report_kind_pattern(const char *message);
/* Of the same kind: rule, direction, subject and pattern. */
guint report_kind_hash(gconstpointer kind);
gboolean report_kind_equal(gconstpointer kind, gconstpointer other);

/* The address of an end, without the port, as in the scope of a waiver; NULL: the end has none. g_free() it. */
char *report_kind_address(const struct endpoint *end);

#endif
