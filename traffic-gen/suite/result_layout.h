/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terminates of a device that puts their first word otherwise than RFC 5040 Figure 9 says: what they mean. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_LAYOUT_H
#define IWARP_TRAFFIC_SUITE_RESULT_LAYOUT_H

#include "traffic-gen/suite/result.h"

/*
 * layout: of engine/rdmap_terminate_layout.h, proven by some Terminate of the device. Every Terminate of the device
 * that the results speak of gets what it means behind it, if that can be said.
 */
void result_layout_tell(struct suite_report *report, const char *layout);

#endif
