/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that change the device's memory on one connection and read it on another. For these a device advertises octets
 * that all its connections share (REGION_SHARED in support/advert.h).
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_LOOK_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_LOOK_H

#include "traffic-gen/tester/suite/cases/suite_rows.h"

/* Their octets, read on a fresh connection; false: verdict is set (inconclusive, or not applicable). */
bool look_at(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE]);
/*
 * Fills them, and reads them on another connection, on which it leaves the talk. False: verdict is set, not applicable
 * if the device's connections share no memory.
 */
bool look_prepare(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE]);

#endif
