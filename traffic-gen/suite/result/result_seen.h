/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breaches of rules other than the tested rule, reported as failures of those rules. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_SEEN_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_SEEN_H

#include "engine/core/rule.h"
#include "traffic-gen/suite/result/result.h"

/*
 * The rule of "ID: message" if a document requires it: its breach is a failure. NULL: it is only reported, or a wrong
 * layout of Terminates explains it.
 */
const struct rule *result_seen_rule(const char *observation, bool wrong_layout);

/*
 * Adds a result "ID/seen" for each selected rule without a failed case of its own: failed, or inconclusive when no case
 * saw the breach in more than one run.
 */
void result_seen_add(struct suite_report *report, bool (*wanted)(void *ctx, const char *rule), void *ctx);

#endif
