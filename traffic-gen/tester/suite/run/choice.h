/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's choices: the device's address, cases, waivers. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_CHOICE_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_CHOICE_H

#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/suite.h"
#include "waivers/waivers.h"

/* "host:port", "[v6]:port", ":port" (to listen). */
bool choice_address(const char *text, bool listening, char **host, char **port, GError **error);

/* The words of these lists, which are separated by commas. NULL: none. */
char **choice_words_of(char *const *lists);
/*
 * The cases (struct chosen_case) of the suites that match the selections; lists are separated by commas, NULL: all.
 * NULL with *error when a word matches nothing, or no case is left.
 */
GArray *choice_cases(char *const *suites_wanted, char *const *rules, char *const *skip, enum suite_dut dut,
                     GError **error);

/*
 * Keeps only cases without octets below RDMA operations, for a device that is reached through an RDMA device of this
 * host. False with *error when a requested suite has no such case, or no case is left.
 */
bool choice_without_octets(GArray *chosen, char *const *suites_wanted, GError **error);

/* Whether cases match for a single rule, in any suite. */
bool choice_takes(char *const *rules, char *const *skip, const char *rule);

/* Whether one of the waivers covers the rule, for this device. */
bool choice_waives(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, enum rule_id rule);
/*
 * The ids among waivers for values of combinations (waivers.h); an array of char *, ended by NULL, which the caller
 * frees.
 */
char **choice_known_values(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device);
/* Marks a failure of this device as waived (waivers/waivers.h). */
void choice_waive(GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, struct case_result *result);
/* Adds to the report the shipped waivers that would explain its failures. */
void choice_known(enum suite_dut dut, const struct endpoint *device, struct suite_report *report);
/*
 * Adds waivers without a matching failure to the report, except shipped ones. of_values: combinations ran instead of
 * cases.
 */
void choice_unused(const GPtrArray *waivers, bool of_values, struct suite_report *report);

#endif
