/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of failing findings of a connection, for --write-waivers, including findings that the report only counts.
 * Findings that differ only in numbers are of one kind.
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

/* Counts a finding; creates the table of struct report_kind * if there is none. */
void report_kinds_add(GHashTable **kinds, const struct report_finding *finding, const char *message);
/* Takes a counted finding back. */
void report_kinds_drop(GHashTable *kinds, const struct report_finding *finding);
/* The `found` of a waiver, such as "found #"; g_free() it. */
char *report_kind_pattern(const char *message);
/* Whether the kinds are equal: rule, direction, subject and pattern. */
guint report_kind_hash(gconstpointer kind);
gboolean report_kind_equal(gconstpointer kind, gconstpointer other);

/* The address of an end without the port, for the scope of a waiver; NULL: the end has no address. g_free() it. */
char *report_kind_address(const struct endpoint *end);

#endif
