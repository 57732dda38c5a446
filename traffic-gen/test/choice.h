/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user chooses: the DUT's address, tests, waivers. */
#ifndef IWARP_TRAFFIC_TEST_CHOICE_H
#define IWARP_TRAFFIC_TEST_CHOICE_H

#include "traffic-gen/test/result.h"
#include "traffic-gen/test/suite.h"

/* "host:port", "[v6]:port", ":port" (to listen). */
bool choice_address(const char *text, bool listening, char **host, char **port, GError **error);

/*
 * The tests (struct chosen_test) of the suites that fit the selections; lists are comma-separated, NULL: all. NULL with
 * *error when a word names nothing, or nothing is left.
 */
GArray *choice_tests(char *const *suites_wanted, char *const *rules, char *const *skip, enum suite_dut dut,
                     GError **error);

/*
 * Known deviations: a YAML list of {id, why, link, scope}, as iwarp-check takes it; id is that of a rule or of a test.
 * path NULL: none.
 */
GPtrArray *choice_waivers(const char *path, GError **error);
/* Marks failures as waived, and tells in the report which waivers matched none. */
void choice_waive(GPtrArray *waivers, struct test_report *report);

#endif
