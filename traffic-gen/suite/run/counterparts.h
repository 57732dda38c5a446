/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counterparts of passes. A device that never refuses passes every "must accept" case, and a device that closes at
 * random passes every "must refuse" case: a pass counts only if the run has seen that the device can do both.
 */
#ifndef IWARP_TRAFFIC_SUITE_RUN_COUNTERPARTS_H
#define IWARP_TRAFFIC_SUITE_RUN_COUNTERPARTS_H

#include "traffic-gen/suite/result/result.h"

/* What connections with nothing odd have shown. */
struct counterparts_checks {
    bool answered; /* the first ones: the device was seen to go on */
    bool close;    /* device_closes_at_times(): a refusal is not about what was odd */
    bool fail;     /* device_fails_at_times(): nor is it when it does not go on */
};

/*
 * When all cases have run: sets rests_on of the cases that passed; those whose counterpart is missing become
 * inconclusive, and so do failures that may be chance.
 */
void counterparts_settle(struct suite_report *report, const struct counterparts_checks *of);

/* It is inconclusive for that alone: another run may have seen what this one lacked. */
bool counterpart_was_missing(const struct case_result *result);

#endif
