/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All captures of a command line: opened, checked (several at once with -j), reported. */
#ifndef IWARP_CONFORMANCE_RUN_H
#define IWARP_CONFORMANCE_RUN_H

#include "conformance/options/options.h"

/* Writes the report, and one line per trouble to standard error. */
enum check_status run_check(const struct check_options *options);

/* -D */
enum check_status run_list_interfaces(void);

#endif
