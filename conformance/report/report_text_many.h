/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps text reports with thousands of findings readable. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_TEXT_MANY_H
#define IWARP_CONFORMANCE_REPORT_REPORT_TEXT_MANY_H

#include "conformance/report/report_parts.h"
#include "conformance/report/terminal.h"

/* Lists the violated rules, if there are many findings. */
void many_write_rules(const struct report *report, const struct terminal *terminal);

/* On how many connections each rule was shown as violated, and as waived. */
struct many_shown {
    unsigned char connections[2][RULE_COUNT];
    unsigned left_out; /* connections */
};

/*
 * False: all findings of the connection are of rules that were shown several times, so the connection is only counted.
 */
bool many_to_show(struct many_shown *shown, const struct report_connection *connection);

#endif
