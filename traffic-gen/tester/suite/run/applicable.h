/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of the chosen cases the device's service allows, and which service would allow the others. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_APPLICABLE_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_APPLICABLE_H

#include "traffic-gen/tester/suite/run/run.h"

/*
 * Call after learn_device(): the cases (struct chosen_case) that suit the service. Cases that need an undeclared
 * service are left out and counted in report->missing. declared: the user named the service.
 */
GArray *cases_of_service(const struct talk_run *run, const GArray *chosen, bool declared, struct suite_report *report);

/* Call after learn_device(): fills in report->chosen, can_run, missing, start_up and sign. */
void report_applicable(const struct talk_run *run, const GArray *chosen /* struct chosen_case */,
                       struct suite_report *report);

#endif
