/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of the chosen cases the device's service allows, and which one would allow the others. */
#ifndef IWARP_TRAFFIC_SUITE_REACH_H
#define IWARP_TRAFFIC_SUITE_REACH_H

#include "traffic-gen/suite/run.h"

/* After run_learn(): fills in report->reach, report->start_up and report->sign. */
void reach_tell(const struct talk_run *run, const GArray *chosen /* struct chosen_test */, struct test_report *report);

#endif
