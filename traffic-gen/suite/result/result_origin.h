/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a report comes from, so that a run can be held to account: what was run, by which rules, on which device. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_ORIGIN_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_ORIGIN_H

#include "traffic-gen/suite/result/result.h"

/* A command line as a shell takes it; the caller's. */
char *origin_command(int argc, char *const *argv);
/* "1729 rules, SHA-256 9f86d081...": equal for programs that judge by the same catalogue; the caller's. */
char *origin_catalogue(void);
/* Adds the file with its hash, as it is now; one that cannot be read has none. */
void origin_add_recording(struct suite_report *report, const char *path);

#endif
