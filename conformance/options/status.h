/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses. */
#ifndef IWARP_CONFORMANCE_OPTIONS_STATUS_H
#define IWARP_CONFORMANCE_OPTIONS_STATUS_H

enum check_status { CHECK_PASS = 0, CHECK_FAIL = 1, CHECK_TROUBLE = 2, CHECK_NOTHING = 3 };

#endif
