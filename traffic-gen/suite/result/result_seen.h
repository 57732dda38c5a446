/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breaches of rules other than the one under test, as failures of those rules. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_SEEN_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_SEEN_H

#include "traffic-gen/suite/result/result.h"

/* Adds a failed result "ID/seen" for each selected rule that has no failed case of its own. */
void result_seen_add(struct suite_report *report, bool (*wanted)(void *ctx, const char *rule), void *ctx);

#endif
