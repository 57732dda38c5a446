/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs chosen tests against one DUT, several at a time if wished, each on connections of its own. */
#ifndef IWARP_TRAFFIC_TEST_RUN_H
#define IWARP_TRAFFIC_TEST_RUN_H

#include "traffic-gen/test/result.h"
#include "traffic-gen/test/talk_internal.h"

struct chosen_test {
    const struct suite *suite;
    const struct suite_test *test;
};

/*
 * A result per test, in their order. jobs: tests at the same time. progress (may be NULL) is told what is begun, by any
 * thread. Once net_stopped is set it comes to an end: there are no results of tests that were not finished then.
 */
void run_tests(struct talk_run *run, const GArray *chosen /* struct chosen_test */, unsigned jobs,
               void (*progress)(unsigned done, unsigned n, const char *id), struct test_report *report);

#endif
