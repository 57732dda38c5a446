/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The violated rules over all captures of a report, with which several formats begin. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_VIOLATIONS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_VIOLATIONS_H

#include "conformance/report/report_parts.h"

/* A rule with findings. */
struct violation {
    enum rule_id rule;
    const struct report_finding *worst;
    const struct report_capture *capture; /* on that connection */
    uint64_t times;                       /* all findings, even those not kept */
    unsigned connections, captures;
};

/*
 * Array of struct violation: the most severe first, waived violations last, then the most frequent. Owned by the
 * caller.
 */
GArray *report_violations(const struct report *report);
/* The number of findings in the group, even those not kept. groups: finding_groups() of the connection. */
uint64_t finding_group_times(const struct report_connection *connection, const GArray *groups,
                             const struct finding_group *group);
/* "error", "warning", "note" or "waived". */
const char *finding_class(const struct report_finding *finding);

/*
 * report_known.c, under a FAIL: the shipped waiver files that explain it. "9 of 12 findings would be waived if the
 * iWARP device is siw of Linux 6.1 (--waivers=linux-6.1-siw)"; NULL: no failure, or none explains anything. g_free()
 * it.
 */
gchar *known_text(const struct report *report);
/* The public error that the finding resembles or provokes; NULL: none. See shipped_known(). */
const struct waiver *known_error(const struct report_connection *connection, const struct report_finding *finding);

#endif
