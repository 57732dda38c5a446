/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of Terminates whose first word is not laid out as in RFC 5040 Figure 9. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_LAYOUT_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_LAYOUT_H

#include "traffic-gen/suite/result/result.h"

/*
 * layout: from engine/terminate/terminate_layout.h, proven by one of the device's Terminates. Wherever the results name
 * one of its Terminates, the meaning is added if it is known.
 */
void result_layout_explain(struct suite_report *report, const char *layout);

#endif
