/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Soak: the cases again and again, in random order, for as long as the user wants: what a device does after an hour
 * counts, too. Each case has one result, of all its runs: one that is not always the same is unstable.
 */
#ifndef IWARP_TRAFFIC_SUITE_RUN_SOAK_H
#define IWARP_TRAFFIC_SUITE_RUN_SOAK_H

#include "traffic-gen/suite/run/run.h"

struct soak_options {
    int64_t duration; /* ns */
    uint32_t seed;    /* of the order */
    /* What the device says of itself, for g_free(); asked for at times. NULL, or a result of NULL: nothing. */
    char *(*device_info)(void *ctx);
    void *ctx;
};

/* As run_cases(), with report->soak. */
void soak_run(struct talk_run *run, const GArray *chosen, const struct run_options *options,
              const struct soak_options *soak, struct suite_report *report);

#endif
