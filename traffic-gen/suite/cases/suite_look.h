/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that look into the device's memory over another connection than the one that changed it: for that a device
 * advertises octets that all its connections share (REGION_SHARED in support/advert.h).
 */
#ifndef IWARP_TRAFFIC_SUITE_CASES_SUITE_LOOK_H
#define IWARP_TRAFFIC_SUITE_CASES_SUITE_LOOK_H

#include "traffic-gen/suite/cases/suite_rows.h"

/* Where in the shared memory each case has its octets: cases may run at the same time. */
enum look_place {
    LOOK_BAD_CRC = 0,
    LOOK_BAD_VERSION = 512,
    LOOK_FETCH_ADD = 1024,
    LOOK_CMP_SWAP = 1536,
    LOOK_READS = 2048,
    LOOK_ADDITIONS = 2560,
};

/*
 * What row->says does to the TALK_MESSAGE octets at row->variant must leave no trace. A function of rows: it fails if
 * another connection finds them changed after the one of the stimulus is over; whether and how the device refuses it,
 * others judge.
 */
void row_leaves_no_trace(struct talk *talk, const struct suite_case *row);

/* Their octets, read on a fresh connection; false: verdict is set (inconclusive, or not applicable). */
bool look_at(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE]);
/*
 * Fills them, and reads them on another connection, on which it leaves the talk. False: verdict is set, not applicable
 * if the device's connections share no memory.
 */
bool look_prepare(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE]);

#endif
