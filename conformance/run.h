/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens, checks and reports all captures of a command line, several at once with -j. */
#ifndef IWARP_CONFORMANCE_RUN_H
#define IWARP_CONFORMANCE_RUN_H

#include "conformance/options/options.h"

/* Writes the report, and one line per error to standard error. */
enum check_status run_check(const struct check_options *options);

/* -D */
enum check_status run_list_interfaces(void);

#endif
