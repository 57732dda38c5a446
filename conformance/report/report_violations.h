/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules violated, over all captures of a report: what several formats begin with. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_VIOLATIONS_H
#define IWARP_CONFORMANCE_REPORT_REPORT_VIOLATIONS_H

#include "conformance/report/report_parts.h"

/* A rule with findings. */
struct violation {
    enum rule_id rule;
    const struct report_finding *worst;
    const struct report_capture *capture; /* of that one */
    uint64_t times;                       /* findings in all, those not kept as well */
    unsigned connections, captures;
};

/* Of struct violation: the most severe first, waived ones last; within that the most frequent. The caller's. */
GArray *report_violations(const struct report *report);
/* Findings of the group in all: those not kept as well. groups: finding_groups() of the connection. */
uint64_t finding_group_times(const struct report_connection *connection, const GArray *groups,
                             const struct finding_group *group);
/* "error", "warning", "note" or "waived". */
const char *finding_class(const struct report_finding *finding);

/*
 * report_known.c, under a FAIL: which of the waiver files that come with iwarp-check explain it. "9 of 12 findings
 * would be waived if the iWARP device is siw of Linux 6.1 (--waivers=linux-6.1-siw)"; NULL: it does not fail, or none
 * explains anything. g_free() it.
 */
gchar *known_text(const struct report *report);

#endif
