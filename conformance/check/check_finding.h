/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes a finding of the engine into the report of its connection: waived or not, failing or not, listed or only
 * counted.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_FINDING_H
#define IWARP_CONFORMANCE_CHECK_CHECK_FINDING_H

#include "conformance/model/report.h"

/* The roles of the ends, as far as known when the finding was made. */
struct check_roles {
    const struct endpoint *initiator, *responder;
    bool known; /* false: presumed */
};

enum check_taking {
    CHECK_UNREPORTED, /* the options exclude this rule */
    CHECK_COUNTED,    /* not kept, because there are too many */
    CHECK_KEPT,
};

/* direction: known, or presumed. keep: there is room for the finding. */
enum check_taking check_take_finding(const struct check_options *options, struct report_connection *report,
                                     const struct check_roles *roles, const struct finding *finding,
                                     enum direction direction, bool keep);
/* Withdraws finding i of the report, as if it had never been made. */
void check_drop_finding(const struct check_options *options, struct report_connection *report, guint i);

#endif
