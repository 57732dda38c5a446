/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The origin of a report, for traceability: command line, rules, device. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_ORIGIN_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_ORIGIN_H

#include "traffic-gen/suite/result/result.h"

/* A command line quoted for a shell; owned by the caller. */
char *origin_command(int argc, char *const *argv);
/* "1729 rules, SHA-256 9f86d081...": equal for programs with the same catalogue; owned by the caller. */
char *origin_catalogue(void);
/* Adds the file with its present hash, or without one if it cannot be read. */
void origin_add_recording(struct suite_report *report, const char *path);

#endif
