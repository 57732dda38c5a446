/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counterparts of passes. A device that never refuses passes every "must accept" case, and a device that closes at random
 * passes every "must refuse" case: a pass counts only if the run has seen that the device can do both.
 */
#ifndef IWARP_TRAFFIC_SUITE_RUN_COUNTERPARTS_H
#define IWARP_TRAFFIC_SUITE_RUN_COUNTERPARTS_H

#include "traffic-gen/suite/result/result.h"

/*
 * When all cases have run: sets rests_on of the cases that passed; those whose counterpart is missing become
 * inconclusive. answers: the device answered on the first connections, so that it was seen to go on. closes_checks: it
 * closed connections with nothing odd, too (device_closes_at_times()): then neither a refusal nor a failure to go on
 * is about what was odd.
 */
void counterparts_settle(struct suite_report *report, bool answers, bool closes_checks);

/* It is inconclusive for that alone: another run may have seen what this one lacked. */
bool counterpart_was_missing(const struct case_result *result);

#endif
