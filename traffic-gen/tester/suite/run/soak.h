/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Soak: repeats the cases in random order for as long as the user wishes, to see what a device does after hours. Each
 * case has one result for all its runs; a case with changing outcomes is unstable.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_SOAK_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_SOAK_H

#include "traffic-gen/tester/suite/run/run.h"

struct soak_options {
    int64_t duration; /* ns */
    uint32_t seed;    /* for the order */
    /* The device's own data, for g_free(); asked for now and then. NULL, or a result of NULL: none. */
    char *(*device_info)(void *ctx);
    void *ctx;
};

/* Like run_cases(), and fills in report->soak. */
void soak_run(struct talk_run *run, const GArray *chosen, const struct run_options *options,
              const struct soak_options *soak, struct suite_report *report);

#endif
