/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user chooses: the device's address, cases, waivers. */
#ifndef IWARP_TRAFFIC_SUITE_RUN_CHOICE_H
#define IWARP_TRAFFIC_SUITE_RUN_CHOICE_H

#include "traffic-gen/suite/result/result.h"
#include "traffic-gen/suite/talk/suite.h"
#include "waivers/waivers.h"

/* "host:port", "[v6]:port", ":port" (to listen). */
bool choice_address(const char *text, bool listening, char **host, char **port, GError **error);

/*
 * The cases (struct chosen_case) of the suites that match the selections; lists are comma-separated, NULL: all. NULL
 * with *error when a word matches nothing, or nothing is left.
 */
GArray *choice_cases(char *const *suites_wanted, char *const *rules, char *const *skip, enum suite_dut dut,
                     GError **error);

/*
 * Of these cases the ones that need no octets below RDMA operations, for a device that is reached through an RDMA
 * device of this host. False with *error when a suite was asked for that has none, or nothing is left.
 */
bool choice_without_octets(GArray *chosen, char *const *suites_wanted, GError **error);

/* The same for a rule alone, whatever the suites. */
bool choice_takes(char *const *rules, char *const *skip, const char *rule);

/* Whether one of them is for the rule, of this device. */
bool choice_waives(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, enum rule_id rule);
/* Of those for values of combinations (waivers.h) the ids; an array of char *, ended by NULL, which the caller frees.
 */
char **choice_known_values(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device);
/* Marks a failure of this device as waived (waivers/waivers.h). */
void choice_waive(GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, struct case_result *result);
/* Adds to the report which shipped waivers would explain its failures. */
void choice_known(enum suite_dut dut, const struct endpoint *device, struct suite_report *report);
/* Adds the waivers that matched no failure to the report, but for shipped ones. of_values: combinations ran, no cases.
 */
void choice_unused(const GPtrArray *waivers, bool of_values, struct suite_report *report);

#endif
