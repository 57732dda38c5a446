/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counterparts of passes. A device that never refuses passes every "must accept" case, and a device that closes at
 * random passes every "must refuse" case: a pass counts only if the run has seen that the device can do both.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_COUNTERPARTS_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_COUNTERPARTS_H

#include "traffic-gen/tester/suite/result/result.h"

/* Experience with connections without errors. */
struct counterparts_checks {
    bool answered; /* the first connections: the device was seen to continue */
    bool close;    /* device_closes_at_times(): a refusal may have no cause */
    bool fail;     /* device_fails_at_times(): the same for a failure to continue */
};

/*
 * Call when all cases have run: sets rests_on in the passed cases. A pass without a counterpart becomes inconclusive,
 * and so does a failure that may be chance.
 */
void counterparts_settle(struct suite_report *report, const struct counterparts_checks *of);

/* Whether a missing counterpart is the only reason for inconclusive: another run may supply it. */
bool counterpart_was_missing(const struct case_result *result);

#endif
