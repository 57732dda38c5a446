/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Terminates mean whose first word is not laid out as in RFC 5040 Figure 9. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_LAYOUT_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_LAYOUT_H

#include "traffic-gen/suite/result/result.h"

/*
 * layout: of engine/terminate/terminate_layout.h, proven by one of the device's Terminates. Wherever the results name
 * one of its Terminates, what it means is added after it, if that is known.
 */
void result_layout_explain(struct suite_report *report, const char *layout);

#endif
